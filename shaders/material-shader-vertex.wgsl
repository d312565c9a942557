// Moves vertices by the page's function `vertex`. Joined to material-shader.wgsl when the page's code has that
// function.

const IS_MOVED = true;

// Input of the page's `vertex`.
struct VertexInput {
  // Metres, in the object's space, already moved by joints and morph targets.
  position: vec3f,
  // Unit length; zero for vertices without normals.
  normal: vec3f,
  uv: vec2f,
  uv1: vec2f,
  // White for vertices without colours.
  color: vec4f,
  // `position` in metres, in world coordinates.
  worldPosition: vec3f,
  // Scene time in seconds.
  time: f32,
}

// Output of the page's `vertex`. Its fields have the values of the input at first.
struct VertexOutput {
  position: vec3f,
  // Any length.
  normal: vec3f,
  uv: vec2f,
  uv1: vec2f,
  color: vec4f,
  // Values for `surface`, zero at first.
  varyings: Varyings,
}

// Largest coordinate of a moved vertex, in metres. Products with matrices must not exceed the range of floats. A vertex
// that `vertex` moves farther, or to NaN, keeps its position. Normals have the same limit.
const FARTHEST = 1e18;

// Varyings of the vertex. `passVaryings` copies them to the output.
var<private> movedVaryings: Varyings;

// Returns whether all components are numbers of a magnitude up to `most`. The comparison of bits finds NaN, too.
fn isWithin(vector: vec3f, most: f32) -> bool {
  return all((bitcast<vec3u>(vector) & vec3u(0x7fffffffu)) <= vec3u(bitcast<u32>(most)));
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
  var moved = VertexOutput(point.position, point.normal, point.uv, point.uv1, point.color, Varyings());
  vertex(point, &moved);
  movedVaryings = moved.varyings;
  if !isWithin(moved.position, FARTHEST) {
    moved.position = given.position;
  }
  if !isWithin(moved.normal, FARTHEST) {
    moved.normal = given.normal;
  }
  return Vertex(moved.position, moved.normal, moved.uv, given.tangent, moved.uv1, moved.color);
}
