// Vertices of mesh-pick.wgsl that go with joints; joined to it, skins.wgsl and mesh-skins.wgsl.

@vertex
fn placeBentPicked(vertex: Vertex, bend: Bend, @builtin(instance_index) instance: u32) -> Picked {
  let slot = instances[instance];
  return picked(placeByJoints(vertex, bend, slot), slot);
}
