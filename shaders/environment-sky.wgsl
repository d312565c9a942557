// Draws a face of the cube: a clear daytime sky over a grey ground. The sky follows Preetham, Shirley and Smits (1999),
// with a turbidity of 2.5. The sky is scaled so that its zenith has a radiance near 1 at noon. The sun's disc is
// omitted, because a directional light replaces it.

const TURBIDITY = 2.5;
const GROUND = vec3f(0.18);

@fragment
fn drawFace(input: Corner) -> @location(0) vec4f {
  let direction = normalize(directionAt(input.position));
  let horizon = skyTowards(normalize(vec3f(direction.x, 0.02, direction.z)));
  let sky = skyTowards(normalize(vec3f(direction.x, max(direction.y, 0.02), direction.z)));
  let ground = GROUND * (horizon + skyTowards(vec3f(0.0, 1.0, 0.0))) * 0.5;
  return vec4f(mix(ground, sky, smoothstep(-0.02, 0.02, direction.y)), 1.0);
}

fn skyTowards(direction: vec3f) -> vec3f {
  let toSun = normalize(vec3f(face.toSun.x, max(face.toSun.y, 0.0), face.toSun.z + 1e-5));
  let sunAngle = acos(clamp(toSun.y, 0.0, 1.0));
  let between = acos(clamp(dot(direction, toSun), -1.0, 1.0));
  let t = TURBIDITY;
  // Perez's five coefficients for luminance and for both chromaticities.
  let luminance = perez(
    vec4f(0.1787 * t - 1.4630, -0.3554 * t + 0.4275, -0.0227 * t + 5.3251, 0.1206 * t - 2.5771),
    -0.0670 * t + 0.3703, direction.y, between, sunAngle
  );
  let x = perez(
    vec4f(-0.0193 * t - 0.2592, -0.0665 * t + 0.0008, -0.0004 * t + 0.2125, -0.0641 * t - 0.8989),
    -0.0033 * t + 0.0452, direction.y, between, sunAngle
  );
  let y = perez(
    vec4f(-0.0167 * t - 0.2608, -0.0950 * t + 0.0092, -0.0079 * t + 0.2102, -0.0441 * t - 1.6537),
    -0.0109 * t + 0.0529, direction.y, between, sunAngle
  );
  let powers = vec4f(sunAngle * sunAngle * sunAngle, sunAngle * sunAngle, sunAngle, 1.0);
  let turbidities = vec3f(t * t, t, 1.0);
  let zenithX = dot(turbidities, vec3f(
    dot(powers, vec4f(0.00166, -0.00375, 0.00209, 0.0)),
    dot(powers, vec4f(-0.02903, 0.06377, -0.03202, 0.00394)),
    dot(powers, vec4f(0.11693, -0.21196, 0.06052, 0.25886))
  ));
  let zenithY = dot(turbidities, vec3f(
    dot(powers, vec4f(0.00275, -0.00610, 0.00317, 0.0)),
    dot(powers, vec4f(-0.04214, 0.08970, -0.04153, 0.00516)),
    dot(powers, vec4f(0.15346, -0.26756, 0.06670, 0.26688))
  ));
  let chi = (4.0 / 9.0 - t / 120.0) * (3.14159265 - 2.0 * sunAngle);
  // The model's unit is kilocandela per square metre. The radiance is a tenth of that number.
  let zenithLuminance = max((4.0453 * t - 4.9710) * tan(chi) - 0.2155 * t + 2.4192, 0.05) * 0.1;
  return toLinear(vec3f(zenithX * x, zenithY * y, zenithLuminance * luminance));
}

fn perez(abcd: vec4f, e: f32, height: f32, between: f32, sunAngle: f32) -> f32 {
  let here = (1.0 + abcd.x * exp(abcd.y / max(height, 0.02)))
    * (1.0 + abcd.z * exp(abcd.w * between) + e * cos(between) * cos(between));
  let zenith = (1.0 + abcd.x * exp(abcd.y))
    * (1.0 + abcd.z * exp(abcd.w * sunAngle) + e * cos(sunAngle) * cos(sunAngle));
  return here / zenith;
}

// Converts CIE xyY to linear sRGB.
fn toLinear(xyY: vec3f) -> vec3f {
  let scale = xyY.z / max(xyY.y, 1e-4);
  let xyz = vec3f(xyY.x * scale, xyY.z, (1.0 - xyY.x - xyY.y) * scale);
  let color = vec3f(
    dot(vec3f(3.2406, -1.5372, -0.4986), xyz),
    dot(vec3f(-0.9689, 1.8758, 0.0415), xyz),
    dot(vec3f(0.0557, -0.2040, 1.0570), xyz)
  );
  return max(color, vec3f(0.0));
}
