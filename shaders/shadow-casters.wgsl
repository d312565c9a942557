// Depth of shadow casters, as a light sees them (src/render/shadows/). Joined to the structures View, Primitive and
// Material, and to the functions `textureAlpha` and `isFadedOut`.

// Whether the material has cut-outs. Fading primitives discard pixels regardless.
override isMasked = false;

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> primitives: array<Primitive>;
@group(0) @binding(2) var<storage, read> instances: array<u32>;
@group(0) @binding(3) var<storage, read> materials: array<Material>;

@vertex
fn placeCaster(@location(0) position: vec3f, @builtin(instance_index) instance: u32) -> @builtin(position) vec4f {
  return place(instances[instance], position);
}

struct Masked {
  @builtin(position) clipPosition: vec4f,
  @location(0) uv: vec4f,
  @location(1) alpha: f32,
  @location(2) @interpolate(flat) slot: u32,
}

@vertex
fn placeMasked(
  @location(0) position: vec3f,
  @location(2) uv0: vec2f,
  @location(4) uv1: vec2f,
  @location(5) color: vec4f,
  @builtin(instance_index) instance: u32
) -> Masked {
  let slot = instances[instance];
  var alpha = color.a;
  if (primitives[slot].flags & PRIMITIVE_COLORED) != 0u {
    alpha *= unpack2x16float(primitives[slot].morph).y;
  }
  return Masked(place(slot, position), vec4f(uv0, uv1), alpha, slot);
}

@fragment
fn cutOut(input: Masked) {
  let material = primitives[input.slot].materialSlot;
  let alpha = input.alpha * materials[material].baseColor.a * textureAlpha(material, input.uv);
  if (isMasked && alpha < materials[material].alphaCutoff)
    || isFadedOut(primitives[input.slot].flags, input.clipPosition.xy) {
    discard;
  }
}

fn place(slot: u32, position: vec3f) -> vec4f {
  let local = vec4f(position, 1.0);
  let world = vec3f(
    dot(primitives[slot].worldFromLocal[0], local),
    dot(primitives[slot].worldFromLocal[1], local),
    dot(primitives[slot].worldFromLocal[2], local)
  );
  return view.clipFromWorld * vec4f(world, 1.0);
}

// One triangle over the whole viewport, at the far end of depth.
@vertex
fn coverMap(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
