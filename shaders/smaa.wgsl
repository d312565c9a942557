// Smooths the edges of a finished picture by the shapes of its edges (SMAA 1x, after Jorge Jimenez et al., "SMAA:
// Enhanced Subpixel Morphological Antialiasing", 2012), without diagonal shapes. Areas are computed here, not looked up.
//
//   findEdges    picture ─► edges: whether a pixel differs from the pixel to its left (x), and from the one above (y)
//   findShares   edges ─► shares: how much a pixel takes of the one above (x) and of the one to its left (z), and how
//                much these two take of the pixel (y, w)
//   blendShares  picture, shares ─► smoothed picture
//
// An edge between two rows ends where one of them goes on in the colour of the other. There the true outline is half a
// pixel inside the row that changes. From both ends it leads to the middle of the edge. A pixel's share is the area that
// the outline cuts off:
//
//   ■ ■ ■ ■ ■ ■ □ □                    ▄▄▀▀ end: the upper row changes
//   ■ ■ □ □ □ □ □ □     end: the lower ▄▄▀▀
//                       row changes

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(3) var shares: texture_2d<f32>;

// Least difference of an edge, in units of `measureAt`.
const LEAST_DIFFERENCE = 0.05;
// An edge does not count beside an edge with more than this factor of its difference.
const HIDDEN = 2.0;
// Most pixels by which an edge is followed to each side.
const REACH = 24;
const RIGHT = vec2i(1, 0);
const DOWN = vec2i(0, 1);

fn pixelOf(input: Covering) -> vec2i {
  return vec2i(input.uv * vec2f(textureDimensions(source)));
}

// Returns a pixel of the source. A pixel outside counts as the nearest one inside, so the border of the picture has no
// edges.
fn load(pixel: vec2i) -> vec4f {
  return textureLoad(source, clamp(pixel, vec2i(0), vec2i(textureDimensions(source)) - 1), 0);
}

fn measureAt(pixel: vec2i) -> f32 {
  return measureOf(load(pixel));
}

@fragment
fn findEdges(input: Covering) -> @location(0) vec4f {
  let pixel = pixelOf(input);
  let own = measureAt(pixel);
  let left = measureAt(pixel - RIGHT);
  let above = measureAt(pixel - DOWN);
  let difference = abs(vec2f(left, above) - own);
  let others = max(
    abs(vec2f(measureAt(pixel + RIGHT), measureAt(pixel + DOWN)) - own),
    abs(vec2f(measureAt(pixel - 2 * RIGHT) - left, measureAt(pixel - 2 * DOWN) - above)),
  );
  let greatest = max(max(difference.x, difference.y), max(others.x, others.y));
  let isEdge = (difference >= vec2f(LEAST_DIFFERENCE)) & (difference * HIDDEN >= vec2f(greatest));
  return vec4f(select(vec2f(0.0), vec2f(1.0), isEdge), 0.0, 0.0);
}

// Returns the area between the outline and the edge in a pixel, on one half of the edge. @param distance pixels between
// the end of the edge and the pixel @param offset distance of outline and edge at the end, in pixels
fn areaOf(distance: f32, length: f32, offset: f32) -> f32 {
  let end = min(distance + 1.0, 0.5 * length);
  let area = (end - end * end / length) - (distance - distance * distance / length);
  return select(0.0, offset * area, distance < end);
}

// Returns how much a pixel takes of its neighbour across an edge (x), and how much the neighbour takes of it (y).
// @param along direction of the edge
fn sharesAcross(pixel: vec2i, along: vec2i) -> vec2f {
  let isLevel = along.x == 1;
  let other = pixel - (vec2i(1) - along);
  var distances = vec2i(0);
  var offsets = vec2f(0.0);
  for (var side = 0; side < 2; side++) {
    let step = select(along, -along, side == 0);
    var place = vec2i(0);
    var steps = vec2f(0.0);
    for (var count = 0; count < REACH; count++) {
      // The edges between this pixel of each row and the next one.
      let between = select(place + along, place, side == 0);
      steps = vec2f(partOf(load(pixel + between), !isLevel), partOf(load(other + between), !isLevel));
      if any(steps > vec2f(0.0)) || partOf(load(pixel + place + step), isLevel) == 0.0 {
        break;
      }
      place += step;
    }
    distances[side] = abs(place.x + place.y);
    offsets[side] = 0.5 * (steps.x - steps.y);
  }
  let length = f32(distances.x + distances.y + 1);
  let areas = vec2f(
    areaOf(f32(distances.x), length, offsets.x), areaOf(f32(distances.y), length, offsets.y)
  );
  let own = max(areas, vec2f(0.0));
  let others = max(-areas, vec2f(0.0));
  return vec2f(own.x + own.y, others.x + others.y);
}

// Returns whether a pixel has an edge to the pixel above it (`isLevel`), or to the pixel to its left.
fn partOf(edges: vec4f, isLevel: bool) -> f32 {
  return select(edges.x, edges.y, isLevel);
}

@fragment
fn findShares(input: Covering) -> @location(0) vec4f {
  let pixel = pixelOf(input);
  let edges = load(pixel);
  var found = vec4f(0.0);
  if edges.y > 0.0 {
    found = vec4f(sharesAcross(pixel, RIGHT), 0.0, 0.0);
  }
  if edges.x > 0.0 {
    found = vec4f(found.xy, sharesAcross(pixel, DOWN));
  }
  return found;
}

// Returns the shares at a pixel. There are none outside the picture.
fn sharesAt(pixel: vec2i) -> vec4f {
  let isInside = all(pixel < vec2i(textureDimensions(shares)));
  return select(vec4f(0.0), textureLoad(shares, min(pixel, vec2i(textureDimensions(shares)) - 1), 0), isInside);
}

@fragment
fn blendShares(input: Covering) -> @location(0) vec4f {
  let pixel = pixelOf(input);
  let color = load(pixel);
  let own = sharesAt(pixel);
  // Shares of the pixels above and below, and of those to the left and to the right.
  let upright = vec2f(own.x, sharesAt(pixel + DOWN).y);
  let level = vec2f(own.z, sharesAt(pixel + RIGHT).w);
  let isUpright = max(upright.x, upright.y) >= max(level.x, level.y);
  let taken = select(level, upright, isUpright);
  if all(taken == vec2f(0.0)) {
    return color;
  }
  let way = select(RIGHT, DOWN, isUpright);
  return color + taken.x * (load(pixel - way) - color) + taken.y * (load(pixel + way) - color);
}
