// Returns the share of light from the mirrored direction that a surface reflects. A scene without an environment has no
// table, so the share is the approximation of B. Karis, "Physically Based Shading on Mobile", 2014.
fn reflectedShare(baseColor: vec3f, metallic: f32, nDotV: f32, roughness: f32) -> vec3f {
  let terms = roughness * vec4f(-1.0, -0.0275, -0.572, 0.022) + vec4f(1.0, 0.0425, 1.04, -0.04);
  let blended = min(terms.x * terms.x, exp2(-9.28 * nDotV)) * terms.x + terms.y;
  let scaleAndOffset = vec2f(-1.04, 1.04) * blended + terms.zw;
  return mix(vec3f(DIELECTRIC_REFLECTANCE), baseColor, metallic) * scaleAndOffset.x + scaleAndOffset.y;
}
