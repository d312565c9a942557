// One triangle covers the target. Joined to shaders whose fragments find their place by `@builtin(position)`.
@vertex
fn coverTarget(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
  let corner = vec2f(f32((vertex << 1u) & 2u), f32(vertex & 2u));
  return vec4f(corner * 2.0 - 1.0, 0.0, 1.0);
}
