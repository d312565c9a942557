// Sum of 1 to 16 octaves of gradientNoise2, from −1 to 1. Each octave has `lacunarity` times the frequency and `gain`
// times the amplitude of the one before. Usual values are 2 and 0.5.

fn fractalNoise2(point: vec2f, octaves: u32, lacunarity: f32, gain: f32) -> f32 {
  var place = point;
  var amplitude = 1.0;
  var sum = 0.0;
  var total = 0.0;
  for (var octave = 0u; octave < clamp(octaves, 1u, 16u); octave++) {
    sum += amplitude * gradientNoise2(place);
    total += abs(amplitude);
    amplitude *= gain;
    // The offset keeps integer positions of one octave from being integer positions of all others.
    place = place * lacunarity + vec2f(17.3, 9.1);
  }
  return sum / max(total, 1e-9);
}
