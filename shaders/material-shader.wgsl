// Applies the page's shader to a surface. Joined behind the page's code, which has `surface`, and behind
// `readUniforms`, which is generated from the page's uniforms (src/game/materials/shader-material.ts).

// Input of the page's `surface`: a point of the surface.
struct SurfaceInput {
  // Metres, in world coordinates.
  position: vec3f,
  // Interpolated normal of the vertices, unit length.
  normal: vec3f,
  uv: vec2f,
  uv1: vec2f,
  // Interpolated colour of the vertices; white without colours.
  color: vec4f,
  // Unit length, from the point to the camera.
  toCamera: vec3f,
  // Pixels from the top left of the picture.
  pixel: vec2f,
  // Scene time in seconds.
  time: f32,
}

fn applyMaterial(input: Varying, appearance: ptr<function, Appearance>) {
  readUniforms(input.materialSlot);
  var point: SurfaceInput;
  point.position = input.position + view.renderOrigin;
  point.normal = (*appearance).normal;
  point.uv = input.uv.xy;
  point.uv1 = input.uv.zw;
  point.color = input.color;
  point.toCamera = toViewerFrom(input.position);
  point.pixel = input.clipPosition.xy;
  point.time = view.timeSeconds;
  surface(point, appearance);
  (*appearance).normal = normalizeOrZero((*appearance).normal);
}
