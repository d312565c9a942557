// Finds the sun of an environment, before it is filtered: what is far brighter than the rest within a degree or two of the
// brightest texel. Surfaces are lit by it as by a light, because a few coefficients can't hold it, and lobes would be drawn
// from it by chance. One workgroup: run once per environment.

const LANES = 256u;
const PI = 3.14159265358979;
// Times the mean luminance: what is brighter, within the cone, is the sun's.
const SUN_CONTRAST = 4.0;
// Of all light: with less than that there is no sun.
const LEAST_SHARE = 0.02;

struct Partial {
  // Sums by solid angle: light of the sun, and where it comes from.
  light: vec3f,
  toSun: vec3f,
  luminance: f32,
  solidAngle: f32,
  brightest: f32,
  place: u32,
}

@group(0) @binding(0) var cube: texture_2d_array<f32>;
@group(0) @binding(1) var<storage, read_write> result: Irradiance;

var<workgroup> partials: array<Partial, LANES>;

@compute @workgroup_size(LANES)
fn findSun(@builtin(local_invocation_index) lane: u32) {
  let size = textureDimensions(cube).x;
  let texels = 6u * size * size;
  var own: Partial;
  for (var place = lane; place < texels; place += LANES) {
    let luminance = luminanceOf(radianceAt(place, size));
    let solidAngle = solidAngleAt(place, size);
    own.luminance += luminance * solidAngle;
    own.solidAngle += solidAngle;
    if luminance > own.brightest {
      own.brightest = luminance;
      own.place = place;
    }
  }
  let whole = summed(own, lane);
  let threshold = SUN_CONTRAST * whole.luminance / whole.solidAngle;
  let middle = directionAt(whole.place, size);
  own.light = vec3f(0.0);
  own.toSun = vec3f(0.0);
  own.luminance = 0.0;
  if whole.brightest > threshold {
    for (var place = lane; place < texels; place += LANES) {
      let direction = directionAt(place, size);
      if dot(direction, middle) > SUN_CONE {
        let light = aboveThreshold(radianceAt(place, size), threshold) * solidAngleAt(place, size);
        own.light += light;
        own.luminance += luminanceOf(light);
        own.toSun += direction * luminanceOf(light);
      }
    }
  }
  let sun = summed(own, lane);
  if lane != 0u {
    return;
  }
  result.threshold = 0.0;
  result.sunLight = vec3f(0.0);
  result.toSun = middle;
  result.sunMiddle = middle;
  if sun.luminance > LEAST_SHARE * whole.luminance {
    result.threshold = threshold;
    // Texels' solid angles are in proportion.
    result.sunLight = sun.light * (4.0 * PI / whole.solidAngle) / PI;
    result.toSun = normalize(sun.toSun);
  }
}

// Of all lanes, for all of them.
fn summed(own: Partial, lane: u32) -> Partial {
  partials[lane] = own;
  for (var distance = LANES / 2u; distance > 0u; distance /= 2u) {
    workgroupBarrier();
    if lane < distance {
      let other = partials[lane + distance];
      partials[lane].light += other.light;
      partials[lane].toSun += other.toSun;
      partials[lane].luminance += other.luminance;
      partials[lane].solidAngle += other.solidAngle;
      let isFirst = other.brightest == partials[lane].brightest && other.place < partials[lane].place;
      if other.brightest > partials[lane].brightest || isFirst {
        partials[lane].brightest = other.brightest;
        partials[lane].place = other.place;
      }
    }
  }
  workgroupBarrier();
  let all = partials[0];
  // Before it is written again.
  workgroupBarrier();
  return all;
}

fn radianceAt(place: u32, size: u32) -> vec3f {
  let texel = place % (size * size);
  return textureLoad(cube, vec2u(texel % size, texel / size), place / (size * size), 0).rgb;
}

// −1 to 1 each way of its face.
fn pointAt(place: u32, size: u32) -> vec2f {
  let texel = place % (size * size);
  return (vec2f(f32(texel % size), f32(texel / size)) + 0.5) * (2.0 / f32(size)) - 1.0;
}

fn directionAt(place: u32, size: u32) -> vec3f {
  return normalize(directionOf(place / (size * size), pointAt(place, size)));
}

// In proportion.
fn solidAngleAt(place: u32, size: u32) -> f32 {
  let point = pointAt(place, size);
  let squared = 1.0 + dot(point, point);
  return 1.0 / (squared * sqrt(squared));
}
