// How surfaces are written down between being drawn and being lit (src/render/deferred/): 16 bits for each number, but for
// the base colour, whose square roots have 10 bits each.

// A unit vector, folded onto an octahedron and that onto a square.
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

// Even, so that the middle of an axis is exact.
const STEPS = 65534.0;

fn encodeShares(shares: vec2f) -> vec2u {
  return vec2u(round(clamp(shares, vec2f(0.0), vec2f(1.0)) * STEPS));
}

fn decodeShares(encoded: vec2u) -> vec2f {
  return vec2f(encoded) / STEPS;
}
