// Applies the page's shader to a surface. Joined behind the page's code, which has `surface`, and behind
// `readUniforms` and `receivedVaryings`, which are generated from its uniforms and varyings
// (src/game/materials/shader-material.ts).

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
  // Values that `vertex` wrote, interpolated over the triangle. Integers are those of the triangle's first vertex.
  varyings: Varyings,
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
  point.varyings = receivedVaryings(input);
  surface(point, appearance);
  (*appearance).baseColor = usable((*appearance).baseColor);
  (*appearance).emissive = usable(vec4f((*appearance).emissive, 0.0)).rgb;
  let shares = usable(vec4f((*appearance).metallic, (*appearance).roughness, (*appearance).occlusion, 0.0));
  (*appearance).metallic = shares.x;
  (*appearance).roughness = shares.y;
  (*appearance).occlusion = shares.z;
  (*appearance).normal = normalizeOrZero(usable(vec4f((*appearance).normal, 0.0)).xyz);
}

// Returns numbers that arithmetic can use: NaN becomes 0, and infinity the largest number that is drawn. Compilers may
// assume that NaN does not occur, so its bits are compared.
fn usable(numbers: vec4f) -> vec4f {
  let isNumber = (bitcast<vec4u>(numbers) & vec4u(0x7fffffffu)) <= vec4u(0x7f800000u);
  return clamp(select(vec4f(0.0), numbers, isNumber), vec4f(-BRIGHTEST), vec4f(BRIGHTEST));
}
