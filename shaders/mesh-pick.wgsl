// Identifies the surface in a pixel, for picking (src/render/picking/). Joined to mesh.wgsl.

struct Picked {
  @builtin(position) clipPosition: vec4f,
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
  @location(2) uv: vec4f,
  @location(3) color: vec4f,
  @location(4) @interpolate(flat) materialSlot: u32,
  @location(5) @interpolate(flat) slot: u32,
  @location(6) @interpolate(flat) flags: u32,
}

fn picked(placed: Varying, slot: u32) -> Picked {
  return Picked(
    placed.clipPosition, placed.position, placed.normal, placed.uv, placed.color, placed.materialSlot, slot, placed.flags
  );
}

@vertex
fn placePicked(vertex: Vertex, @builtin(instance_index) instance: u32) -> Picked {
  let slot = instances[instance];
  return picked(placeByNode(vertex, slot), slot);
}

struct Answer {
  // Primitive + 1, metres from the camera (along its direction if it is orthographic), texture coordinates.
  @location(0) place: vec4f,
  // Normal in world space, towards the viewer.
  @location(1) normal: vec4f,
}

@fragment
fn identify(input: Picked, @builtin(front_facing) isFrontFacing: bool) -> Answer {
  let seen = Varying(
    input.clipPosition, input.position, input.normal, vec4f(0.0), input.uv, input.color, input.materialSlot, input.flags
  );
  // Lines, points and billboards have no normals. They count as seen from the front.
  let hasNormal = dot(input.normal, input.normal) > 0.0;
  let turned = normalOf(seen, isFrontFacing) * select(-1.0, 1.0, isFrontFacing);
  let normal = select(-view.cameraForward, turned, hasNormal);
  // Discards the pixel where the material is cut out.
  _ = appearanceOf(seen, isFrontFacing);
  let offset = input.position - view.cameraPosition;
  let distance = select(length(offset), dot(offset, view.cameraForward), view.isOrthographic != 0u);
  return Answer(vec4f(f32(input.slot) + 1.0, distance, input.uv.xy), vec4f(normal, 0.0));
}
