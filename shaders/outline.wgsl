// Draws a line around the pixels of a mask (src/render/outline/). The structure Outline is generated. One pass finds
// the nearest pixel of the mask in each row, and the next pass compares the rows. The coverage of a pixel at the mask's
// edge tells how far the edge is from the pixel's centre, so the line is smooth on both sides.

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(2) var<uniform> outline: Outline;
@group(0) @binding(3) var mask: texture_2d<f32>;

// Distance in pixels that no line reaches.
const FAR = 10000.0;

// Returns the distance from the centre of a pixel to the edge of the mask in another pixel. `toPixel`: distance between
// the centres of both pixels. `coverage`: share of the other pixel that the mask covers.
fn edgeDistance(toPixel: f32, coverage: f32) -> f32 {
  return toPixel + 0.5 - coverage;
}

// Writes the nearest pixel of the mask in the same row: its distance in pixels (r), and its coverage (g). A coverage of
// 0 means that no pixel of the mask in the row is within reach of the line.
@fragment
fn findInRow(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let pixel = vec2i(position.xy);
  let reach = i32(ceil(outline.width));
  let last = i32(textureDimensions(source).x) - 1;
  var nearest = vec2f(FAR, 0.0);
  for (var x = max(pixel.x - reach, 0); x <= min(pixel.x + reach, last); x++) {
    let coverage = textureLoad(source, vec2i(x, pixel.y), 0).r;
    let toPixel = abs(f32(x - pixel.x));
    if coverage > 0.0 && edgeDistance(toPixel, coverage) < edgeDistance(nearest.x, nearest.y) {
      nearest = vec2f(toPixel, coverage);
    }
  }
  return vec4f(nearest, 0.0, 0.0);
}

// Returns the share with which the line covers a pixel.
fn lineAt(pixel: vec2i) -> f32 {
  let covered = textureLoad(mask, pixel, 0).r;
  if covered >= 1.0 {
    return 0.0;
  }
  let reach = i32(ceil(outline.width));
  let last = i32(textureDimensions(source).y) - 1;
  var distance = FAR;
  for (var y = max(pixel.y - reach, 0); y <= min(pixel.y + reach, last); y++) {
    let inRow = textureLoad(source, vec2i(pixel.x, y), 0).rg;
    let toPixel = length(vec2f(inRow.x, f32(y - pixel.y)));
    distance = select(distance, min(distance, edgeDistance(toPixel, inRow.y)), inRow.y > 0.0);
  }
  return outline.opacity * (1.0 - covered) * clamp(outline.width + 0.5 - distance, 0.0, 1.0);
}

// Blends the line over the picture.
@fragment
fn drawLine(@builtin(position) position: vec4f) -> @location(0) vec4f {
  return vec4f(outline.color, 1.0) * lineAt(vec2i(position.xy));
}

struct Layers {
  // Black, with the alpha that hides scene colour beneath the line.
  @location(0) scene: vec4f,
  @location(1) unmapped: vec4f,
}

// Blends the line over the colours that tone mapping does not change.
@fragment
fn drawUnmappedLine(@builtin(position) position: vec4f) -> Layers {
  let line = lineAt(vec2i(position.xy));
  return Layers(vec4f(0.0, 0.0, 0.0, line), vec4f(outline.color, 1.0) * line);
}
