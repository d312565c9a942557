// Environment lighting for mesh.wgsl's surfaces (src/render/environment/). Specular light is a split sum with multiple
// scattering as in the Khronos sample renderer (Fdez-Agüera 2019). Diffuse light comes from nine spherical harmonics,
// the sun and the ambient light.

@group(0) @binding(5) var<uniform> environment: Environment;
// Radiance averaged over ever wider lobes, one mip level per roughness.
@group(0) @binding(6) var environmentTexture: texture_cube<f32>;
@group(0) @binding(7) var environmentSampler: sampler;
// The reflection of uniform light by a surface, by n·v and roughness. The texels hold a scale (red) and an offset
// (green) for the surface's reflectance at normal incidence.
@group(0) @binding(8) var reflectanceTexture: texture_2d<f32>;
const REFLECTANCE_SIZE = 64.0;
@group(0) @binding(9) var<uniform> irradiance: Irradiance;

fn environmentLight(
  normal: vec3f, toViewer: vec3f, baseColor: vec3f, metallic: f32, roughness: f32, occlusion: f32
) -> vec3f {
  let nDotV = clamp(dot(normal, toViewer), 0.0, 1.0);
  let scaleAndOffset = tabledReflectance(nDotV, roughness);
  let radiance = environmentRadiance(mirrorNormal(normal, toViewer, roughness), toViewer, roughness)
    * visibleReflection(nDotV, roughness);
  let diffuse = diffuseLight(normal) * visibleAmbient(baseColor);
  var below = diffuse * baseColor;
  if HAS_INTERIOR {
    below = interiorEnvironment(below, normal, toViewer, baseColor, roughness);
  }
  // Reflected share of the metal (rgb), and of a dielectric with an index of refraction of 1.5 (a).
  let share = environmentReflectance(
    vec4f(baseColor, DIELECTRIC_REFLECTANCE), 1.0, nDotV, roughness, scaleAndOffset
  );
  var dielectric = mix(below, radiance, share.a);
  if VARIES_REFLECTANCE {
    let varied = environmentReflectance(
      vec4f(dielectricReflectance, 0.0), dielectricWeight, nDotV, roughness, scaleAndOffset
    );
    dielectric = mix(below, radiance, varied.rgb);
  }
  return throughFilm(mix(dielectric, share.rgb * radiance, metallic), radiance, diffuse * PI) * occlusion;
}

// Returns the environment's light that a rough mirror reflects to the viewer.
fn environmentRadiance(normal: vec3f, toViewer: vec3f, roughness: f32) -> vec3f {
  return radianceFrom(reflect(-toViewer, normal), roughness);
}

// Returns the environment's light from a direction, averaged over a lobe of this roughness.
fn radianceFrom(direction: vec3f, roughness: f32) -> vec3f {
  let level = roughness * (environment.levelCount - 1.0);
  let rotated = toEnvironment(direction);
  return textureSampleLevel(environmentTexture, environmentSampler, rotated, level).rgb * environment.intensity;
}

// Returns the light that a white matte surface reflects: light of the environment, and ambient light from above and
// below.
fn diffuseLight(normal: vec3f) -> vec3f {
  let fromAbove = normal.y * 0.5 + 0.5;
  let ambient = mix(environment.ambientGround, environment.ambientSky, fromAbove);
  let direction = toEnvironment(normal);
  let sun = irradiance.sunLight * max(dot(direction, irradiance.toSun), 0.0);
  return (max(harmonics(direction), vec3f(0.0)) + sun) * environment.intensity + ambient;
}

// Returns the environment's light that the fibres of a fabric reflect. Directions are weighted by their angle to the
// mirrored direction. If x is the cosine of that angle and p = 1 / (2 α), the weight is (1 − x)^p x. This is the
// distribution of Estevez and Kulla, seen along the normal. The light comes from the spherical harmonics, because the
// lobe is wide.
fn fibreRadiance(normal: vec3f, toViewer: vec3f, roughness: f32) -> vec3f {
  let mirrored = reflect(-toViewer, normal);
  let p = 0.5 / (roughness * roughness);
  // The lobe's harmonics of degree 1 and 2. The sum divides them by the harmonics of the cosine, which the coefficients
  // contain.
  let first = 2.0 / (p + 3.0);
  let second = 9.0 / ((p + 4.0) * (p + 3.0)) - 0.5;
  let n = toEnvironment(mirrored);
  let around = irradiance.coefficients[0].rgb * 0.282095
    + linearHarmonics(n) * (first * 1.5)
    + squareHarmonics(n) * (second * 4.0);
  let x = saturate(dot(n, irradiance.toSun));
  let sun = irradiance.sunLight * (0.5 * (p + 1.0) * (p + 2.0) * pow(max(1.0 - x, 0.0), p) * x);
  let ambient = mix(environment.ambientGround, environment.ambientSky, mirrored.y * 0.5 + 0.5);
  return (max(around, vec3f(0.0)) + sun) * environment.intensity + ambient;
}

// Interpolates between the centres of four texels, which is cheaper than a sampler for mip levels.
fn tabledReflectance(nDotV: f32, roughness: f32) -> vec2f {
  let place = clamp(vec2f(nDotV, roughness) * REFLECTANCE_SIZE - 0.5, vec2f(0.0), vec2f(REFLECTANCE_SIZE - 1.0));
  let corner = min(vec2u(place), vec2u(u32(REFLECTANCE_SIZE) - 2u));
  let share = place - vec2f(corner);
  let low = mix(reflectanceAt(corner), reflectanceAt(corner + vec2u(1u, 0u)), share.x);
  let high = mix(reflectanceAt(corner + vec2u(0u, 1u)), reflectanceAt(corner + vec2u(1u, 1u)), share.x);
  return mix(low, high, share.y);
}

fn reflectanceAt(texel: vec2u) -> vec2f {
  return textureLoad(reflectanceTexture, texel, 0).rg;
}

// Returns the share of the environment's light that a surface reflects, including light that microfacets scatter
// several times. `weight` is a factor on the reflectance of each bounce.
fn environmentReflectance(
  reflectance: vec4f, weight: f32, nDotV: f32, roughness: f32, scaleAndOffset: vec2f
) -> vec4f {
  let grazing = max(vec4f(1.0 - roughness), reflectance) - reflectance;
  let single = ((reflectance + grazing * fifthPower(1.0 - nDotV)) * scaleAndOffset.x + scaleAndOffset.y) * weight;
  let lost = 1.0 - (scaleAndOffset.x + scaleAndOffset.y);
  let average = (reflectance + (1.0 - reflectance) / 21.0) * weight;
  return single + lost * single * average / (1.0 - average * lost);
}

// Rotates a direction into the environment, which is turned around the Y axis.
fn toEnvironment(direction: vec3f) -> vec3f {
  let cosine = environment.rotation.x;
  let sine = environment.rotation.y;
  return vec3f(
    cosine * direction.x - sine * direction.z, direction.y, sine * direction.x + cosine * direction.z
  );
}

fn harmonics(n: vec3f) -> vec3f {
  return irradiance.coefficients[0].rgb * 0.282095 + linearHarmonics(n) + squareHarmonics(n);
}

// The harmonics of degree 1.
fn linearHarmonics(n: vec3f) -> vec3f {
  return irradiance.coefficients[1].rgb * (0.488603 * n.y)
    + irradiance.coefficients[2].rgb * (0.488603 * n.z)
    + irradiance.coefficients[3].rgb * (0.488603 * n.x);
}

// The harmonics of degree 2.
fn squareHarmonics(n: vec3f) -> vec3f {
  return irradiance.coefficients[4].rgb * (1.092548 * n.x * n.y)
    + irradiance.coefficients[5].rgb * (1.092548 * n.y * n.z)
    + irradiance.coefficients[6].rgb * (0.315392 * (3.0 * n.z * n.z - 1.0))
    + irradiance.coefficients[7].rgb * (1.092548 * n.x * n.z)
    + irradiance.coefficients[8].rgb * (0.546274 * (n.x * n.x - n.y * n.y));
}

// The environment behind the scene: one triangle over the whole target, at the far end of depth.
struct Sky {
  @builtin(position) clipPosition: vec4f,
  @location(0) ndc: vec2f,
}

@vertex
fn placeSky(@builtin(vertex_index) index: u32) -> Sky {
  let corner = vec2f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
  return Sky(vec4f(corner, 0.0, 1.0), corner);
}

@fragment
fn shadeSky(input: Sky) -> @location(0) vec4f {
  return displayColor(skyColor(input.ndc));
}

@fragment
fn shadeSkyInLayers(input: Sky) -> Layers {
  return Layers(skyColor(input.ndc), vec4f(0.0));
}

fn skyColor(ndc: vec2f) -> vec4f {
  let direction = directionAt(ndc);
  let level = environment.backgroundBlur * (environment.levelCount - 1.0);
  let color = textureSampleLevel(environmentTexture, environmentSampler, toEnvironment(direction), level).rgb;
  let sky = vec4f(min(color * environment.intensity, vec3f(BRIGHTEST)), 1.0);
  return foggedFrom(sky, view.cameraPosition + sidewaysAt(ndc) * f32(view.isOrthographic), direction);
}
