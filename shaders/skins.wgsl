// Matrices of joints (src/render/deformers/). Joined to mesh.wgsl and to shadow-casters.wgsl, whose group 0 holds the
// palettes. A palette has 3 rows of a matrix for each joint. The matrix transforms the bind pose to the world, relative
// to the render origin.

@group(0) @binding(13) var<storage, read> palettes: array<vec4f>;

// The palette of primitives without joints.
const NO_PALETTE = 0xffffffffu;

struct Bend {
  @location(6) joints: vec4u,
  @location(7) weights: vec4f,
}

// Returns a row of a vertex's matrix, which is the weighted mean of the rows of the vertex's joints.
fn bentRow(slot: u32, bend: Bend, row: u32) -> vec4f {
  let place = (bend.joints + primitives[slot].palette) * 3u + row;
  return palettes[place.x] * bend.weights.x + palettes[place.y] * bend.weights.y
    + palettes[place.z] * bend.weights.z + palettes[place.w] * bend.weights.w;
}
