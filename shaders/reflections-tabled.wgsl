// Returns the share of light from the mirrored direction that a surface reflects, as environment.wgsl has it.
fn reflectedShare(baseColor: vec3f, metallic: f32, nDotV: f32, roughness: f32) -> vec3f {
  let share = environmentReflectance(
    vec4f(baseColor, DIELECTRIC_REFLECTANCE), 1.0, nDotV, roughness, tabledReflectance(nDotV, roughness)
  );
  return mix(vec3f(share.a), share.rgb, metallic);
}
