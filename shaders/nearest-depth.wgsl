// Finds the nearest depth in squares of pixels (src/render/deferred/reflections/). Depth is reversed, so the largest
// number is the nearest.

@group(0) @binding(0) var depths: texture_2d<f32>;

@fragment
fn writeNearestDepth(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let first = 2u * vec2u(position.xy);
  let last = lastOf(first, textureDimensions(depths));
  var nearest = 0.0;
  for (var y = first.y; y <= last.y; y++) {
    for (var x = first.x; x <= last.x; x++) {
      nearest = max(nearest, textureLoad(depths, vec2u(x, y), 0).r);
    }
  }
  return vec4f(nearest);
}

// Returns the last source texel of a texel. An odd number of source texels leaves one over, for the last texel.
fn lastOf(first: vec2u, size: vec2u) -> vec2u {
  return min(select(first + 1u, first + 2u, first + 3u == size), size - 1u);
}
