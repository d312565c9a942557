// Returns the direction of a point on a face of a cube texture; WebGPU's order is +X −X +Y −Y +Z −Z. `p` is −1 to 1,
// rightwards and downwards. The direction does not have unit length.
fn directionOf(layer: u32, p: vec2f) -> vec3f {
  switch layer {
    case 0u: { return vec3f(1.0, -p.y, -p.x); }
    case 1u: { return vec3f(-1.0, -p.y, p.x); }
    case 2u: { return vec3f(p.x, 1.0, p.y); }
    case 3u: { return vec3f(p.x, -1.0, -p.y); }
    case 4u: { return vec3f(p.x, -p.y, 1.0); }
    default: { return vec3f(-p.x, -p.y, -1.0); }
  }
}
