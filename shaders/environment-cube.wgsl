// Faces of an environment's cube texture, from an image or computed, and its mip levels (src/render/environment/). One
// triangle covers a face. Each pass has a uniform `face`.

struct Face {
  // 0 to 5: +X −X +Y −Y +Z −Z
  index: u32,
  // Width and height of the drawn face, in texels.
  size: f32,
  roughness: f32,
  // Width and height of a face of the source cube, in texels.
  sourceSize: f32,
  // Direction to the sun, unit length, for the sky.
  toSun: vec3f,
  // Number of sampled directions.
  samples: u32,
  // Quaternion that rotates a direction into the source cube.
  rotation: vec4f,
  // For an atmosphere: colour of the ground (rgb), and turbidity (a).
  air: vec4f,
}

@group(0) @binding(0) var<uniform> face: Face;
@group(0) @binding(1) var sourceSampler: sampler;

struct Corner {
  @builtin(position) clipPosition: vec4f,
  // −1 to 1, rightwards and downwards, like the rows of a face.
  @location(0) position: vec2f,
}

@vertex
fn coverFace(@builtin(vertex_index) index: u32) -> Corner {
  let corner = cornerOfFace(index);
  return Corner(vec4f(corner, 0.0, 1.0), vec2f(corner.x, -corner.y));
}

// Returns a corner of the triangle in clip space.
fn cornerOfFace(index: u32) -> vec2f {
  return vec2f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
}

fn directionAt(p: vec2f) -> vec3f {
  return directionOf(face.index, p);
}
