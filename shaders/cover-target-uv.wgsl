// One triangle covers the target. Joined to shaders whose fragments find their place by coordinates from 0 to 1, from
// the top left.
struct Covering {
  @builtin(position) position: vec4f,
  @location(0) uv: vec2f,
}

@vertex
fn coverTarget(@builtin(vertex_index) vertex: u32) -> Covering {
  let corner = vec2f(f32((vertex << 1u) & 2u), f32(vertex & 2u));
  return Covering(vec4f(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 0.0, 1.0), corner);
}
