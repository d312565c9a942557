// Selects the pixels that a primitive omits while two levels of detail fade into each other (src/render/lods/). Joined
// to the shaders with entry points for fading, and to those of shadow casters (src/render/materials/fading.ts).

// Returns whether a pixel is omitted. The finer level draws the pixels whose noise is below the share in `flags`, and
// the coarser level draws the other pixels. Together the levels cover all pixels. The noise is interleaved gradient
// noise (Jimenez 2014), which spreads evenly over any square of 3 × 3 pixels.
fn isFadedOut(flags: u32, pixel: vec2f) -> bool {
  let share = f32((flags >> FADE_SHIFT) & 255u) / 255.0;
  let noise = fract(52.9829189 * fract(dot(floor(pixel), vec2f(0.06711056, 0.00583715))));
  return (noise < share) == ((flags & PRIMITIVE_IS_COARSER) != 0u);
}
