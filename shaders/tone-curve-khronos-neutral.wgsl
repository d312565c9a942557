// Khronos PBR Neutral: keeps the colours of products, and compresses only highlights.
fn toneCurve(input: vec3f) -> vec3f {
  const startCompression = 0.8 - 0.04;
  const desaturation = 0.15;
  let darkest = min(input.r, min(input.g, input.b));
  let offset = select(0.04, darkest - 6.25 * darkest * darkest, darkest < 0.08);
  let color = input - offset;
  let peak = max(color.r, max(color.g, color.b));
  if peak < startCompression {
    return color;
  }
  const range = 1.0 - startCompression;
  let newPeak = 1.0 - range * range / (peak + range - startCompression);
  let whiteness = 1.0 - 1.0 / (desaturation * (peak - newPeak) + 1.0);
  return mix(color * (newPeak / peak), vec3f(newPeak), whiteness);
}
