// Vertices of mesh-pick.wgsl that face the camera; joined to it and to mesh-facing.wgsl.

@vertex
fn placeFacingPicked(vertex: Vertex, @builtin(instance_index) instance: u32) -> Picked {
  let slot = instances[instance];
  return picked(placeFacing(vertex, slot), slot);
}
