// Rotations by an angle in radians, counter-clockwise: in the plane, and about an axis of unit length (Rodrigues).

fn rotate2(vector: vec2f, radians: f32) -> vec2f {
  let cosine = cos(radians);
  let sine = sin(radians);
  return vec2f(vector.x * cosine - vector.y * sine, vector.x * sine + vector.y * cosine);
}

fn rotateAbout(vector: vec3f, axis: vec3f, radians: f32) -> vec3f {
  let cosine = cos(radians);
  return vector * cosine + cross(axis, vector) * sin(radians) + axis * dot(axis, vector) * (1.0 - cosine);
}
