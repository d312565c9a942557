// From 0 where the surface faces the camera to 1 where it is seen from the side. `power` narrows the rim; 5 is the
// exponent of C. Schlick, "An Inexpensive BRDF Model for Physically-based Rendering", 1994.

fn fresnel(normal: vec3f, toCamera: vec3f, power: f32) -> f32 {
  return pow(saturate(1.0 - abs(dot(normal, toCamera))), power);
}
