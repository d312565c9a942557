// Vertices of mesh.wgsl that joints or morph targets move. Joined to mesh.wgsl, with morphs.wgsl and skins.wgsl, for
// primitives with joints or morph targets.

// Bit of `Varying.flags`: the triangle has one normal for all corners. The loader gives such normals a length of a
// million, which distinguishes them from normals of files, even badly scaled ones.
const IS_FLAT = 0x80000000u;
const FLAT_NORMAL_SQUARED = 1.0e9;

@vertex
fn placeBentVertex(
  vertex: Vertex, bend: Bend, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32
) -> Varying {
  let slot = instances[instance];
  return withFlatness(vertex, placeByJoints(morphed(vertex, slot, index), bend, slot));
}

@vertex
fn placeMorphedVertex(
  vertex: Vertex, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32
) -> Varying {
  let slot = instances[instance];
  return withFlatness(vertex, placeByNode(morphed(vertex, slot, index), slot));
}

fn withFlatness(vertex: Vertex, placed: Varying) -> Varying {
  var out = placed;
  if dot(vertex.normal, vertex.normal) > FLAT_NORMAL_SQUARED {
    out.flags |= IS_FLAT;
  }
  return out;
}

// Returns the normal of the vertices, or the normal of a flat triangle at its current corners. Joints and targets move
// each corner separately, so the triangle's normal at rest is wrong. Called in uniform control flow.
fn normalOf(input: Varying, isFrontFacing: bool) -> vec3f {
  // Rows of pixels go down, so the product points to the viewer.
  let towardsViewer = normalizeOrZero(cross(dpdy(input.position), dpdx(input.position)));
  let flatNormal = select(-towardsViewer, towardsViewer, isFrontFacing);
  return select(normalize(input.normal), flatNormal, (input.flags & IS_FLAT) != 0u);
}

fn morphed(vertex: Vertex, slot: u32, index: u32) -> Vertex {
  let delta = morphDelta(slot, index);
  var out = vertex;
  out.position += delta.position;
  out.normal += delta.normal;
  out.tangent += vec4f(delta.tangent, 0.0);
  return out;
}

fn placeByJoints(vertex: Vertex, bend: Bend, slot: u32) -> Varying {
  if primitives[slot].palette == NO_PALETTE {
    return placeByNode(vertex, slot);
  }
  let row0 = bentRow(slot, bend, 0u);
  let row1 = bentRow(slot, bend, 1u);
  let row2 = bentRow(slot, bend, 2u);
  let isMirrored = dot(row0.xyz, cross(row1.xyz, row2.xyz)) < 0.0;
  let placed = placeByRows(vertex, slot, row0, row1, row2, select(1.0, -1.0, isMirrored));
  if IS_MOVED {
    return movedInObject(vertex, placed, slot);
  }
  return placed;
}

// Lets the material move a vertex that joints have placed in the world. The material works in the object's space,
// which is the space of the primitive's node.
fn movedInObject(vertex: Vertex, placed: Varying, slot: u32) -> Varying {
  let row0 = primitives[slot].worldFromLocal[0];
  let row1 = primitives[slot].worldFromLocal[1];
  let row2 = primitives[slot].worldFromLocal[2];
  // Products of tiny or huge scales exceed the range of floats, so the largest component is scaled to 1 first.
  let scale = largest(max(max(abs(row0.xyz), abs(row1.xyz)), abs(row2.xyz)));
  let across0 = row0.xyz / scale;
  let across1 = row1.xyz / scale;
  let across2 = row2.xyz / scale;
  let determinant = dot(across0, cross(across1, across2));
  // A node of zero scale has no inverse.
  if determinant == 0.0 {
    return placed;
  }
  let offset = (placed.position - vec3f(row0.w, row1.w, row2.w)) / (scale * determinant);
  var out = vertex;
  out.position = cross(across1, across2) * offset.x + cross(across2, across0) * offset.y + cross(across0, across1) * offset.z;
  out.normal = across0 * placed.normal.x + across1 * placed.normal.y + across2 * placed.normal.z;
  return placeByRows(movedVertex(out, slot), slot, row0, row1, row2, sign(determinant));
}
