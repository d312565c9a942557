// Smooths the edges of a picture with one sample per pixel, from the picture alone. Where two rows of pixels differ,
// the shader follows the edge to both of its ends. The distances to the ends show how much of the pixel lies behind
// the edge. Joined to edge-smoothing-mapped.wgsl or edge-smoothing-unmapped.wgsl, which define `unmappedAt`,
// `SmoothedPicture` and `smoothedPicture`.
//
//      ■ ■ ■ ■ ■ ■ ■ ■ □ □        the edge lies under this row from here to there ├───────┤
//      □ □ □ □ □ □ □ □ □ □        at its end half a pixel is covered, in its middle none
// An edge that ends at a corner is not blended, because nothing shows that the edge was slanted.
//
//      ■ ■ ■ ■ ■ ■ ■ ■ ■ ■        ■ ■ ■ ■ ■ □ □ □ □ □
//      ■ ■ ■ ■ ■ □ □ □ □ □        ■ ■ ■ ■ ■ □ □ □ □ □
//      □ □ □ □ □ □ □ □ □ □        □ □ □ □ □ □ □ □ □ □
//                └ a step                   └ a corner

@group(0) @binding(0) var colors: texture_2d<f32>;

// Number of pixels for which an edge is followed in each direction.
const REACH = 16;
// Least contrast of an edge, as a share of the brightest pixel nearby. Smaller differences are shading.
const LEAST_CONTRAST = 0.12;
// Least difference in coverage at an edge.
const LEAST_COVERAGE = 0.1;

fn inside(pixel: vec2i) -> vec2i {
  return clamp(pixel, vec2i(0), vec2i(textureDimensions(colors)) - 1);
}

fn colorAt(pixel: vec2i) -> vec4f {
  return textureLoad(colors, inside(pixel), 0);
}

// Returns the perceptual brightness and the coverage of a pixel. The square root makes the measure uniform to the eye
// at any exposure.
fn measuresAt(pixel: vec2i) -> vec2f {
  let seen = colorAt(pixel) + unmappedAt(pixel);
  return vec2f(sqrt(max(dot(seen.rgb, vec3f(0.2126, 0.7152, 0.0722)), 0.0)), clamp(seen.a, 0.0, 1.0));
}

fn measureAt(pixel: vec2i, isCoverage: bool) -> f32 {
  let measures = measuresAt(pixel);
  return select(measures.x, measures.y, isCoverage);
}

// The neighbour that a pixel is blended with, and the neighbour's share.
struct Blend {
  neighbour: vec2i,
  share: f32,
}

fn blendAt(pixel: vec2i) -> Blend {
  let none = Blend(pixel, 0.0);
  let middle = measuresAt(pixel);
  let up = measuresAt(pixel + vec2i(0, -1));
  let down = measuresAt(pixel + vec2i(0, 1));
  let left = measuresAt(pixel + vec2i(-1, 0));
  let right = measuresAt(pixel + vec2i(1, 0));
  let high = max(middle, max(max(up, down), max(left, right)));
  let range = high - min(middle, min(min(up, down), min(left, right)));
  let isCoverage = range.y > LEAST_COVERAGE;
  if !isCoverage && range.x <= LEAST_CONTRAST * high.x {
    return none;
  }
  let m = select(middle.x, middle.y, isCoverage);
  let n = select(up.x, up.y, isCoverage);
  let s = select(down.x, down.y, isCoverage);
  let w = select(left.x, left.y, isCoverage);
  let e = select(right.x, right.y, isCoverage);
  let nw = measureAt(pixel + vec2i(-1, -1), isCoverage);
  let ne = measureAt(pixel + vec2i(1, -1), isCoverage);
  let sw = measureAt(pixel + vec2i(-1, 1), isCoverage);
  let se = measureAt(pixel + vec2i(1, 1), isCoverage);
  let bendDown = abs(nw + sw - 2.0 * w) + 2.0 * abs(n + s - 2.0 * m) + abs(ne + se - 2.0 * e);
  let bendRight = abs(nw + ne - 2.0 * n) + 2.0 * abs(w + e - 2.0 * m) + abs(sw + se - 2.0 * s);
  let isHorizontal = bendDown >= bendRight;
  let along = select(vec2i(0, 1), vec2i(1, 0), isHorizontal);
  let before = select(w, n, isHorizontal);
  let behind = select(e, s, isHorizontal);
  // The edge lies on the side with the greater change.
  let isBefore = abs(before - m) >= abs(behind - m);
  let across = select(1, -1, isBefore) * (vec2i(1) - along);
  let other = select(behind, before, isBefore);
  let level = 0.5 * (m + other);
  let least = 0.25 * abs(other - m);

  let first = endOf(pixel, -along, across, level, least, isCoverage);
  let second = endOf(pixel, along, across, level, least, isCoverage);
  let nearest = select(second, first, first.x < second.x);
  // Behind the nearest end, one row has taken the colour of the other row. Only the row that changes there is blended.
  if (nearest.y < 0.0) == (m < level) {
    return none;
  }
  // At a corner, the row on this row's far side changes as well. At a step, it does not.
  let within = pixel + select(along, -along, first.x < second.x) * i32(nearest.x) - across;
  if (measureAt(within, isCoverage) < level) == (nearest.y < 0.0) {
    return none;
  }
  return Blend(pixel + across, 0.5 - nearest.x / (first.x + second.x));
}

// Returns the distance to the end of an edge in pixels, and how far the pixels behind the end lie above or below
// `level`.
fn endOf(pixel: vec2i, along: vec2i, across: vec2i, level: f32, least: f32, isCoverage: bool) -> vec2f {
  var difference = 0.0;
  for (var step = 1; step <= REACH; step++) {
    let at = pixel + along * step;
    difference = 0.5 * (measureAt(at, isCoverage) + measureAt(at + across, isCoverage)) - level;
    if abs(difference) >= least {
      return vec2f(f32(step), difference);
    }
  }
  return vec2f(f32(REACH), difference);
}

@fragment
fn smoothEdges(@builtin(position) position: vec4f) -> SmoothedPicture {
  let pixel = vec2i(position.xy);
  let blend = blendAt(pixel);
  return smoothedPicture(pixel, inside(blend.neighbour), blend.share);
}
