// Vertices of shadow-casters.wgsl that go with joints; joined to it and skins.wgsl for primitives that have a skin.

@group(0) @binding(4) var<storage, read> palettes: array<vec4f>;

@vertex
fn placeBentCaster(
  @location(0) position: vec3f, bend: Bend, @builtin(instance_index) instance: u32
) -> @builtin(position) vec4f {
  return placeBent(instances[instance], bend, position);
}

@vertex
fn placeBentMasked(
  @location(0) position: vec3f,
  @location(2) uv0: vec2f,
  @location(4) uv1: vec2f,
  @location(5) color: vec4f,
  bend: Bend,
  @builtin(instance_index) instance: u32
) -> Masked {
  let slot = instances[instance];
  return Masked(placeBent(slot, bend, position), vec4f(uv0, uv1), color.a, primitives[slot].materialSlot);
}

fn placeBent(slot: u32, bend: Bend, position: vec3f) -> vec4f {
  let local = vec4f(position, 1.0);
  let world = vec3f(
    dot(bentRow(slot, bend, 0u), local), dot(bentRow(slot, bend, 1u), local), dot(bentRow(slot, bend, 2u), local)
  );
  return view.clipFromWorld * vec4f(world, 1.0);
}
