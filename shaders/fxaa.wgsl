// Smooths the edges of a finished picture, from the picture alone (FXAA, after Timothy Lottes). If two rows of pixels
// differ, the shader follows the edge in both directions. Near an end of the edge, the pixel takes a share of the row
// on the other side. Single bright or dark pixels are softened, too.
//
//   ■ ■ ■ ■ ■ ■ ■ ■ □ □        first ◄──────┤ pixel ├──► second: the nearer end decides the share, ½ at the end, 0 in
//   □ □ □ □ □ □ □ □ □ □                                         the middle

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var linearSampler: sampler;

// Least contrast of an edge: as a difference of `measureOf`, and as a share of the brightest of five pixels.
const LEAST_DIFFERENCE = 0.03;
const LEAST_CONTRAST = 0.12;
// Share of a neighbour that is mixed into a pixel if the pixel differs from all its neighbours.
const SOFTEST = 0.7;
// Steps along an edge, in pixels. From the step of 1.5 pixels on, each sample lies between two pixels of the edge, and
// averages both. So later steps can be longer.
const STEPS = array(1.0, 1.0, 1.0, 1.0, 1.5, 2.0, 2.0, 2.0, 4.0, 8.0);

fn measureAt(uv: vec2f) -> f32 {
  return measureOf(textureSampleLevel(picture, linearSampler, uv, 0.0));
}

@fragment
fn smoothEdges(input: Covering) -> @location(0) vec4f {
  let size = vec2f(textureDimensions(picture));
  let texel = 1.0 / size;
  let uv = (floor(input.uv * size) + 0.5) * texel;
  let color = textureSampleLevel(picture, linearSampler, uv, 0.0);
  let x = vec2f(texel.x, 0.0);
  let y = vec2f(0.0, texel.y);
  let m = measureOf(color);
  let n = measureAt(uv - y);
  let s = measureAt(uv + y);
  let w = measureAt(uv - x);
  let e = measureAt(uv + x);
  let high = max(m, max(max(n, s), max(w, e)));
  let range = high - min(m, min(min(n, s), min(w, e)));
  if range < max(LEAST_DIFFERENCE, LEAST_CONTRAST * (high - color.a)) {
    return color;
  }
  let nw = measureAt(uv - x - y);
  let ne = measureAt(uv + x - y);
  let sw = measureAt(uv - x + y);
  let se = measureAt(uv + x + y);

  // Difference between the pixel and its neighbours, as a share of the contrast.
  let mean = (2.0 * (n + s + w + e) + nw + ne + sw + se) / 12.0;
  let soft = smoothstep(0.0, 1.0, clamp(abs(mean - m) / range, 0.0, 1.0));
  let softness = soft * soft * SOFTEST;

  let bendDown = abs(nw + sw - 2.0 * w) + 2.0 * abs(n + s - 2.0 * m) + abs(ne + se - 2.0 * e);
  let bendRight = abs(nw + ne - 2.0 * n) + 2.0 * abs(w + e - 2.0 * m) + abs(sw + se - 2.0 * s);
  let isHorizontal = bendDown >= bendRight;
  let along = select(y, x, isHorizontal);
  let before = select(w, n, isHorizontal);
  let behind = select(e, s, isHorizontal);
  // The edge lies on the side with the greater change.
  let isBefore = abs(before - m) >= abs(behind - m);
  let across = select(1.0, -1.0, isBefore) * select(x, y, isHorizontal);
  let other = select(behind, before, isBefore);
  let level = 0.5 * (m + other);
  let least = 0.25 * abs(other - m);

  // A sample between the two rows is their mean.
  let border = uv + 0.5 * across;
  let first = endOf(border, -along, level, least);
  let second = endOf(border, along, level, least);
  let nearest = select(second, first, first.x < second.x);
  // At the end, one row reaches into the other. Only the row into which it reaches takes a share.
  let isReached = (nearest.y < 0.0) != (m < level);
  let share = select(0.0, 0.5 - nearest.x / (first.x + second.x), isReached);
  return textureSampleLevel(picture, linearSampler, uv + max(share, softness) * across, 0.0);
}

// Returns the distance to the end of an edge in pixels (x), and the difference between the sample there and `level`
// (y). An edge without an end nearby ends at the last step.
fn endOf(border: vec2f, along: vec2f, level: f32, least: f32) -> vec2f {
  var distance = 0.0;
  var difference = 0.0;
  for (var step = 0; step < 10; step++) {
    distance += STEPS[step];
    difference = measureAt(border + along * distance) - level;
    if abs(difference) >= least {
      break;
    }
  }
  return vec2f(distance, difference);
}
