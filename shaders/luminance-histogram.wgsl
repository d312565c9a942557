// Measures the brightness of a picture, and adapts exposure to it (src/render/exposure/). The structures Adaptation and
// MeasuredExposure, and the number BIN_COUNT, are generated. Sums are whole numbers, so their order does not matter,
// and the result is the same in each run.
//
//   scene colour ─► histogram of log2(luminance) ─► mean without the darkest and brightest pixels ─► exposure, by time

@group(0) @binding(0) var sceneColor: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> histogram: array<atomic<u32>, BIN_COUNT>;
@group(0) @binding(2) var<storage, read_write> measured: MeasuredExposure;
@group(0) @binding(3) var<uniform> adaptation: Adaptation;

// Whether scene colour holds display colours. The shader decodes them.
override isDisplayed = false;

// The range of the histogram, as powers of two. Brighter pixels count as the brightest, darker ones don't count.
const DARKEST = -14.0;
const BRIGHTEST = 16.0;
// Number that a pixel adds to the histogram. The two bins next to its brightness share the number, and the nearer bin
// gets more.
const SHARES = 16.0;
// Shares of the counted pixels that the mean leaves out, so that a few lamps or dark corners do not decide it.
const DARK_SHARE = 0.1;
const BRIGHT_SHARE = 0.1;
// Luminance to which the mean is exposed: middle grey.
const MIDDLE = 0.18;
// Least coverage of pixels that count. A pixel with less coverage shows mostly the background.
const LEAST_COVERAGE = 0.5;

var<workgroup> bins: array<atomic<u32>, BIN_COUNT>;

fn isFinite(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}

// Returns the luminance of a pixel; 0: it does not count.
fn luminanceAt(pixel: vec2u) -> f32 {
  let scene = textureLoad(sceneColor, pixel, 0);
  if !(isFinite(scene.r) && isFinite(scene.g) && isFinite(scene.b)) || scene.a < LEAST_COVERAGE {
    return 0.0;
  }
  var light = max(scene.rgb / scene.a, vec3f(0.0));
  if isDisplayed {
    light = select(pow((light + 0.055) / 1.055, vec3f(2.4)), light / 12.92, light <= vec3f(0.04045));
  }
  return dot(light, vec3f(0.2126, 0.7152, 0.0722));
}

@compute @workgroup_size(16, 16)
fn countPixels(
  @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32
) {
  atomicStore(&bins[local], 0u);
  workgroupBarrier();
  let size = textureDimensions(sceneColor);
  for (var index = 0u; index < 4u; index++) {
    let pixel = id.xy * 2u + vec2u(index & 1u, index >> 1u);
    if pixel.x >= size.x || pixel.y >= size.y {
      continue;
    }
    let luminance = luminanceAt(pixel);
    if luminance < exp2(DARKEST) {
      continue;
    }
    let place = clamp((log2(luminance) - DARKEST) / (BRIGHTEST - DARKEST), 0.0, 1.0) * f32(BIN_COUNT - 1u);
    let bin = min(u32(place), BIN_COUNT - 2u);
    let upper = u32(round((place - f32(bin)) * SHARES));
    atomicAdd(&bins[bin], u32(SHARES) - upper);
    atomicAdd(&bins[bin + 1u], upper);
  }
  workgroupBarrier();
  let count = atomicLoad(&bins[local]);
  if count > 0u {
    atomicAdd(&histogram[local], count);
  }
}

// Returns the mean of log2(luminance), without the darkest and the brightest pixels. `total`: sum of all bins.
fn meanLuminance(total: f32) -> f32 {
  let first = total * DARK_SHARE;
  let last = total * (1.0 - BRIGHT_SHARE);
  var sum = 0.0;
  var seen = 0.0;
  for (var bin = 0u; bin < BIN_COUNT; bin++) {
    let count = f32(atomicLoad(&bins[bin]));
    let counted = max(0.0, min(seen + count, last) - max(seen, first));
    sum += counted * (DARKEST + f32(bin) / f32(BIN_COUNT - 1u) * (BRIGHTEST - DARKEST));
    seen += count;
  }
  return sum / max(last - first, 1e-6);
}

@compute @workgroup_size(BIN_COUNT)
fn adapt(@builtin(local_invocation_index) local: u32) {
  // The next frame begins with an empty histogram.
  let own = atomicExchange(&histogram[local], 0u);
  atomicStore(&bins[local], own);
  workgroupBarrier();
  if local != 0u {
    return;
  }
  var total = 0.0;
  for (var bin = 0u; bin < BIN_COUNT; bin++) {
    total += f32(atomicLoad(&bins[bin]));
  }
  let isNew = adaptation.isNew != 0u;
  let before = select(measured.stops, 0.0, isNew);
  var wanted = before;
  if total > 0.0 {
    wanted = log2(MIDDLE) - meanLuminance(total);
  }
  wanted = clamp(wanted, adaptation.minimum, adaptation.maximum);
  let share = select(adaptation.downShare, adaptation.upShare, wanted > before);
  let stops = select(before + (wanted - before) * share, wanted, isNew || share >= 1.0);
  measured.stops = clamp(stops, adaptation.minimum, adaptation.maximum);
  measured.factor = exp2(measured.stops);
}
