// The matrices that joints move vertices by (src/render/deformers/). Joined to mesh.wgsl and to shadow-casters.wgsl, in whose
// group 0 the palettes are: 3 rows for each joint, from where it was bound to the world, relative to the render origin.

@group(0) @binding(13) var<storage, read> palettes: array<vec4f>;

// The palette of primitives that vertices' joints don't move.
const NO_PALETTE = 0xffffffffu;

struct Bend {
  @location(6) joints: vec4u,
  @location(7) weights: vec4f,
}

// One of the three rows of the matrix that a vertex goes by: the mean of its joints', by their weights.
fn bentRow(slot: u32, bend: Bend, row: u32) -> vec4f {
  let place = (bend.joints + primitives[slot].palette) * 3u + row;
  return palettes[place.x] * bend.weights.x + palettes[place.y] * bend.weights.y
    + palettes[place.z] * bend.weights.z + palettes[place.w] * bend.weights.w;
}
