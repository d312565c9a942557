// Finds the sun of an environment before filtering. The sun consists of texels within two degrees of the brightest
// texel, if they are far brighter than the mean. The sun lights surfaces like a separate light, because a few
// coefficients of irradiance could not represent it. Samples of reflected lobes would hit it only by chance. The shader
// runs once per environment, in three dispatches. The first two store their sums by lane for the next dispatch.
// Barriers within one workgroup would take a second to compile on some adapters.

const LANES = 256u;
// Factor on the mean luminance. Brighter texels within the cone belong to the sun.
const SUN_CONTRAST = 4.0;
// Least share of all light that the sun must have. Otherwise the environment counts as having no sun.
const LEAST_SHARE = 0.02;

// Results of one lane, or of all lanes. Sums are weighted by solid angle.
struct Whole {
  luminance: f32,
  solidAngle: f32,
  brightest: f32,
  // Index of the brightest texel.
  place: u32,
}

struct Sun {
  light: vec3f,
  luminance: f32,
  // Sum of directions, weighted by luminance.
  toSun: vec3f,
}

struct Found {
  wholes: array<Whole, LANES>,
  suns: array<Sun, LANES>,
}

@group(0) @binding(0) var cube: texture_2d_array<f32>;
@group(0) @binding(1) var<storage, read_write> result: Irradiance;
@group(0) @binding(2) var<storage, read_write> found: Found;

@compute @workgroup_size(LANES)
fn measureWhole(@builtin(local_invocation_index) lane: u32) {
  let size = textureDimensions(cube).x;
  var whole: Whole;
  for (var place = lane; place < 6u * size * size; place += LANES) {
    let luminance = luminanceOf(radianceAt(place, size));
    let solidAngle = solidAngleAt(place, size);
    whole.luminance += luminance * solidAngle;
    whole.solidAngle += solidAngle;
    if luminance > whole.brightest {
      whole.brightest = luminance;
      whole.place = place;
    }
  }
  found.wholes[lane] = whole;
}

@compute @workgroup_size(LANES)
fn measureSun(@builtin(local_invocation_index) lane: u32) {
  let size = textureDimensions(cube).x;
  let whole = wholeOfAll();
  let threshold = thresholdOf(whole);
  let middle = directionAt(whole.place, size);
  var sun: Sun;
  for (var place = lane; place < 6u * size * size && whole.brightest > threshold; place += LANES) {
    let direction = directionAt(place, size);
    if dot(direction, middle) > SUN_CONE {
      let light = aboveThreshold(radianceAt(place, size), threshold) * solidAngleAt(place, size);
      let luminance = luminanceOf(light);
      sun.light += light;
      sun.luminance += luminance;
      sun.toSun += direction * luminance;
    }
  }
  found.suns[lane] = sun;
}

@compute @workgroup_size(1)
fn writeSun() {
  let whole = wholeOfAll();
  var sun: Sun;
  for (var lane = 0u; lane < LANES; lane++) {
    sun.light += found.suns[lane].light;
    sun.luminance += found.suns[lane].luminance;
    sun.toSun += found.suns[lane].toSun;
  }
  let middle = directionAt(whole.place, textureDimensions(cube).x);
  let hasSun = sun.luminance > LEAST_SHARE * whole.luminance;
  result.threshold = select(0.0, thresholdOf(whole), hasSun);
  // Solid angles of texels are relative, so the light is scaled to the solid angle of a sphere, 4π. It is also divided
  // by π.
  result.sunLight = select(vec3f(0.0), sun.light * (4.0 / whole.solidAngle), hasSun);
  result.toSun = select(middle, normalize(sun.toSun + middle * 1e-20), hasSun);
  result.sunMiddle = middle;
}

// Combines the results of all lanes. Among equally bright texels, the texel with the lowest index counts.
fn wholeOfAll() -> Whole {
  var all = found.wholes[0];
  for (var lane = 1u; lane < LANES; lane++) {
    let one = found.wholes[lane];
    all.luminance += one.luminance;
    all.solidAngle += one.solidAngle;
    if one.brightest > all.brightest || (one.brightest == all.brightest && one.place < all.place) {
      all.brightest = one.brightest;
      all.place = one.place;
    }
  }
  return all;
}

fn thresholdOf(whole: Whole) -> f32 {
  return SUN_CONTRAST * whole.luminance / whole.solidAngle;
}

fn radianceAt(place: u32, size: u32) -> vec3f {
  let texel = place % (size * size);
  return textureLoad(cube, vec2u(texel % size, texel / size), place / (size * size), 0).rgb;
}

// Returns the position of a texel on its face, −1 to 1 along each axis.
fn pointAt(place: u32, size: u32) -> vec2f {
  let texel = place % (size * size);
  return (vec2f(f32(texel % size), f32(texel / size)) + 0.5) * (2.0 / f32(size)) - 1.0;
}

fn directionAt(place: u32, size: u32) -> vec3f {
  return normalize(directionOf(place / (size * size), pointAt(place, size)));
}

// Returns the relative solid angle of a texel.
fn solidAngleAt(place: u32, size: u32) -> f32 {
  let point = pointAt(place, size);
  let squared = 1.0 + dot(point, point);
  return 1.0 / (squared * sqrt(squared));
}
