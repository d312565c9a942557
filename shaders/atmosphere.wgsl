// Draws a face of the cube: a sky by single scattering in a round atmosphere of air and haze, over a matte ground (T.
// Nishita et al., "Display of the Earth Taking into Account Atmospheric Scattering", 1993). The numbers of air and haze
// have the same source as in src/game/lights/sunlight.ts. The sun's disc is omitted here. sky-details.wgsl draws it in
// front of the sky, and a directional light of the scene can light surfaces in its place.

const PI = 3.14159265358979;
// Metres.
const RADIUS = 6360000.0;
const TOP = 80000.0;
// Scale heights of air (x) and haze (y), in metres.
const HEIGHTS = vec2f(8000.0, 1200.0);
// Scattering coefficients of air at the height of the ground, per metre.
const AIR = vec3f(5.8e-6, 13.5e-6, 33.1e-6);
// Share of the light that haze scatters, instead of absorbing it.
const HAZE_ALBEDO = 0.9;
// Asymmetry of the scattering of haze, from −1 to 1. Above 0, most light is scattered forward.
const FORWARDNESS = 0.76;
// Light of the sun outside the atmosphere, on a surface that faces it.
const SUN = 4.0;
const STEPS = 32;

struct CornerOverGround {
  @builtin(position) clipPosition: vec4f,
  // As in `Corner`.
  @location(0) position: vec2f,
  // Light of the ground, equal at all corners.
  @location(1) @interpolate(flat) ground: vec3f,
}

@vertex
fn coverFaceOverGround(@builtin(vertex_index) index: u32) -> CornerOverGround {
  let corner = cornerOfFace(index);
  let ground = face.air.rgb * lightOfGround();
  return CornerOverGround(vec4f(corner, 0.0, 1.0), vec2f(corner.x, -corner.y), ground);
}

@fragment
fn drawFace(input: CornerOverGround) -> @location(0) vec4f {
  let direction = normalize(directionAt(input.position));
  let skyShare = smoothstep(-0.01, 0.01, direction.y);
  var color = vec3f(0.0);
  if skyShare > 0.0 {
    color += skyShare * skyTowards(normalize(vec3f(direction.x, max(direction.y, 0.0), direction.z)));
  }
  if skyShare < 1.0 {
    color += (1.0 - skyShare) * input.ground;
  }
  return vec4f(color, 1.0);
}

// Returns the light that a white ground reflects from the sun and the sky. Six directions sample the sky, each with the
// same weight. The sky is the same on both sides of the plane through the sun and the zenith, so one side is enough.
fn lightOfGround() -> vec3f {
  let across = face.toSun.xz;
  // The sun may be straight up.
  let ahead = select(vec2f(1.0, 0.0), normalize(across), dot(across, across) > 1e-6);
  var sky = vec3f(0.0);
  for (var index = 0; index < 6; index++) {
    let height = sqrt((f32(index / 3) + 0.5) / 2.0);
    let angle = (f32(index % 3) + 0.5) * PI / 3.0;
    let level = sqrt(max(1.0 - height * height, 0.0)) * (ahead * cos(angle) + vec2f(-ahead.y, ahead.x) * sin(angle));
    sky += skyTowards(vec3f(level.x, height, level.y)) / 6.0;
  }
  let sunlight = SUN * transmittance(depthToSun(0.0, face.toSun.y)) * max(face.toSun.y, 0.0);
  return sky + sunlight / PI;
}

fn hazeScattering() -> f32 {
  return (face.air.a - 1.0) * AIR.g * HEIGHTS.x / HEIGHTS.y;
}

// Returns the share of light that passes the atmosphere. `depth`: length of the path through air (x) and haze (y) in
// metres, as if both had the density of the ground everywhere.
fn transmittance(depth: vec2f) -> vec3f {
  return exp(-AIR * depth.x - vec3f(hazeScattering() / HAZE_ALBEDO * depth.y));
}

// Returns the sunlight that the atmosphere scatters to a viewer on the ground who looks in a direction.
fn skyTowards(direction: vec3f) -> vec3f {
  // Length of the path to the top of the atmosphere.
  let across = RADIUS * direction.y;
  let metres = sqrt(max(across * across + TOP * (2.0 * RADIUS + TOP), 0.0)) - across;
  let cosine = dot(direction, face.toSun);
  let squared = FORWARDNESS * FORWARDNESS;
  // Phase functions of Rayleigh, and of Cornette and Shanks.
  let airPhase = 3.0 / (16.0 * PI) * (1.0 + cosine * cosine);
  let hazePhase = 3.0 / (8.0 * PI) * (1.0 - squared) * (1.0 + cosine * cosine)
    / ((2.0 + squared) * pow(max(1.0 + squared - 2.0 * FORWARDNESS * cosine, 1e-3), 1.5));
  var depth = vec2f(0.0);
  var fromAir = vec3f(0.0);
  var fromHaze = vec3f(0.0);
  var begin = 0.0;
  for (var step = 0; step < STEPS; step++) {
    // Steps get longer with the distance, because most of the atmosphere is near the ground.
    let share = f32(step + 1) / f32(STEPS);
    let end = metres * share * share;
    let along = (begin + end) * 0.5;
    // Height and the direction up at the middle of the step. The formula of the height avoids a difference of two large
    // numbers, because 32-bit floats would round it to metres.
    let rise = along * (2.0 * RADIUS * direction.y + along);
    let height = rise / (sqrt(max(RADIUS * RADIUS + rise, 0.0)) + RADIUS);
    let up = (vec3f(0.0, RADIUS, 0.0) + direction * along) / (RADIUS + height);
    let density = exp(-vec2f(height) / HEIGHTS) * (end - begin);
    let light = transmittance(depth + density * 0.5 + depthToSun(height, dot(up, face.toSun)));
    fromAir += light * density.x;
    fromHaze += light * density.y;
    depth += density;
    begin = end;
  }
  return SUN * (fromAir * AIR * airPhase + fromHaze * (hazeScattering() * hazePhase));
}

// Returns the depth of the path from a height to the sun, as `transmittance` takes it. `cosine`: cosine of the sun's
// angle from the zenith.
fn depthToSun(height: f32, cosine: f32) -> vec2f {
  return HEIGHTS * vec2f(
    chapman(RADIUS / HEIGHTS.x, height / HEIGHTS.x, cosine), chapman(RADIUS / HEIGHTS.y, height / HEIGHTS.y, cosine)
  );
}

// Returns the depth of a path to space through a medium that gets thinner with the height. The unit is the medium's
// scale height, and the depth of a vertical path from the ground is 1 (F. L. Smith and C. Smith, "Numerical Evaluation
// of Chapman's Grazing Incidence Integral ch(X, χ)", Journal of Geophysical Research 77, 1972).
// `x` and `height`: radius of the Earth and height of the beginning, as multiples of the scale height.
fn chapman(x: f32, height: f32, cosine: f32) -> f32 {
  let begin = x + height;
  let above = sqrt(PI * 0.5 * begin) * scaledErrorFunction(sqrt(begin * 0.5) * abs(cosine)) * exp(-height);
  if cosine >= 0.0 {
    return above;
  }
  // The path first comes down to its lowest point, and then rises. If that point is below the ground, the depth of the
  // path increases steeply, so hardly any light passes.
  let lowest = sqrt(max(1.0 - cosine * cosine, 0.0)) * begin;
  return sqrt(2.0 * PI * lowest) * exp(min(x - lowest, 30.0)) - above;
}

// Returns exp(y²) · erfc(y), for y from 0 on.
fn scaledErrorFunction(y: f32) -> f32 {
  if y > 8.0 {
    return 0.56498823 / (0.06651874 + y);
  }
  return (1.0606963 + 0.55643831 * y) / (1.0619896 + (1.7245609 + y) * y);
}
