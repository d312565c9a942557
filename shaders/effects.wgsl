// Effects on light in the last pass of a view, joined to tone-mapping.wgsl if the view has effects. `applyEffects` is
// generated and calls these effects in turn. They work in linear light, so display colours are decoded for them.

fn withEffects(premultiplied: vec3f, coverage: f32, point: vec2f) -> vec3f {
  let color = premultiplied / max(coverage, 1e-4);
  if !isDisplayed {
    return applyEffects(color, point) * coverage;
  }
  let encoded = clamp(color, vec3f(0.0), vec3f(1.0));
  let light = select(pow((encoded + 0.055) / 1.055, vec3f(2.4)), encoded / 12.92, encoded <= vec3f(0.04045));
  let changed = clamp(applyEffects(light, point), vec3f(0.0), vec3f(1.0));
  let shown = select(1.055 * pow(changed, vec3f(1.0 / 2.4)) - 0.055, changed * 12.92, changed <= vec3f(0.0031308));
  return shown * coverage;
}
