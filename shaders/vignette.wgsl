// Vignette: mixes light with a colour, more towards the corners of the view. The structure Vignette is generated; see
// src/render/effects/vignette.ts.

// Returns the mixed light. `point` is a position in shares of the view's width and height, from the top left.
fn vignette(light: vec3f, point: vec2f, options: Vignette) -> vec3f {
  let offset = 2.0 * point - 1.0;
  // 0 in the middle, 1 at the corners.
  let distance = sqrt(0.5 * dot(offset, offset));
  let progress = clamp((distance - options.radius) * options.slope, 0.0, 1.0);
  let darkness = options.amount * progress * progress * (3.0 - 2.0 * progress);
  return mix(light, options.color, darkness);
}
