// How a surface looks that has a shader of the page's. Joined behind the page's code: its `surface`, and `readUniforms`, which is
// generated from its uniforms (src/game/materials/shader-material.ts).

// What the page's code may know of a point of the surface.
struct SurfaceInput {
  // Metres, world coordinates.
  position: vec3f,
  // Unit length, as the vertices have it.
  normal: vec3f,
  uv: vec2f,
  uv1: vec2f,
  // Of the vertices; white where they have none.
  color: vec4f,
  // Unit length, from the point to the camera.
  toCamera: vec3f,
  // From the top left of the picture, in pixels.
  pixel: vec2f,
  // Scene time, in seconds.
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
  point.toCamera = select(
    normalize(view.cameraPosition - input.position), -view.cameraForward, view.isOrthographic != 0u
  );
  point.pixel = input.clipPosition.xy;
  point.time = view.timeSeconds;
  surface(point, appearance);
  (*appearance).normal = normalizeOrZero((*appearance).normal);
}
