// Tone mapping in each surface, for scene colour that holds display colours (the option hdr: false). Joined to
// mesh.wgsl, with toneCurve. The result is blended and averaged as sRGB.
fn displayColor(color: vec4f) -> vec4f {
  var light = color.rgb;
  if !isUnmapped {
    light = toneCurve(max(light * view.exposure, vec3f(0.0)));
  }
  let shown = clamp(light, vec3f(0.0), vec3f(1.0));
  let encoded = select(1.055 * pow(shown, vec3f(1.0 / 2.4)) - 0.055, shown * 12.92, shown <= vec3f(0.0031308));
  return vec4f(encoded, color.a);
}
