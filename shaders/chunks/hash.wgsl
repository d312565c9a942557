// Hashes of integers, and random numbers from them. The hash is PCG (M. Jarzynski, M. Olano, "Hash Functions for GPU
// Rendering", JCGT 9(3), 2020). Integers wrap alike on all adapters, so results don't depend on the adapter.

fn hash1(value: u32) -> u32 {
  let state = value * 747796405u + 2891336453u;
  let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}

fn hash2(value: vec2u) -> u32 {
  return hash1(hash1(value.x) + value.y);
}

fn hash3(value: vec3u) -> u32 {
  return hash1(hash1(hash1(value.x) + value.y) + value.z);
}

// From 0 to below 1, in steps of 2⁻²⁴.
fn unitFloat(bits: u32) -> f32 {
  return f32(bits >> 8u) / 16777216.0;
}

// From 0 to below 1. Equal seeds give equal numbers.
fn random1(seed: f32) -> f32 {
  return unitFloat(hash1(bitcast<u32>(seed)));
}

fn random2(seed: vec2f) -> f32 {
  return unitFloat(hash2(bitcast<vec2u>(seed)));
}

fn random3(seed: vec3f) -> f32 {
  return unitFloat(hash3(bitcast<vec3u>(seed)));
}
