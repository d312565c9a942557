// Vertices of lines, points and sprites, which face the camera (src/game/billboards/). Joined to mesh.wgsl. A vertex
// lies at its anchor, moved by an offset on the screen:
//
//   points, sprites   offset = uv1: right and up
//   lines             offset = uv1.x across the line
//                     normal: vector to the previous point; tangent.xyz: vector to the next point; 0 if missing
//
// tangent.w is the sum of the offset's unit and twice the texture's contents. Units: 0 metres, scaled with the
// primitive; 1 pixels of the page (CSS). Contents: 0 a picture; 1 ink of a text (white, with its coverage as alpha); 2
// a picture that keeps its colours under any material.

// Least cosine at a corner of a line. It limits the miters of sharper corners, which would reach far out.
const SHARPEST_MITER = 0.25;

// Bits of `Varying.flags`.
const SHOWS_INK = 0x80000000u;
const SHOWS_COLORS = 0x40000000u;
const MAY_SHOW_TEXT = true;
// Values of Skia in Chromium on Linux. The contrast makes ink on light paper bolder. Ink is blended in a space with
// the gamma INK_GAMMA.
const INK_CONTRAST = 0.2;
const INK_GAMMA = 1.2;

@vertex
fn placeBillboardVertex(vertex: Vertex, @builtin(instance_index) instance: u32) -> Varying {
  return placeBillboard(vertex, instances[instance]);
}

fn placeBillboard(vertex: Vertex, slot: u32) -> Varying {
  let row0 = primitives[slot].worldFromLocal[0];
  let row1 = primitives[slot].worldFromLocal[1];
  let row2 = primitives[slot].worldFromLocal[2];
  let local = vec4f(vertex.position, 1.0);
  var position = vec3f(dot(row0, local), dot(row1, local), dot(row2, local));
  var uv = vertex.uv0;
  var anchor = view.clipFromWorld * vec4f(position, 1.0);
  let viewport = vec2f(view.viewportWidth, view.viewportHeight);

  var across = vec2f(1.0, 0.0);
  var offset = vertex.uv1;
  let hasPrevious = any(vertex.normal != vec3f(0.0));
  let hasFollowing = any(vertex.tangent.xyz != vec3f(0.0));
  if hasPrevious || hasFollowing {
    let previous = clipAt(vertex.normal, anchor, row0, row1, row2);
    let following = clipAt(vertex.tangent.xyz, anchor, row0, row1, row2);
    // A missing neighbour has no direction. Rounding would give a direction to a point that is its own neighbour.
    let before = select(vec2f(0.0), directionTo(anchor, previous) * -viewport, hasPrevious);
    let after = select(vec2f(0.0), directionTo(anchor, following) * viewport, hasFollowing);
    let along = lineDirection(before, after);
    across = vec2f(-along.y, along.x);
    // An end nearer than the near plane is moved onto the plane. Behind the camera the sides of the quad would cross.
    let isBegin = vertex.uv0.x < 0.5;
    let other = select(previous, following, isBegin);
    let depth = anchor.w - anchor.z;
    let otherDepth = other.w - other.z;
    if depth < 0.0 && otherDepth > 0.0 {
      let share = depth / (depth - otherDepth);
      let step = share * select(vertex.normal, vertex.tangent.xyz, isBegin);
      anchor = mix(anchor, other, share);
      position += vec3f(dot(row0.xyz, step), dot(row1.xyz, step), dot(row2.xyz, step));
      uv.x = mix(uv.x, 1.0 - uv.x, share);
    }
    let next = select(unitOr(before, along), unitOr(after, along), any(after != vec2f(0.0)));
    offset = across * vertex.uv1.x / max(abs(dot(along, next)), SHARPEST_MITER);
  }

  // The length of the first two rows is the extent of a metre across the view, for any direction of the camera.
  let rows = transpose(view.clipFromWorld);
  let metre = vec2f(length(acrossView(rows[0].xyz)), length(acrossView(rows[1].xyz)));
  let scale = sqrt(vec3f(
    dot(vec3f(row0.x, row1.x, row2.x), vec3f(row0.x, row1.x, row2.x)),
    dot(vec3f(row0.y, row1.y, row2.y), vec3f(row0.y, row1.y, row2.y)),
    dot(vec3f(row0.z, row1.z, row2.z), vec3f(row0.z, row1.z, row2.z))
  ));
  let pixel = 2.0 * anchor.w / viewport;
  let contents = u32(vertex.tangent.w) >> 1u;
  let isInPixels = (u32(vertex.tangent.w) & 1u) != 0u;
  let unit = select(metre * max(scale.x, max(scale.y, scale.z)), pixel, isInPixels);

  var out: Varying;
  out.clipPosition = vec4f(anchor.xy + offset * unit, anchor.zw);
  out.position = position;
  // Vertices without a normal are unlit.
  out.normal = vec3f(0.0);
  out.tangent = vec4f(0.0);
  out.uv = vec4f(uv, uv);
  out.color = vertex.color;
  out.materialSlot = primitives[slot].materialSlot;
  out.flags = primitives[slot].flags | array(0u, SHOWS_INK, SHOWS_COLORS)[contents];
  return out;
}

fn showsText(input: Varying) -> bool {
  return (input.flags & (SHOWS_INK | SHOWS_COLORS)) != 0u;
}

fn tintOf(input: Varying) -> vec4f {
  let tint = materials[input.materialSlot].baseColor * input.color;
  return select(tint, vec4f(1.0, 1.0, 1.0, tint.a), (input.flags & SHOWS_COLORS) != 0u);
}

fn blendedColor(input: Varying, color: vec4f) -> vec4f {
  let opacity = tintOf(input).a;
  if alphaMode != 2u || (input.flags & SHOWS_INK) == 0u || opacity <= 0.0 {
    return color;
  }
  return vec4f(color.rgb, opacity * inkCoverage(color.a / opacity, color.rgb));
}

// Returns the share with which ink is blended. Fonts are made for displays that blend encoded colours (sRGB). On such a
// display, half coverage of black on white is encoded as 0.5. In a blend of linear light it would be 0.74, so small
// dark text would look pale, and light text bold. Skia, which draws the text of Chromium, blends encoded colours with
// tables of contrast and gamma. With the returned share, a blend of linear light has the same result. The paper behind
// the ink is unknown. It is assumed to be light behind dark ink, and dark behind light ink.
//
//   encoded   paper ──── coverage ────► mixed          light   share = (mixed − paper) / (ink − paper), each decoded
fn inkCoverage(coverage: f32, color: vec3f) -> f32 {
  let ink = encoded(dot(clamp(color, vec3f(0.0), vec3f(1.0)), vec3f(0.2126, 0.7152, 0.0722)));
  let paper = 1.0 - smoothstep(0.25, 0.75, ink);
  let bold = coverage + coverage * (1.0 - coverage) * INK_CONTRAST * paper;
  // Ink and paper of the same brightness have no colours between them.
  if abs(ink - paper) < 0.01 {
    return bold;
  }
  let mixed = pow(mix(pow(paper, INK_GAMMA), pow(ink, INK_GAMMA), bold), 1.0 / INK_GAMMA);
  if BLENDS_ENCODED {
    return (mixed - paper) / (ink - paper);
  }
  let light = decoded(paper);
  return (decoded(mixed) - light) / (decoded(ink) - light);
}

fn encoded(light: f32) -> f32 {
  return select(1.055 * pow(light, 1.0 / 2.4) - 0.055, light * 12.92, light <= 0.0031308);
}

fn decoded(value: f32) -> f32 {
  return select(pow((value + 0.055) / 1.055, 2.4), value / 12.92, value <= 0.04045);
}

// Removes the part of a row along the camera's direction. That part is not zero when the picture shows only a part of
// the camera's view, as in a pick.
fn acrossView(row: vec3f) -> vec3f {
  return row - dot(row, view.cameraForward) * view.cameraForward;
}

// Returns the clip position of the point that lies `step` from the anchor, in the primitive's space.
fn clipAt(step: vec3f, anchor: vec4f, row0: vec4f, row1: vec4f, row2: vec4f) -> vec4f {
  let world = vec3f(dot(row0.xyz, step), dot(row1.xyz, step), dot(row2.xyz, step));
  return anchor + view.clipFromWorld * vec4f(world, 0.0);
}

// Returns the direction of a line on the screen, also when either end is behind the camera.
fn directionTo(begin: vec4f, end: vec4f) -> vec2f {
  return end.xy * begin.w - begin.xy * end.w;
}

fn lineDirection(before: vec2f, after: vec2f) -> vec2f {
  let first = unitOr(before, vec2f(0.0));
  let second = unitOr(after, vec2f(0.0));
  // The sum is zero where a line reverses its direction. The corner then looks like the end of the first segment.
  return unitOr(first + second, unitOr(first, unitOr(second, vec2f(1.0, 0.0))));
}

fn unitOr(vector: vec2f, otherwise: vec2f) -> vec2f {
  let size = max(abs(vector.x), abs(vector.y));
  if size == 0.0 {
    return otherwise;
  }
  return normalize(vector / size);
}

fn normalOf(input: Varying, isFrontFacing: bool) -> vec3f {
  return input.normal;
}
