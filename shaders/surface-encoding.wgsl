// The encoding of surfaces between drawing and lighting (src/render/deferred/). Numbers have 16 bits. Exceptions are
// the square roots of the base colour (10 bits each) and emitted light (5 bits per channel).

// Encodes a unit vector: projected onto an octahedron, which is unfolded into a square.
fn encodeDirection(direction: vec3f) -> vec2u {
  let folded = direction.xy / max(abs(direction.x) + abs(direction.y) + abs(direction.z), 1e-30);
  let flipped = (1.0 - abs(folded.yx)) * select(vec2f(-1.0), vec2f(1.0), folded >= vec2f(0.0));
  return encodeShares(select(folded, flipped, direction.z < 0.0) * 0.5 + 0.5);
}

fn decodeDirection(encoded: vec2u) -> vec3f {
  let folded = decodeShares(encoded) * 2.0 - 1.0;
  let z = 1.0 - abs(folded.x) - abs(folded.y);
  let flipped = (1.0 - abs(folded.yx)) * select(vec2f(-1.0), vec2f(1.0), folded >= vec2f(0.0));
  return normalize(vec3f(select(folded, flipped, z < 0.0), z));
}

// The number of steps is even, so that the middle of an axis is exact.
const STEPS = 65534.0;

fn encodeShares(shares: vec2f) -> vec2u {
  return vec2u(round(clamp(shares, vec2f(0.0), vec2f(1.0)) * STEPS));
}

fn decodeShares(encoded: vec2u) -> vec2f {
  return vec2f(encoded) / STEPS;
}

// Steps of emitted light per channel. The 16 bits hold 5 bits per channel, as shares of the greatest brightness, and
// whether shadows fall on the surface.
const EMISSION_STEPS = 31.0;

// Encodes emitted light, rounded up, so that emitted and reflected light together stay within the greatest brightness.
fn encodeEmission(share: vec3f, receivesShadow: bool) -> u32 {
  let steps = vec3u(ceil(clamp(share, vec3f(0.0), vec3f(1.0)) * EMISSION_STEPS));
  return steps.x | (steps.y << 5u) | (steps.z << 10u) | select(0u, 0x8000u, receivesShadow);
}

fn decodeEmission(encoded: u32) -> vec3f {
  return vec3f((vec3u(encoded) >> vec3u(0u, 5u, 10u)) & vec3u(31u)) / EMISSION_STEPS;
}

fn decodeReceivesShadow(encoded: u32) -> bool {
  return (encoded & 0x8000u) != 0u;
}
