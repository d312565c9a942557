// Vertices of mesh.wgsl that go with joints; joined to it and skins.wgsl for primitives that have a skin.

@group(0) @binding(13) var<storage, read> palettes: array<vec4f>;

@vertex
fn placeBentVertex(vertex: Vertex, bend: Bend, @builtin(instance_index) instance: u32) -> Varying {
  return placeByJoints(vertex, bend, instances[instance]);
}

fn placeByJoints(vertex: Vertex, bend: Bend, slot: u32) -> Varying {
  let row0 = bentRow(slot, bend, 0u);
  let row1 = bentRow(slot, bend, 1u);
  let row2 = bentRow(slot, bend, 2u);
  let isMirrored = dot(row0.xyz, cross(row1.xyz, row2.xyz)) < 0.0;
  return placeByRows(vertex, slot, row0, row1, row2, select(1.0, -1.0, isMirrored));
}
