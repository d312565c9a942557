// The motion of surfaces on the screen since the last frame. Joined to mesh.wgsl, whose code that places vertices runs
// twice: with the view and the poses of the last frame, then with the view and the poses of this frame
// (src/render/temporal/moved-code.ts).
//
//   previousPoses   row 0: first row of the palettes, first row of the morph records, number of primitives
//                   then primitives of 4 rows, palettes and morph records, as they were in the last frame
//                   a row is a vec4u

// Whether the material or a fading level of detail has holes.
override hasHoles = false;

struct PreviousView {
  // The view of the last frame. Its clip matrix has the jitter of this frame, so that motion does not include jitter.
  view: View,
  // Width and height of the picture, in pixels.
  size: vec2f,
}

@group(0) @binding(21) var<uniform> previousView: PreviousView;
@group(0) @binding(22) var<storage, read> previousPoses: array<vec4u>;

var<private> isPrevious = false;

fn beginPrevious(slot: u32) {
  view = previousView.view;
  isPrevious = slot < previousPoses[0].z;
  posed = currentPrimitives[slot];
  if isPrevious {
    let row = 1u + slot * 4u;
    posed.worldFromLocal[0] = bitcast<vec4f>(previousPoses[row]);
    posed.worldFromLocal[1] = bitcast<vec4f>(previousPoses[row + 1u]);
    posed.worldFromLocal[2] = bitcast<vec4f>(previousPoses[row + 2u]);
    posed.palette = previousPoses[row + 3u].z;
    posed.morph = previousPoses[row + 3u].w;
  }
}

fn beginCurrent(slot: u32) {
  view = currentView;
  isPrevious = false;
  posed = currentPrimitives[slot];
}

// Returns a vertex with its places in both frames. Both are interpolated, so that errors of interpolation in slivers
// cancel each other out. The place in this frame is stored as the tangent, because no hole depends on the tangent.
fn withBefore(given: Varying, before: Varying) -> Varying {
  var out = given;
  let fromCamera = before.position - previousView.view.cameraPosition;
  out.tangent = vec4f(given.clipPosition.xyw, 0.0);
  out.before = vec4f(before.clipPosition.xyw, dot(fromCamera, previousView.view.cameraForward));
  return out;
}

@vertex
fn placeMovedVertex(vertex: Vertex, @builtin(instance_index) instance: u32) -> Varying {
  let slot = instances[instance];
  beginPrevious(slot);
  let before = placeByNode(vertex, slot);
  beginCurrent(slot);
  return withBefore(placeByNode(vertex, slot), before);
}

// Writes the way to the place in the last frame, in pixels right and down (xy). Also writes the nearness in this frame
// (z) and in the last frame (w): 1 divided by the distance along the view. The distance is at least 1 mm.
@fragment
fn writeMotion(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> @location(0) vec4f {
  view = currentView;
  if hasHoles {
    _ = appearanceOf(input, isFrontFacing);
    if isFadedOut(input.flags, input.clipPosition.xy) {
      discard;
    }
  }
  let distance = dot(input.position - view.cameraPosition, view.cameraForward);
  let nearness = 1.0 / max(vec2f(distance, input.before.w), vec2f(0.001));
  // A point that was behind the camera was not in the last picture.
  if input.before.z <= 0.0 {
    return vec4f(FARTHEST_MOTION, FARTHEST_MOTION, nearness);
  }
  let way = input.before.xy / input.before.z - input.tangent.xy / input.tangent.z;
  let pixels = way * vec2f(0.5, -0.5) * previousView.size;
  let motion = clamp(pixels, vec2f(-FARTHEST_MOTION), vec2f(FARTHEST_MOTION));
  return vec4f(motion, nearness);
}

const FARTHEST_MOTION = 30000.0;
