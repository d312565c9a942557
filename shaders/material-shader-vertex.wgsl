// Where vertices lie that the page's `vertex` moves. Joined to material-shader.wgsl where the page's code has that function.

const IS_MOVED = true;

// What the page's code may know of a vertex.
struct VertexInput {
  // Metres, in the space of the object: joints and morph targets have moved it already.
  position: vec3f,
  // Unit length; zero where the vertices have none.
  normal: vec3f,
  uv: vec2f,
  uv1: vec2f,
  // White where the vertices have none.
  color: vec4f,
  // Where `position` lies, in metres, world coordinates.
  worldPosition: vec3f,
  // Scene time, in seconds.
  time: f32,
}

// What it may change; it begins as what is given.
struct VertexOutput {
  position: vec3f,
  // Of any length.
  normal: vec3f,
  uv: vec2f,
  uv1: vec2f,
  color: vec4f,
}

fn movedVertex(given: Vertex, slot: u32) -> Vertex {
  readUniforms(primitives[slot].materialSlot);
  let local = vec4f(given.position, 1.0);
  let world = vec3f(
    dot(primitives[slot].worldFromLocal[0], local),
    dot(primitives[slot].worldFromLocal[1], local),
    dot(primitives[slot].worldFromLocal[2], local)
  );
  var point: VertexInput;
  point.position = given.position;
  point.normal = normalizeOrZero(given.normal);
  point.uv = given.uv0;
  point.uv1 = given.uv1;
  point.color = given.color;
  point.worldPosition = world + view.renderOrigin;
  point.time = view.timeSeconds;
  var moved = VertexOutput(point.position, point.normal, point.uv, point.uv1, point.color);
  vertex(point, &moved);
  return Vertex(moved.position, moved.normal, moved.uv, given.tangent, moved.uv1, moved.color);
}
