// Draws a face of one mip level from a source cube. `halve` averages four texels. `halveWithoutSun` does the same, but
// removes the sun first. `blur` averages over the lobe that a surface of the level's roughness reflects when seen
// head-on, by filtered importance sampling (Křivánek and Colbert 2008). `blur` also adds the sun's share of the lobe.

const PI = 3.14159265358979;

@group(0) @binding(2) var source: texture_cube<f32>;
@group(0) @binding(3) var<uniform> irradiance: Irradiance;

@fragment
fn halve(input: Corner) -> @location(0) vec4f {
  return textureSampleLevel(source, sourceSampler, directionAt(input.position), 0.0);
}

@fragment
fn halveWithoutSun(input: Corner) -> @location(0) vec4f {
  var sum = vec3f(0.0);
  for (var texel = 0u; texel < 4u; texel++) {
    let offset = vec2f(f32(texel & 1u), f32(texel >> 1u)) * 2.0 - 1.0;
    let direction = normalize(directionAt(input.position + offset / face.sourceSize));
    let radiance = textureSampleLevel(source, sourceSampler, direction, 0.0).rgb;
    let isSun = irradiance.threshold > 0.0 && dot(direction, irradiance.sunMiddle) > SUN_CONE;
    sum += radiance - select(vec3f(0.0), aboveThreshold(radiance, max(irradiance.threshold, 1e-30)), isSun);
  }
  return vec4f(sum / 4.0, 1.0);
}

@fragment
fn blur(input: Corner) -> @location(0) vec4f {
  let normal = normalize(directionAt(input.position));
  let alpha = face.roughness * face.roughness;
  let upHint = select(vec3f(0.0, 1.0, 0.0), vec3f(1.0, 0.0, 0.0), abs(normal.y) > 0.9);
  let tangent = normalize(cross(upHint, normal));
  let bitangent = cross(normal, tangent);
  let alphaSquared = alpha * alpha;
  let texelAngle = 4.0 * PI / (6.0 * face.sourceSize * face.sourceSize);
  var sum = vec3f(0.0);
  var weight = 0.0;
  for (var index = 0u; index < face.samples; index++) {
    let point = vec2f((f32(index) + 0.5) / f32(face.samples), radicalInverse(index));
    // The sine is not computed from the cosine. Adapters round division differently, and a cosine rounded above 1 has
    // no sine.
    let spread = 1.0 + (alphaSquared - 1.0) * point.x;
    let cosine = sqrt((1.0 - point.x) / spread);
    let sine = alpha * sqrt(point.x / spread);
    let angle = 2.0 * PI * point.y;
    let halfway = tangent * (sine * cos(angle)) + bitangent * (sine * sin(angle)) + normal * cosine;
    let nDotL = 2.0 * cosine * cosine - 1.0;
    if nDotL <= 0.0 {
      continue;
    }
    let angleOfSample = 1.0 / (f32(face.samples) * lobeDensity(cosine, alphaSquared));
    // Only the first level contains the sun, so samples start at the second.
    let level = max(0.5 * log2(angleOfSample / texelAngle) + 0.5, 1.0);
    let toLight = 2.0 * cosine * halfway - normal;
    sum += textureSampleLevel(source, sourceSampler, toLight, level).rgb * nDotL;
    weight += nDotL;
  }
  let sunCosine = dot(normal, irradiance.toSun);
  if sunCosine > 0.0 {
    let density = lobeDensity(dot(normal, normalize(normal + irradiance.toSun)), alphaSquared);
    sum += irradiance.sunLight * (PI * density * sunCosine * f32(face.samples));
  }
  return vec4f(sum / weight, 1.0);
}

// Returns the density of reflected directions, seen head-on, per steradian. `cosine` is the cosine of the angle between
// the normal and the halfway vector.
fn lobeDensity(cosine: f32, alphaSquared: f32) -> f32 {
  let f = (cosine * alphaSquared - cosine) * cosine + 1.0;
  return alphaSquared / (PI * f * f) / 4.0;
}

// Returns a number of Van der Corput's sequence in base 2.
fn radicalInverse(index: u32) -> f32 {
  return f32(reverseBits(index)) * 2.3283064365386963e-10;
}
