// Ambient occlusion from depth (src/render/ambient-occlusion/): the horizon-based integral of Jimenez et al. 2016,
// "Practical Real-Time Strategies for Accurate Indirect Occlusion". Each slice is a plane through the pixel and the
// viewer. In each slice, two horizons bound the arc from which light arrives. The light of the arc is weighted by the
// cosine of its angle to the normal, and summed. The structure AmbientOcclusion is generated. Positions have x to the
// right, y up and z forward, in metres from the camera.

@group(0) @binding(0) var sceneDepth: texture_depth_2d;
@group(0) @binding(3) var furtherDepth: texture_depth_2d;
@group(0) @binding(0) var viewDepth: texture_2d<f32>;
@group(0) @binding(0) var unfiltered: texture_2d<f32>;
@group(0) @binding(2) var<uniform> options: AmbientOcclusion;

const PI = 3.14159265358979;
const HALF_PI = 1.57079632679490;
// Distance of a pixel without a surface. Distances above NOTHING_BOUND count as NOTHING.
const NOTHING = 1e30;
const NOTHING_BOUND = 1e29;
// The largest half float.
const MOST = 65504.0;
// Share of the radius at which occluders begin to fade out.
const FULL_SHARE = 0.4;

// Writes the distance along the direction of view.
@fragment
fn writeViewDepth(@builtin(position) position: vec4f) -> @location(0) vec4f {
  return viewDepthOf(textureLoad(sceneDepth, vec2u(position.xy), 0));
}

// Like writeViewDepth, for passes with two depth textures. The nearer surface of each pixel counts.
@fragment
fn writeNearerViewDepth(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let pixel = vec2u(position.xy);
  return viewDepthOf(max(textureLoad(sceneDepth, pixel, 0), textureLoad(furtherDepth, pixel, 0)));
}

fn viewDepthOf(depth: f32) -> vec4f {
  let perspective = options.depthOffset / (depth + options.depthScale);
  let orthographic = (options.depthOffset - depth) / options.depthScale;
  let distance = select(perspective, orthographic, options.isOrthographic != 0.0);
  return vec4f(select(NOTHING, distance, depth > 0.0));
}

fn distanceAt(pixel: vec2i) -> f32 {
  let size = vec2i(textureDimensions(viewDepth));
  let isInside = all(pixel >= vec2i(0)) && all(pixel < size);
  return select(NOTHING, textureLoad(viewDepth, clamp(pixel, vec2i(0), size - 1), 0).r, isInside);
}

fn positionAt(pixel: vec2i, distance: f32) -> vec3f {
  let size = vec2f(textureDimensions(viewDepth));
  let ndc = (vec2f(pixel) + 0.5) / size * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0);
  let factor = select(distance, 1.0, options.isOrthographic != 0.0);
  return vec3f((ndc - options.ndcOffset) * options.metres * factor, distance);
}

// Returns a depth that changes linearly from pixel to pixel of a plane: 1 / distance in a perspective view.
fn evenOf(distance: f32) -> f32 {
  return select(1.0 / distance, distance, options.isOrthographic != 0.0);
}

// The step from a pixel to its neighbour on one side, and how far the pixels of that side are from a line.
struct Side {
  step: vec3f,
  error: f32,
}

fn sideOf(pixel: vec2i, position: vec3f, offset: vec2i) -> Side {
  let near = distanceAt(pixel + offset);
  let far = distanceAt(pixel + 2 * offset);
  let step = positionAt(pixel + offset, near) - position;
  let change = evenOf(near) - evenOf(position.z);
  let bend = abs(evenOf(far) - 2.0 * evenOf(near) + evenOf(position.z));
  // A bend can't be measured without a second pixel. The side then gets a larger error, which favours the other side.
  let error = select(bend, abs(change), far > NOTHING_BOUND);
  return Side(step, select(error, NOTHING, near > NOTHING_BOUND));
}

// Returns the step to the right or up that stays on the pixel's surface.
fn stepAlong(pixel: vec2i, position: vec3f, offset: vec2i, usual: vec3f) -> vec3f {
  let ahead = sideOf(pixel, position, offset);
  let behind = sideOf(pixel, position, -offset);
  if min(ahead.error, behind.error) > NOTHING_BOUND {
    return usual;
  }
  return select(-behind.step, ahead.step, ahead.error <= behind.error);
}

// Returns the normal of the surface, towards the camera. The normals of vertices would let flat facets occlude
// themselves.
fn normalAt(pixel: vec2i, position: vec3f) -> vec3f {
  let right = stepAlong(pixel, position, vec2i(1, 0), vec3f(1.0, 0.0, 0.0));
  let up = stepAlong(pixel, position, vec2i(0, -1), vec3f(0.0, 1.0, 0.0));
  let normal = cross(up, right);
  let size = length(normal);
  return select(vec3f(0.0, 0.0, -1.0), normal / size, size > 0.0);
}

// Writes the share of light that arrives, and the distance of the surface.
@fragment
fn findVisibility(@builtin(position) fragment: vec4f) -> @location(0) vec4f {
  let pixel = vec2i(fragment.xy);
  let distance = distanceAt(pixel);
  if distance > NOTHING_BOUND {
    return vec4f(1.0, MOST, 0.0, 0.0);
  }
  let position = positionAt(pixel, distance);
  let isOrthographic = options.isOrthographic != 0.0;
  let toViewer = select(-normalize(position), vec3f(0.0, 0.0, -1.0), isOrthographic);
  let normal = normalAt(pixel, position);
  let pixelsPerMetre = options.pixels / select(max(abs(distance), 1e-30), 1.0, isOrthographic);
  let radius = options.radius * pixelsPerMetre;
  // The pattern of 4 × 4 pixels of the same paper turns the slices and shifts the samples.
  let x = pixel.x & 3;
  let y = pixel.y & 3;
  let turn = (f32(((x + y) & 3) << 2u) + f32(x)) / 16.0;
  let shift = f32((y - x) & 3) / 4.0 + 0.125;
  var visibility = 0.0;
  for (var slice = 0.0; slice < options.slices; slice += 1.0) {
    let angle = (slice + turn) * PI / options.slices;
    let direction = vec3f(cos(angle), sin(angle), 0.0);
    visibility += sliceVisibility(pixel, position, normal, toViewer, direction, radius, shift);
  }
  // A slice of a tilted surface may exceed 1. The average over the pattern does not, so the limit here is above 1.
  visibility = clamp(visibility / options.slices, 0.0, 4.0);
  // Occlusion fades out below a radius of 4 pixels, because too few different pixels lie within the radius.
  let detail = saturate((min(radius.x, radius.y) - 1.0) / 3.0);
  return vec4f(mix(1.0, visibility, detail), clamp(distance, -MOST, MOST), 0.0, 0.0);
}

fn sliceVisibility(
  pixel: vec2i, position: vec3f, normal: vec3f, toViewer: vec3f, direction: vec3f, radius: vec2f, shift: f32
) -> f32 {
  let along = direction - dot(direction, toViewer) * toViewer;
  let axis = normalize(cross(along, toViewer));
  let projected = normal - axis * dot(normal, axis);
  let size = max(length(projected), 1e-6);
  let cosine = saturate(dot(projected, toViewer) / size);
  let tilt = select(-1.0, 1.0, dot(along, projected) >= 0.0) * acos(cosine);
  // Horizons of a slice without occluders, against and along the direction.
  let lowest = vec2f(cos(tilt - HALF_PI), cos(tilt + HALF_PI));
  var horizons = lowest;
  let reach = vec2f(direction.x, -direction.y) * radius;
  // The first sample is at least one pixel away.
  let least = 1.0 / max(max(abs(reach.x), abs(reach.y)), 1.0);
  for (var index = 0.0; index < options.steps; index += 1.0) {
    let share = (index + shift) / options.steps;
    let offset = vec2i(round(reach * min(share * share + least, 1.0)));
    horizons.x = max(horizons.x, horizonAt(pixel - offset, position, toViewer, lowest.x));
    horizons.y = max(horizons.y, horizonAt(pixel + offset, position, toViewer, lowest.y));
  }
  let first = -acos(clamp(horizons.x, -1.0, 1.0));
  let second = acos(clamp(horizons.y, -1.0, 1.0));
  return size * (arc(first, tilt, cosine) + arc(second, tilt, cosine));
}

// Returns the cosine of the angle between the viewer and a sample. Occluders fade out towards the radius.
fn horizonAt(pixel: vec2i, position: vec3f, toViewer: vec3f, lowest: f32) -> f32 {
  let distance = distanceAt(pixel);
  if distance > NOTHING_BOUND {
    return lowest;
  }
  let offset = positionAt(pixel, distance) - position;
  let size = length(offset);
  let weight = saturate((1.0 - size / options.radius) / (1.0 - FULL_SHARE));
  return select(lowest, mix(lowest, dot(offset, toViewer) / size, weight), size > 0.0);
}

// Light that arrives between the viewer and a horizon, weighted by the cosine of its angle to the normal.
fn arc(horizon: f32, tilt: f32, cosine: f32) -> f32 {
  return (cosine + 2.0 * horizon * sin(tilt) - cos(2.0 * horizon - tilt)) / 4.0;
}

// Averages the visibility of the pixel's surface over 4 × 4 pixels, which is the period of the pattern. Pixels away
// from the plane through the surface do not count.
@fragment
fn smoothVisibility(@builtin(position) fragment: vec4f) -> @location(0) vec4f {
  let pixel = vec2i(fragment.xy);
  let size = vec2i(textureDimensions(unfiltered));
  let own = textureLoad(unfiltered, pixel, 0).rg;
  if own.g == MOST {
    return vec4f(1.0, MOST, 0.0, 0.0);
  }
  let even = evenOf(own.g);
  let slope = vec2f(slopeAlong(pixel, even, vec2i(1, 0)), slopeAlong(pixel, even, vec2i(0, 1)));
  let tolerance = 0.15 * options.radius + 0.004 * abs(own.g);
  let isOrthographic = options.isOrthographic != 0.0;
  // Metres per unit of `even`, near the pixel's own distance.
  let scale = select(own.g * own.g, 1.0, isOrthographic);
  var sum = vec2f(own.r, 1.0);
  for (var y = -2; y <= 2; y++) {
    for (var x = -2; x <= 2; x++) {
      let neighbour = pixel + vec2i(x, y);
      let isInside = all(neighbour >= vec2i(0)) && all(neighbour < size);
      let other = textureLoad(unfiltered, clamp(neighbour, vec2i(0), size - 1), 0).rg;
      let error = abs(evenOf(other.g) - even - dot(slope, vec2f(f32(x), f32(y)))) * scale;
      let inPattern = select(1.0, 0.5, abs(x) == 2) * select(1.0, 0.5, abs(y) == 2);
      let weight = inPattern * saturate(2.0 - 2.0 * error / tolerance);
      let isOther = isInside && other.g != MOST && (x != 0 || y != 0);
      sum += select(vec2f(0.0), vec2f(other.r, 1.0) * weight, isOther);
    }
  }
  let visibility = pow(saturate(sum.x / sum.y), options.power);
  return vec4f(mix(1.0, visibility, options.intensity), own.g, 0.0, 0.0);
}

// Returns the smaller of the changes towards both sides.
fn slopeAlong(pixel: vec2i, even: f32, offset: vec2i) -> f32 {
  let most = vec2i(textureDimensions(unfiltered)) - 1;
  let ahead = evenOf(textureLoad(unfiltered, min(pixel + offset, most), 0).g) - even;
  let behind = even - evenOf(textureLoad(unfiltered, max(pixel - offset, vec2i(0)), 0).g);
  let isAtEnd = any(pixel + offset > most);
  let isAtStart = any(pixel - offset < vec2i(0));
  return select(behind, ahead, (abs(ahead) <= abs(behind) || isAtStart) && !isAtEnd);
}
