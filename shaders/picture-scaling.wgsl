// Scales a view's picture to the size in which it is shown (src/render/picture/view-scaling.ts). The structure Scaling
// is generated. Light is compressed for the filter, roughly as tone mapping does. Otherwise one bright pixel would
// outweigh its neighbours, and edges of bright surfaces would be jagged.

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(2) var<uniform> scaling: Scaling;

// Whether the source holds light. Otherwise it holds display colours, or colours without tone mapping.
override isLight = true;

const BRIGHTEST = 60000.0;

// Returns a compressed texel. A NaN would spread to its neighbours, so it counts as black.
fn texelAt(place: vec2i) -> vec4f {
  let most = vec2i(textureDimensions(source)) - 1;
  let texel = textureLoad(source, clamp(place, vec2i(0), most), 0);
  let bounded = select(vec4f(0.0), min(texel, vec4f(BRIGHTEST)), texel >= vec4f(0.0));
  let brightest = scaling.exposure * max(bounded.r, max(bounded.g, bounded.b));
  return select(bounded, vec4f(bounded.rgb / (1.0 + brightest), bounded.a), isLight);
}

// Returns the light of a compressed colour: the inverse of the compression in `texelAt`.
fn expanded(color: vec4f) -> vec4f {
  let brightest = scaling.exposure * max(color.r, max(color.g, color.b));
  let light = min(color.rgb / max(1.0 - brightest, 1e-6), vec3f(BRIGHTEST));
  return select(color, vec4f(light, color.a), isLight);
}

// Returns the weights of four neighbours at a place between the second and the third (Catmull and Rom's cubic).
// `share`: distance of the place from the second neighbour, 0 to 1.
fn weightsAt(share: f32) -> vec4f {
  let square = share * share;
  let cube = square * share;
  return vec4f(
    -0.5 * cube + square - 0.5 * share,
    1.5 * cube - 2.5 * square + 1.0,
    -1.5 * cube + 2.0 * square + 0.5 * share,
    0.5 * cube - 0.5 * square,
  );
}

// Enlarges the picture with a cubic of 4 × 4 texels. The result is limited to the range of the nearest four texels, so
// that edges have no halos.
@fragment
fn enlarge(input: Covering) -> @location(0) vec4f {
  let place = input.uv * vec2f(textureDimensions(source)) - 0.5;
  let corner = vec2i(floor(place));
  let share = place - floor(place);
  let across = weightsAt(share.x);
  let down = weightsAt(share.y);
  var sum = vec4f(0.0);
  var least = vec4f(BRIGHTEST);
  var most = vec4f(0.0);
  for (var y = 0; y < 4; y++) {
    for (var x = 0; x < 4; x++) {
      let texel = texelAt(corner + vec2i(x, y) - 1);
      sum += texel * (across[x] * down[y]);
      if (x == 1 || x == 2) && (y == 1 || y == 2) {
        least = min(least, texel);
        most = max(most, texel);
      }
    }
  }
  return expanded(clamp(sum, least, most));
}

// Reduces the picture by a factor of up to 2. The result is the average of the area that a pixel covers.
@fragment
fn reduce(input: Covering) -> @location(0) vec4f {
  let middle = input.uv * vec2f(textureDimensions(source));
  let start = middle - scaling.factor * 0.5;
  let end = middle + scaling.factor * 0.5;
  let first = vec2i(floor(start));
  var sum = vec4f(0.0);
  var total = 0.0;
  for (var y = 0; y < 3; y++) {
    for (var x = 0; x < 3; x++) {
      let texel = first + vec2i(x, y);
      let overlap = max(min(end, vec2f(texel) + 1.0) - max(start, vec2f(texel)), vec2f(0.0));
      let weight = overlap.x * overlap.y;
      sum += texelAt(texel) * weight;
      total += weight;
    }
  }
  return expanded(sum / total);
}
