// Tone-maps each surface when it is shaded, because scene colour holds display colours (the option hdr: false). Joined
// to mesh.wgsl, with toneCurve. The result is blended and averaged as sRGB.
fn displayColor(color: vec4f) -> vec4f {
  var light = color.rgb;
  if !isUnmapped {
    light = displayedLight(light);
  }
  let shown = clamp(light, vec3f(0.0), vec3f(1.0));
  let encoded = select(1.055 * pow(shown, vec3f(1.0 / 2.4)) - 0.055, shown * 12.92, shown <= vec3f(0.0031308));
  return vec4f(encoded, color.a);
}

// Returns the scene's light with exposure and tone mapping, still linear.
fn displayedLight(light: vec3f) -> vec3f {
  return toneCurve(max(light * view.exposure, vec3f(0.0)));
}
