// Smooths edges by averaging a view's pictures over time (src/render/temporal/). Each frame is drawn with another
// offset of at most half a pixel (jitter). So a pixel of a still picture becomes the mean of many points within the
// pixel. The structure Temporal is generated.
//
//   motion of the nearest of 3 × 3 pixels ─► place in the last frame ─► history there, unless it shows another surface
//   colours of 3 × 3 pixels ─► range of likely colours ─► history, limited to the range ─► mean with this frame
//
// `traces` holds, for each pixel: the number of frames in its mean, the nearness of the farthest surface that it has
// shown while still, the mean square of the difference between frame and history, and the share of recent frames that
// showed a nearer surface.

@group(0) @binding(0) var sceneColor: texture_2d<f32>;
@group(0) @binding(1) var linearSampler: sampler;
@group(0) @binding(2) var<uniform> temporal: Temporal;
@group(0) @binding(3) var motionTexture: texture_2d<f32>;
@group(0) @binding(4) var history: texture_2d<f32>;
@group(0) @binding(5) var traces: texture_2d<f32>;
// Bound while unmapped colours have a target of their own.
@group(0) @binding(6) var unmappedColor: texture_2d<f32>;
@group(0) @binding(7) var unmappedHistory: texture_2d<f32>;

const BRIGHTEST = 60000.0;
// Largest number of frames in the mean of a still pixel, and in the mean of a moving pixel.
const STILL_FRAMES = 64.0;
const MOVING_FRAMES = 12.0;
// Motion in pixels up to which a pixel counts as still. Rounding of positions causes such motion.
const LEAST_MOTION = 0.01;
// Relative difference of nearness (1 divided by the distance) up to which two samples show the same surface.
const SAME_SURFACE = 0.03;

fn largest(color: vec3f) -> f32 {
  return max(color.r, max(color.g, color.b));
}

// Returns a colour without NaN and infinity, which would stay in the history. NaN and negative values count as 0.
fn bounded(color: vec4f) -> vec4f {
  return select(vec4f(0.0), min(color, vec4f(vec3f(BRIGHTEST), 1.0)), color >= vec4f(0.0));
}

// Compresses light brighter than white for the mean, because a display shows such light as white. Colours up to white
// stay unchanged, so that edges between them have the right mean.
fn compressed(color: vec4f) -> vec4f {
  let size = max(largest(color.rgb) * temporal.exposure, 1.0);
  return vec4f(color.rgb * ((2.0 - 1.0 / size) / size), color.a);
}

fn expanded(color: vec4f) -> vec4f {
  let size = clamp(largest(color.rgb) * temporal.exposure, 1.0, 1.9999);
  return vec4f(color.rgb / ((2.0 - size) * size), color.a);
}

// Returns a colour as brightness, orange (positive) to blue, green (positive) to magenta, and coverage.
fn toAxes(color: vec4f) -> vec4f {
  return vec4f(
    dot(color.rgb, vec3f(0.25, 0.5, 0.25)), dot(color.rgb, vec3f(0.5, 0.0, -0.5)),
    dot(color.rgb, vec3f(-0.25, 0.5, -0.25)), color.a
  );
}

fn fromAxes(axes: vec4f) -> vec4f {
  let base = axes.x - axes.z;
  return max(vec4f(base + axes.y, axes.x + axes.z, base - axes.y, axes.a), vec4f(0.0));
}

fn axesOf(color: vec4f) -> vec4f {
  return toAxes(compressed(bounded(color)));
}

// Colours of 3 × 3 pixels: the middle one, their mean and their standard deviation. All are compressed, as `toAxes`
// returns them.
struct Range {
  middle: vec4f,
  mean: vec4f,
  deviation: vec4f,
}

fn rangeAround(source: texture_2d<f32>, pixel: vec2i, last: vec2i) -> Range {
  var range: Range;
  var squares = vec4f(0.0);
  for (var y = -1; y <= 1; y++) {
    for (var x = -1; x <= 1; x++) {
      let color = axesOf(textureLoad(source, clamp(pixel + vec2i(x, y), vec2i(0), last), 0));
      range.mean += color / 9.0;
      squares += color * color / 9.0;
      if x == 0 && y == 0 {
        range.middle = color;
      }
    }
  }
  range.deviation = sqrt(max(squares - range.mean * range.mean, vec4f(0.0)));
  return range;
}

// The surface of a pixel in the last frame: its place there, and its traces.
struct Past {
  // In pixels of the picture.
  place: vec2f,
  // 0: the pixel is still; 1: it moves by half a pixel or more.
  moving: f32,
  // Number of frames in the history; 0: there is no history.
  count: f32,
  // Mean square of the difference between frame and history.
  square: f32,
  // Share of recent frames that showed a nearer surface than other frames did. Above 0, the pixel shows a thin surface
  // or an edge.
  thinness: f32,
  // Nearness of the farthest surface, including the surface of this frame.
  nearness: f32,
}

fn pastOf(pixel: vec2i, last: vec2i) -> Past {
  var nearest = vec4f(0.0);
  for (var y = -1; y <= 1; y++) {
    for (var x = -1; x <= 1; x++) {
      let motion = textureLoad(motionTexture, clamp(pixel + vec2i(x, y), vec2i(0), last), 0);
      if motion.z > nearest.z {
        nearest = motion;
      }
    }
  }
  let size = vec2f(last + 1);
  let middle = vec2f(pixel) + 0.5;
  if nearest.z <= 0.0 {
    // The background is infinitely far away, so its place depends only on how the camera has turned.
    let ndc = vec3f((middle / size - 0.5) * vec2f(2.0, -2.0), 1.0);
    let w = dot(temporal.behindW.xyz, ndc);
    let before = vec2f(dot(temporal.behindX.xyz, ndc), dot(temporal.behindY.xyz, ndc)) / w;
    nearest = vec4f((before * vec2f(0.5, -0.5) + 0.5) * size - middle, 0.0, 0.0);
    if w <= 0.0 {
      nearest.x = 2.0 * size.x;
    }
  }
  var past: Past;
  let path = length(nearest.xy);
  past.moving = smoothstep(LEAST_MOTION, 0.5, path);
  past.place = middle + select(vec2f(0.0), nearest.xy, path > LEAST_MOTION);
  past.nearness = nearest.z;
  let isInside = all(past.place >= vec2f(0.0)) && all(past.place < size);
  if temporal.isNew != 0.0 || !isInside {
    return past;
  }
  let place = vec2i(past.place);
  let trace = textureLoad(traces, place, 0);
  // A surface that was hidden by a nearer one has no history there. Jitter moves edges by up to a pixel, so any of
  // 3 × 3 pixels may have the history of the surface. The surface may be nearer than the surfaces in its history,
  // because lines thinner than a pixel are missing in some frames.
  var farthest = trace.y;
  for (var y = -1; y <= 1; y++) {
    for (var x = -1; x <= 1; x++) {
      farthest = min(farthest, textureLoad(traces, clamp(place + vec2i(x, y), vec2i(0), last), 0).y);
    }
  }
  if farthest <= nearest.w * (1.0 + SAME_SURFACE) + 1e-5 {
    past.count = trace.x;
    past.square = trace.z;
    let isNearer = nearest.w > trace.y * (1.0 + SAME_SURFACE) + 1e-5;
    past.thinness = mix(trace.w, select(0.0, 1.0, isNearer), RATE);
    past.nearness = select(min(trace.y, past.nearness), past.nearness, past.moving > 0.0);
  }
  return past;
}

// Samples a texture with a bicubic filter (Catmull-Rom), which keeps moving pictures sharper than a bilinear one.
fn sampleSharply(source: texture_2d<f32>, place: vec2f, size: vec2f) -> vec4f {
  let begin = floor(place - 0.5) + 0.5;
  let f = place - begin;
  let w0 = f * (-0.5 + f * (1.0 - 0.5 * f));
  let w1 = 1.0 + f * f * (-2.5 + 1.5 * f);
  let w3 = f * f * (-0.5 + 0.5 * f);
  let w12 = 1.0 - w0 - w3;
  let near = (begin - 1.0) / size;
  let middle = (begin + (w12 - w1) / w12) / size;
  let far = (begin + 2.0) / size;
  // The four corners have the least weight and are left out.
  var sum = vec4f(0.0);
  sum += textureSampleLevel(source, linearSampler, middle, 0.0) * (w12.x * w12.y);
  sum += textureSampleLevel(source, linearSampler, vec2f(near.x, middle.y), 0.0) * (w0.x * w12.y);
  sum += textureSampleLevel(source, linearSampler, vec2f(far.x, middle.y), 0.0) * (w3.x * w12.y);
  sum += textureSampleLevel(source, linearSampler, vec2f(middle.x, near.y), 0.0) * (w12.x * w0.y);
  sum += textureSampleLevel(source, linearSampler, vec2f(middle.x, far.y), 0.0) * (w12.x * w3.y);
  let corners = w0.x * w0.y + w3.x * w0.y + w0.x * w3.y + w3.x * w3.y;
  return sum / (1.0 - corners);
}

// A layer of the picture at a pixel: its colour in this frame, and its history, limited to the range of likely colours.
struct Layer {
  now: vec4f,
  history: vec4f,
  // Distance of the history from the middle of the range, as a multiple of half the range. A history outside of the
  // range has more than 1.
  excess: f32,
}

fn layerOf(source: texture_2d<f32>, past: texture_2d<f32>, pixel: vec2i, last: vec2i, before: Past) -> Layer {
  let range = rangeAround(source, pixel, last);
  var layer: Layer;
  layer.now = range.middle;
  // Moving pictures are sharpened, because sampling the history blurs them.
  layer.now.x = max(layer.now.x + SHARPNESS * before.moving * (range.middle.x - range.mean.x), 0.0);
  if before.count == 0.0 {
    layer.history = layer.now;
    return layer;
  }
  var found = textureLoad(past, vec2i(before.place), 0);
  if before.moving > 0.0 {
    found = sampleSharply(past, before.place, vec2f(last + 1));
  }
  let seen = axesOf(found);
  // A thin line is missing in some frames, so its pixels may also differ as much as they did in earlier frames. Pixels
  // that show one surface may not: their differences come from changes of light, such as the edges of moving shadows.
  let isThin = before.moving == 0.0 && before.thinness > 0.01;
  let earlier = select(0.0, 1.25 * sqrt(max(before.square, 0.0)), isThin);
  let reach = range.deviation * mix(1.25, 1.0, before.moving) + earlier + 0.002;
  let offset = (seen - range.mean) / reach;
  layer.excess = max(max(abs(offset.x), abs(offset.y)), max(abs(offset.z), abs(offset.w)));
  layer.history = select(seen, range.mean + (seen - range.mean) / layer.excess, layer.excess > 1.0);
  return layer;
}

const SHARPNESS = 0.25;
// Larger squares do not fit in half floats.
const LARGEST_SQUARE = 10000.0;
// Weight of a frame in the mean that `thinness` is.
const RATE = 0.0625;

fn sumOf(axes: vec4f) -> f32 {
  return axes.x + axes.y + axes.z + axes.w;
}

// Returns the share of this frame in the mean.
fn shareOf(past: Past, excess: f32) -> f32 {
  let most = mix(STILL_FRAMES, MOVING_FRAMES, past.moving) - 1.0;
  // A history that was far outside of the range is replaced sooner.
  return 1.0 / (1.0 + min(past.count, most) * clamp(3.0 / max(excess, 1.0), 0.1, 1.0));
}

// Returns the traces that the next frame reads. A history outside of its range shows a change (`excess` above 1), so
// its differences are forgotten. The differences of moving pixels are forgotten, too.
fn traceOf(past: Past, share: f32, difference: f32, excess: f32) -> vec4f {
  let kept = (1.0 - past.moving) * clamp(2.0 - excess, 0.0, 1.0);
  let earlier = kept * past.square;
  let square = earlier + (1.0 - past.moving) * share * (difference * difference - earlier);
  return vec4f(1.0 / share, past.nearness, min(square, LARGEST_SQUARE), past.thinness * (1.0 - past.moving));
}

struct Smoothed {
  @location(0) color: vec4f,
  @location(1) trace: vec4f,
}

@fragment
fn smoothFrame(@builtin(position) position: vec4f) -> Smoothed {
  let pixel = vec2i(position.xy);
  let last = vec2i(textureDimensions(sceneColor)) - 1;
  let past = pastOf(pixel, last);
  let layer = layerOf(sceneColor, history, pixel, last, past);
  let share = shareOf(past, layer.excess);
  let offset = layer.now - layer.history;
  let mean = bounded(expanded(fromAxes(layer.history + share * offset)));
  return Smoothed(mean, traceOf(past, share, sumOf(offset), layer.excess));
}

struct SmoothedLayers {
  @location(0) color: vec4f,
  @location(1) trace: vec4f,
  @location(2) unmapped: vec4f,
}

@fragment
fn smoothLayers(@builtin(position) position: vec4f) -> SmoothedLayers {
  let pixel = vec2i(position.xy);
  let last = vec2i(textureDimensions(sceneColor)) - 1;
  let past = pastOf(pixel, last);
  let layer = layerOf(sceneColor, history, pixel, last, past);
  let plain = layerOf(unmappedColor, unmappedHistory, pixel, last, past);
  let excess = max(layer.excess, plain.excess);
  let share = shareOf(past, excess);
  let offset = layer.now - layer.history;
  let plainOffset = plain.now - plain.history;
  let mean = bounded(expanded(fromAxes(layer.history + share * offset)));
  let plainMean = bounded(expanded(fromAxes(plain.history + share * plainOffset)));
  return SmoothedLayers(mean, traceOf(past, share, sumOf(offset) + sumOf(plainOffset), excess), plainMean);
}
