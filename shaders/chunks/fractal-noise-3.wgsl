// Sum of 1 to 16 octaves of gradientNoise3, from −1 to 1. Each octave has `lacunarity` times the frequency and `gain`
// times the amplitude of the one before. Usual values are 2 and 0.5.

fn fractalNoise3(point: vec3f, octaves: u32, lacunarity: f32, gain: f32) -> f32 {
  var place = point;
  var amplitude = 1.0;
  var sum = 0.0;
  var total = 0.0;
  for (var octave = 0u; octave < clamp(octaves, 1u, 16u); octave++) {
    sum += amplitude * gradientNoise3(place);
    total += abs(amplitude);
    amplitude *= gain;
    // The offset keeps integer positions of one octave from being integer positions of all others.
    place = place * lacunarity + vec3f(17.3, 9.1, 4.7);
  }
  return sum / max(total, 1e-9);
}
