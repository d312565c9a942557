// A periodic gradient of colours, by cosines (I. Quilez, "Procedural Color Palette", 1999): from `base` − `amplitude`
// to `base` + `amplitude`. `share` usually runs from 0 to 1. `frequency` is in periods per share, `phase` in periods.

fn palette(share: f32, base: vec3f, amplitude: vec3f, frequency: vec3f, phase: vec3f) -> vec3f {
  return base + amplitude * cos(6.28318531 * (frequency * share + phase));
}
