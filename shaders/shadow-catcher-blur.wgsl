// Blurs the picture of the things above a shadow catcher, first along X, then along Z
// (src/render/shadow-catchers/shade-passes.ts). The structure ShadowCatcher is generated.

@group(0) @binding(0) var<uniform> catcher: ShadowCatcher;
// Source of the first pass: depth of the lowest surface above the ground. A depth of 0 means that there is none.
@group(0) @binding(1) var depths: texture_depth_2d;
// Source of the second pass: result of the first pass.
@group(0) @binding(1) var shades: texture_2d<f32>;

// Returns the strength of the shadow that the lowest surface above a texel casts: 1 on the ground, 0 at the height up
// to which things cast shadow.
fn strengthAt(texel: vec2i) -> f32 {
  let nearness = min(textureLoad(depths, texel, 0) * catcher.depthScale, 1.0);
  return nearness * nearness;
}

@fragment
fn blurAlongX(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let texel = vec2i(position.xy);
  let reach = i32(catcher.reach.x);
  let end = i32(textureDimensions(depths).x);
  var sum = 0.0;
  var weights = 0.0;
  for (var step = -reach; step <= reach; step++) {
    let weight = exp(-0.5 * f32(step * step) * catcher.inverseVariance.x);
    weights += weight;
    let x = texel.x + step;
    if x >= 0 && x < end {
      sum += weight * strengthAt(vec2i(x, texel.y));
    }
  }
  return vec4f(sum / weights, 0.0, 0.0, 1.0);
}

@fragment
fn blurAlongZ(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let texel = vec2i(position.xy);
  let reach = i32(catcher.reach.y);
  let end = i32(textureDimensions(shades).y);
  var sum = 0.0;
  var weights = 0.0;
  for (var step = -reach; step <= reach; step++) {
    let weight = exp(-0.5 * f32(step * step) * catcher.inverseVariance.y);
    weights += weight;
    let y = texel.y + step;
    if y >= 0 && y < end {
      sum += weight * textureLoad(shades, vec2i(texel.x, y), 0).r;
    }
  }
  return vec4f(sum / weights, 0.0, 0.0, 1.0);
}
