// Vertices of shadow-casters.wgsl that joints or morph targets move. Joined to shadow-casters.wgsl, with morphs.wgsl
// and skins.wgsl, for primitives with joints or morph targets.

@vertex
fn placeBentCaster(
  @location(0) position: vec3f,
  bend: Bend,
  @builtin(vertex_index) index: u32,
  @builtin(instance_index) instance: u32
) -> @builtin(position) vec4f {
  let slot = instances[instance];
  return placeBent(slot, bend, morphedPosition(slot, position, index));
}

@vertex
fn placeMorphedCaster(
  @location(0) position: vec3f, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32
) -> @builtin(position) vec4f {
  let slot = instances[instance];
  return place(slot, morphedPosition(slot, position, index));
}

@vertex
fn placeBentMasked(
  @location(0) position: vec3f,
  @location(2) uv0: vec2f,
  @location(4) uv1: vec2f,
  @location(5) color: vec4f,
  bend: Bend,
  @builtin(vertex_index) index: u32,
  @builtin(instance_index) instance: u32
) -> Masked {
  let slot = instances[instance];
  let placed = placeBent(slot, bend, morphedPosition(slot, position, index));
  return Masked(placed, vec4f(uv0, uv1), color.a, slot);
}

@vertex
fn placeMorphedMasked(
  @location(0) position: vec3f,
  @location(2) uv0: vec2f,
  @location(4) uv1: vec2f,
  @location(5) color: vec4f,
  @builtin(vertex_index) index: u32,
  @builtin(instance_index) instance: u32
) -> Masked {
  let slot = instances[instance];
  let placed = place(slot, morphedPosition(slot, position, index));
  return Masked(placed, vec4f(uv0, uv1), color.a, slot);
}

fn morphedPosition(slot: u32, position: vec3f, index: u32) -> vec3f {
  return position + morphDelta(slot, index).position;
}

fn placeBent(slot: u32, bend: Bend, position: vec3f) -> vec4f {
  if primitives[slot].palette == NO_PALETTE {
    return place(slot, position);
  }
  let local = vec4f(position, 1.0);
  let world = vec3f(
    dot(bentRow(slot, bend, 0u), local), dot(bentRow(slot, bend, 1u), local), dot(bentRow(slot, bend, 2u), local)
  );
  return view.clipFromWorld * vec4f(world, 1.0);
}
