// Definition of an environment's sun. Joined to environment-sun.wgsl, which finds the sun, and to
// environment-filter.wgsl, which removes it from the cube. Both use the structure Irradiance, which is generated
// (src/render/buffers/gpu-layouts.ts).

// Cosine of two degrees: a cone around the brightest texel, wider than the sun and its blurred edges.
const SUN_CONE = 0.9994;

fn luminanceOf(radiance: vec3f) -> f32 {
  return dot(radiance, vec3f(0.2126, 0.7152, 0.0722));
}

// Returns the part of the radiance above a threshold of luminance.
fn aboveThreshold(radiance: vec3f, threshold: f32) -> vec3f {
  return radiance * (1.0 - threshold / max(luminanceOf(radiance), threshold));
}
