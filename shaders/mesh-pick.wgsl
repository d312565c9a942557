// Identifies the surface in a pixel, for picking (src/render/picking/). Joined to mesh.wgsl.

// No material reads the object's scale in a pick, so `scale` holds the primitive's slot.
fn picked(placed: Varying, slot: u32) -> Varying {
  var out = placed;
  out.scale = f32(slot);
  return out;
}

@vertex
fn placePicked(vertex: Vertex, @builtin(instance_index) instance: u32) -> Varying {
  let slot = instances[instance];
  return picked(placeByNode(vertex, slot), slot);
}

struct Answer {
  // Slot of the primitive + 1, distance from the camera in metres (orthographic: along the direction of view), uv0.
  @location(0) place: vec4f,
  // Normal in world space, towards the viewer.
  @location(1) normal: vec4f,
}

@fragment
fn identify(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> Answer {
  // Lines, points and billboards have no normals. They count as seen from the front.
  let hasNormal = dot(input.normal, input.normal) > 0.0;
  let turned = normalOf(input, isFrontFacing) * select(-1.0, 1.0, isFrontFacing);
  let normal = select(-view.cameraForward, turned, hasNormal);
  // Discards the pixel where the material is cut out.
  _ = appearanceOf(input, isFrontFacing);
  let offset = input.position - view.cameraPosition;
  let distance = select(length(offset), dot(offset, view.cameraForward), view.isOrthographic != 0u);
  return Answer(vec4f(input.scale + 1.0, distance, input.uv.xy), vec4f(normal, 0.0));
}
