// Vertices of mesh-pick.wgsl that joints or morph targets move. Joined to mesh-pick.wgsl and mesh-deformed.wgsl.

@vertex
fn placeBentPicked(
  vertex: Vertex, bend: Bend, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32
) -> Varying {
  let slot = instances[instance];
  return picked(withFlatness(vertex, placeByJoints(morphed(vertex, slot, index), bend, slot)), slot);
}

@vertex
fn placeMorphedPicked(
  vertex: Vertex, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32
) -> Varying {
  let slot = instances[instance];
  return picked(withFlatness(vertex, placeByNode(morphed(vertex, slot, index), slot)), slot);
}
