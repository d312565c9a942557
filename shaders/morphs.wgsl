// Morph targets (src/render/deformers/). Joined to the shaders of meshes and of shadow maps, whose group 0 holds the
// buffers.
//
//   morphs       per primitive: target count, first delta, first vertex, vertex count, floats per delta, and then the
//                targets' weights
//   morphDeltas  per target and vertex: position xyz, normal xyz, and where the mesh has tangents, tangent xyz

@group(0) @binding(14) var<storage, read> morphs: array<u32>;
@group(0) @binding(15) var<storage, read> morphDeltas: array<f32>;

struct MorphDelta {
  position: vec3f,
  normal: vec3f,
  tangent: vec3f,
}

// Returns the offset of a vertex by the targets of its primitive and their weights. `index` is the index of the vertex
// in its buffer.
fn morphDelta(slot: u32, index: u32) -> MorphDelta {
  var sum = MorphDelta(vec3f(0.0), vec3f(0.0), vec3f(0.0));
  let morph = primitives[slot].morph;
  // Primitives without targets use the first record, whose count is 0.
  let count = morphs[morph];
  let vertexCount = morphs[morph + 3u];
  let size = morphs[morph + 4u];
  let vertex = morphs[morph + 1u] + (index - morphs[morph + 2u]) * size;
  for (var number = 0u; number < count; number++) {
    let weight = bitcast<f32>(morphs[morph + 5u + number]);
    if weight == 0.0 {
      continue;
    }
    let at = vertex + number * vertexCount * size;
    sum.position += weight * deltaAt(at);
    sum.normal += weight * deltaAt(at + 3u);
    if size == 9u {
      sum.tangent += weight * deltaAt(at + 6u);
    }
  }
  return sum;
}

fn deltaAt(at: u32) -> vec3f {
  return vec3f(morphDeltas[at], morphDeltas[at + 1u], morphDeltas[at + 2u]);
}
