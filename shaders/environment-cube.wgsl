// Faces of an environment's cube texture, from an image or computed, and its mip levels (src/render/environment/). One
// triangle covers a face; `face` and the like come with each pass.

struct Face {
  // 0 to 5: +X −X +Y −Y +Z −Z
  index: u32,
  // Texels each way of the face that is drawn.
  size: f32,
  roughness: f32,
  // Texels each way of the cube that is read.
  sourceSize: f32,
  // Where the sun is, unit length: for the sky.
  toSun: vec3f,
  // Directions that are averaged over.
  samples: u32,
  // Quaternion: from a direction to where the cube that is read holds what comes from there.
  rotation: vec4f,
}

@group(0) @binding(0) var<uniform> face: Face;
@group(0) @binding(1) var sourceSampler: sampler;

struct Corner {
  @builtin(position) clipPosition: vec4f,
  // −1 to 1, rightwards and downwards, as the rows of a face lie.
  @location(0) position: vec2f,
}

@vertex
fn coverFace(@builtin(vertex_index) index: u32) -> Corner {
  let corner = vec2f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
  return Corner(vec4f(corner, 0.0, 1.0), vec2f(corner.x, -corner.y));
}

fn directionAt(p: vec2f) -> vec3f {
  return directionOf(face.index, p);
}
