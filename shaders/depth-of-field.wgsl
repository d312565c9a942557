// Depth of field (src/render/depth-of-field/): points out of focus become discs. The structure DepthOfField is
// generated. `blur` is the radius of a point's disc in pixels of the view: positive beyond the focus, negative before
// it. Colours are gathered at half size, in two layers: the surfaces from the focus on, and the nearer ones, which lie
// over them.

@group(0) @binding(0) var first: texture_2d<f32>;
@group(0) @binding(1) var second: texture_2d<f32>;
@group(0) @binding(2) var third: texture_2d<f32>;
@group(0) @binding(3) var fourth: texture_2d<f32>;
@group(0) @binding(4) var fifth: texture_2d<f32>;
@group(0) @binding(8) var linearSampler: sampler;
@group(0) @binding(9) var<uniform> lens: DepthOfField;

// Whether scene colour holds display colours. The shader decodes them, because it adds up light.
override isDisplayed = false;

const BRIGHTEST = 60000.0;
// Samples of a disc, and the angle between two of them.
const SAMPLES = 64;
const GOLDEN_ANGLE = 2.39996323;
// Pixels of half size along the side of a tile.
const TILE = 8;
// Limits of blur, in pixels. Up to SHARP, a surface shows its sharp colour. From SOFT on, it shows only gathered
// colours.
const SHARP = 0.5;
const SOFT = 1.5;

// Returns the coverage by which a display colour is divided before it is decoded. Display colours are multiplied by
// coverage after they are encoded. Light that is brighter than its coverage counts as if it had the coverage to match.
fn shareOf(color: vec4f) -> f32 {
  return max(max(color.a, 1e-4), max(color.r, max(color.g, color.b)));
}

// Returns the light of a colour. A NaN or an infinite value would spread over its disc. So NaN and negative values
// count as 0, and BRIGHTEST is the limit.
fn lightOf(color: vec4f) -> vec4f {
  let bounded = select(vec4f(0.0), min(color, vec4f(BRIGHTEST)), color >= vec4f(0.0));
  if !isDisplayed {
    return bounded;
  }
  let share = shareOf(bounded);
  let c = bounded.rgb / share;
  return vec4f(share * select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045)), bounded.a);
}

// Returns the colour of light: the inverse of `lightOf`.
fn colorOf(light: vec4f) -> vec4f {
  if !isDisplayed {
    return light;
  }
  let share = shareOf(light);
  let c = light.rgb / share;
  return vec4f(share * select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308)), light.a);
}

// Returns the blur of a pixel. `depth`: depth of the pixel's nearest surface; 0: there is no surface.
fn blurOf(depth: f32) -> vec4f {
  // Without a surface, the distance is infinite.
  let inverse = select(0.0, (depth + lens.depthScale) / lens.depthOffset, depth > 0.0);
  return vec4f(clamp(lens.blur * (1.0 - lens.focus * inverse), -lens.most, lens.most));
}

fn corner(pixel: vec2i, index: i32, size: vec2i) -> vec2i {
  return min(pixel * 2 + vec2i(index & 1, index >> 1u), size - 1);
}

// Returns the blur of a pixel of half size: the blur of the nearest of its four pixels, in pixels of the view. `second`
// has the blur.
fn nearestBlur(pixel: vec2i) -> f32 {
  let size = vec2i(textureDimensions(second));
  var blur = textureLoad(second, corner(pixel, 0, size), 0).r;
  for (var index = 1; index < 4; index++) {
    blur = min(blur, textureLoad(second, corner(pixel, index, size), 0).r);
  }
  return blur;
}

struct Halved {
  @location(0) color: vec4f,
  @location(1) blur: f32,
}

// Writes a colour at half size: the mean of four pixels. A pixel counts less if its blur differs from the blur of the
// nearest one. Also writes the blur of the nearest one, in pixels of half size.
@fragment
fn halve(@builtin(position) position: vec4f) -> Halved {
  let pixel = vec2i(position.xy);
  let size = vec2i(textureDimensions(second));
  let blur = nearestBlur(pixel);
  var sum = vec4f(0.0);
  var total = 0.0;
  for (var index = 0; index < 4; index++) {
    let place = corner(pixel, index, size);
    let weight = clamp(1.0 - abs(textureLoad(second, place, 0).r - blur) / 2.0, 0.0, 1.0);
    sum += weight * lightOf(textureLoad(first, place, 0));
    total += weight;
  }
  return Halved(sum / total, blur / 2.0);
}

// Writes the radius of the largest disc of a surface before the focus in each tile; 0: there is no such surface.
// `first` has the blur. Both are in pixels of half size.
@fragment
fn findNear(@builtin(position) position: vec4f) -> @location(0) f32 {
  let size = vec2i(textureDimensions(first));
  let origin = vec2i(position.xy) * TILE;
  var largest = 0.0;
  for (var index = 0; index < TILE * TILE; index++) {
    let place = min(origin + vec2i(index % TILE, index / TILE), size - 1);
    largest = max(largest, -textureLoad(first, place, 0).r);
  }
  return largest;
}

// Writes the largest radius among the tiles from which a disc of the largest allowed size reaches each tile. `first`
// has the result of `findNear`.
@fragment
fn spreadNear(@builtin(position) position: vec4f) -> @location(0) f32 {
  let size = vec2i(textureDimensions(first));
  let tile = vec2i(position.xy);
  let reach = i32(ceil(lens.most / 2.0 / f32(TILE)));
  var largest = 0.0;
  for (var y = max(tile.y - reach, 0); y <= min(tile.y + reach, size.y - 1); y++) {
    for (var x = max(tile.x - reach, 0); x <= min(tile.x + reach, size.x - 1); x++) {
      largest = max(largest, textureLoad(first, vec2i(x, y), 0).r);
    }
  }
  return largest;
}

struct Layers {
  // Surfaces from the focus on.
  @location(0) far: vec4f,
  // Surfaces before the focus.
  @location(1) near: vec4f,
  // Share with which the near layer covers the far layer.
  @location(2) nearShare: f32,
}

// Returns the place of a sample in a disc with a radius of 1.
fn inDisc(index: i32) -> vec2f {
  let angle = f32(index) * GOLDEN_ANGLE;
  return sqrt((f32(index) + 0.5) / f32(SAMPLES)) * vec2f(cos(angle), sin(angle));
}

// Gathers the discs that cover each pixel of half size. `first` has colours, `second` has the blur in pixels of half
// size, and `third` has the largest radius of near discs around each tile.
@fragment
fn gather(@builtin(position) position: vec4f) -> Layers {
  let size = vec2i(textureDimensions(first));
  let pixel = vec2i(position.xy);
  let own = textureLoad(first, pixel, 0);
  let blur = textureLoad(second, pixel, 0).r;

  // A point behind this one is visible only within this one's disc. So a larger disc counts as if it had the size of
  // this one's.
  var farSum = own * 0.01;
  var farTotal = 0.01;
  let farRadius = abs(blur);
  if farRadius > SHARP / 2.0 {
    if blur < 0.0 {
      farSum = vec4f(0.0);
      farTotal = 0.0;
    }
    for (var index = 0; index < SAMPLES; index++) {
      let offset = inDisc(index) * farRadius;
      let place = clamp(vec2i(position.xy + offset), vec2i(0), size - 1);
      let other = textureLoad(second, place, 0).r;
      // A blurred near surface hides the surfaces behind it. So the far layer takes the surfaces around it there.
      let reach = select(clamp(min(other, blur) - length(offset) + 1.0, 0.0, 1.0), 1.0, blur < 0.0);
      let weight = select(0.0, reach, other > select(0.0, -SHARP, blur < 0.0));
      farSum += weight * textureLoad(first, place, 0);
      farTotal += weight;
    }
  }

  var nearSum = vec4f(0.0);
  var nearTotal = 0.0;
  let nearRadius = textureLoad(third, pixel / TILE, 0).r;
  if nearRadius > SHARP / 2.0 {
    for (var index = 0; index < SAMPLES; index++) {
      let offset = inDisc(index) * nearRadius;
      let place = clamp(vec2i(position.xy + offset), vec2i(0), size - 1);
      let disc = -textureLoad(second, place, 0).r;
      // The light of a point is spread over its disc, so its weight falls with the disc's area.
      let share = nearRadius * nearRadius / max(disc * disc, 0.25);
      // Small discs fade out, because half size shows them too large.
      let weight = share * clamp(disc - length(offset) + 1.0, 0.0, 1.0) * smoothstep(SHARP / 2.0, SOFT / 2.0, disc);
      nearSum += weight * textureLoad(first, place, 0);
      nearTotal += weight;
    }
  }
  let near = select(own, nearSum / max(nearTotal, 1e-6), nearTotal > 0.0);
  let far = select(near, farSum / max(farTotal, 1e-6), farTotal > 0.0);
  let covered = clamp(nearTotal / f32(SAMPLES), 0.0, 1.0);
  return Layers(far, near, covered);
}

// Blends the layers over the sharp colours. `first` has the sharp colours, `second` has the blur in pixels of the view,
// and `third` to `fifth` have the layers.
@fragment
fn compose(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let pixel = vec2i(position.xy);
  // Two pixels of the view lie on each pixel of half size, also if the view has an odd number of pixels.
  let point = position.xy / vec2f(2 * textureDimensions(third));
  let blur = textureLoad(second, pixel, 0).r;
  let far = textureSampleLevel(third, linearSampler, point, 0.0);
  let near = textureSampleLevel(fourth, linearSampler, point, 0.0);
  let nearShare = textureSampleLevel(fifth, linearSampler, point, 0.0).r;
  let sharp = textureLoad(first, pixel, 0);
  let softness = smoothstep(SHARP, SOFT, abs(blur));
  if softness == 0.0 && nearShare == 0.0 {
    return sharp;
  }
  return colorOf(mix(mix(lightOf(sharp), far, softness), near, nearShare));
}
