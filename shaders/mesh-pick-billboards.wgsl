// Vertices of mesh-pick.wgsl that face the camera. Joined to mesh-pick.wgsl and mesh-billboards.wgsl.

@vertex
fn placeBillboardPicked(vertex: Vertex, @builtin(instance_index) instance: u32) -> Varying {
  let slot = instances[instance];
  return picked(placeBillboard(vertex, slot), slot);
}
