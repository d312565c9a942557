// Screen-space reflections (src/render/deferred/reflections/). Each pixel follows its mirrored ray over the picture. In
// pixels and depth, the ray is a straight line for both projections. Squares of pixels whose nearest surface is behind
// the ray are skipped as a whole (Uludag 2014, "Hi-Z Screen-Space Cone-Traced Reflections", GPU Pro 5).
//
//   level 2  ├───────────────┼───────────────┤     a square that the ray passes in front of: go on, one level up
//   level 1  ├───────┼───────┤                     any other square: one level down
//   pixels   ├───┼───┤                             in a pixel: compare with its surface
//
// Joined to surface-lighting.wgsl, and to reflections-tabled.wgsl or reflections-plain.wgsl. The structure Reflections
// is generated. The result is added to the picture: the mirrored light, without the light of the environment that it
// replaces.

@group(2) @binding(0) var litPicture: texture_2d<f32>;
@group(2) @binding(1) var pictureSampler: sampler;
@group(2) @binding(2) var nearestDepths: texture_2d<f32>;
@group(2) @binding(3) var<uniform> reflections: Reflections;

// Largest number of squares and pixels that a ray visits.
const MOST_STEPS = 192;
// Distance in pixels by which a ray goes on beyond the edge of a square.
const NUDGE = 0.01;
// Reflections fade out over this share of the picture at its edges, and over the last shares of the other limits.
const EDGE_SHARE = 0.08;
const FADING_SHARE = 0.25;

// A surface that a ray meets. Without a surface, the weight is 0.
struct Hit {
  // Pixels from the top left, depth of the surface.
  place: vec3f,
  // Share of the reflection that is applied.
  weight: f32,
}

@fragment
fn reflectPicture(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let pixel = vec2u(position.xy);
  let depth = textureLoad(writtenDepth, pixel, 0);
  if depth == 0.0 {
    discard;
  }
  let appearance = appearanceAt(pixel);
  let roughness = clamp(appearance.roughness, 0.0, 1.0);
  let most = reflections.maximumRoughness;
  let smoothShare = fadingShare(max(roughness, 1e-6) / max(most, 1e-9));
  let place = placeAt(position.xy, depth);
  let toViewer = toViewerFrom(place.position);
  let direction = reflect(-toViewer, appearance.normal);
  let facing = select(-1.0, 1.0, dot(place.normal, toViewer) >= 0.0);
  if smoothShare * reflections.intensity == 0.0 || dot(place.normal, direction) * facing <= 0.0 {
    discard;
  }
  let start = Start(vec3f(position.xy, depth), offsetAt(position.xy, depth), direction, place.normal * facing);
  let hit = trace(start);
  if hit.weight == 0.0 {
    discard;
  }
  let along = offsetAt(hit.place.xy, hit.place.z).xyz - start.offset.xyz;
  let mirrored = colorAt(start, hit.place, length(along) * roughness * roughness);
  let nDotV = clamp(dot(appearance.normal, toViewer), 0.0, 1.0);
  findAmbientVisibility(place);
  let replaced = environmentRadiance(appearance.normal, toViewer, roughness) * visibleReflection(nDotV, roughness);
  let share = reflectedShare(appearance.baseColor.rgb, appearance.metallic, nDotV, roughness)
    * (appearance.occlusion * reflections.intensity * smoothShare * hit.weight);
  let change = dimmedByFog(share * (mirrored - replaced), place.position);
  let before = textureLoad(litPicture, pixel, 0).rgb;
  return vec4f(clamp(before + change, vec3f(0.0), vec3f(BRIGHTEST)) - before, 0.0);
}

// The beginning of a ray.
struct Start {
  // Pixels from the top left, depth.
  place: vec3f,
  // Metres from the camera; 1 / w of the clip position.
  offset: vec4f,
  // Unit length.
  direction: vec3f,
  // Normal of the vertices, on the visible side.
  normal: vec3f,
}

fn offsetAt(pixel: vec2f, depth: f32) -> vec4f {
  let scaled = surfaceView.offsetFromClip * clipAt(pixel, depth);
  return vec4f(scaled.xyz / scaled.w, scaled.w);
}

// Returns 1 up to a share of 1 − FADING_SHARE, and 0 from 1 on.
fn fadingShare(share: f32) -> f32 {
  return saturate((1.0 - share) / FADING_SHARE);
}

// Returns the way in pixels and depth from the start to the end of the ray, or to the near plane in front of the camera.
fn wayOf(start: Start) -> vec3f {
  let size = vec2f(textureDimensions(writtenDepth));
  let begin = clipAt(start.place.xy, start.place.z) / start.offset.w;
  let along = view.clipFromWorld * vec4f(start.direction * reflections.distance, 0.0);
  var share = 1.0;
  // Depth is w − z = 0 at the near plane, and z = 0 at the far plane.
  let end = begin + along;
  if end.z > end.w {
    share = min(share, 0.999 * (begin.w - begin.z) / max(along.z - along.w, 1e-30));
  }
  if end.z < 0.0 {
    share = min(share, begin.z / max(-along.z, 1e-30));
  }
  let last = begin + along * max(share, 0.0);
  let ndc = last.xyz / last.w;
  return vec3f((ndc.x * 0.5 + 0.5) * size.x, (0.5 - ndc.y * 0.5) * size.y, ndc.z) - start.place;
}

// Returns the share of the way at which it leaves a square in this column and row.
fn leaveOf(cell: vec2f, cellSize: f32, start: vec2f, way: vec2f) -> f32 {
  let edge = (cell + select(vec2f(0.0), vec2f(1.0), way > vec2f(0.0))) * cellSize;
  let shares = select((edge - start) / way, vec2f(1e9), abs(way) < vec2f(1e-6));
  return min(shares.x, shares.y);
}

fn trace(start: Start) -> Hit {
  let way = wayOf(start);
  let extent = max(abs(way.x), abs(way.y));
  if !(extent > 1.0) {
    return Hit(start.place, 0.0);
  }
  let size = vec2f(textureDimensions(writtenDepth));
  let end = min(1.0, leaveOf(vec2f(0.0), 1.0, start.place.xy / size, way.xy / size));
  let nudge = NUDGE / extent;
  let lastLevel = i32(textureNumLevels(nearestDepths));
  // The ray leaves its own pixel first.
  var at = leaveOf(floor(start.place.xy), 1.0, start.place.xy, way.xy) + nudge;
  var level = 0;
  // Last share of the way, and depth there, at which the ray was compared with a pixel or left a square.
  var before = vec2f(0.0, start.place.z);
  for (var step = 0; step < MOST_STEPS && at < end; step++) {
    let here = start.place + way * at;
    let cellSize = f32(1 << u32(level));
    let cell = floor(here.xy / cellSize);
    let leave = min(max(leaveOf(cell, cellSize, start.place.xy, way.xy), at) + nudge, end);
    let depthAhead = start.place.z + way.z * leave;
    if level > 0 {
      let isInFront = min(here.z, depthAhead) > nearestIn(cell, level);
      at = select(at, leave, isInFront);
      before = select(before, vec2f(leave, depthAhead), isInFront);
      level = select(level - 1, min(level + 1, lastLevel), isInFront);
      continue;
    }
    let surface = textureLoad(writtenDepth, min(vec2u(here.xy), vec2u(size) - 1u), 0);
    let middle = vec2f(at + leave, here.z + depthAhead) * 0.5;
    if middle.y > surface {
      level = 1;
    } else if surface > 0.0 {
      let crossing = (surface - start.place.z) / select(way.z, -1e-30, way.z == 0.0);
      let place = start.place.xy + way.xy * clamp(crossing, before.x, middle.x);
      let met = hitAt(start, vec3f(place, surface), floor(here.xy) + 0.5, max(before.y, middle.y));
      if met.weight > 0.0 {
        return met;
      }
    }
    before = middle;
    at = leave;
  }
  return Hit(start.place, 0.0);
}

// Returns the nearest depth in a square. Level 1 is mip level 0 of the texture.
fn nearestIn(cell: vec2f, level: i32) -> f32 {
  let size = textureDimensions(nearestDepths, level - 1);
  return textureLoad(nearestDepths, min(vec2u(cell), size - 1u), level - 1).r;
}

// Returns the hit of a ray that has come behind the surface of a pixel. `place` is where it crosses the surface's depth,
// `middle` the middle of the pixel, and `nearestDepth` the ray's nearest depth since its last place in front of a
// surface.
fn hitAt(start: Start, place: vec3f, middle: vec2f, nearestDepth: f32) -> Hit {
  let met = offsetAt(middle, place.z);
  let offset = met.xyz - start.offset.xyz;
  let behind = dot(offsetAt(middle, nearestDepth).xyz - met.xyz, view.cameraForward);
  let front = decodeDirection(textureLoad(writtenNormals, vec2u(middle), 0).zw);
  let toViewer = toViewerFrom(view.cameraPosition + met.xyz);
  let visible = front * select(-1.0, 1.0, dot(front, toViewer) >= 0.0);
  // A ray from behind would meet the back of the surface, which the picture does not show.
  let frontShare = saturate(-16.0 * dot(visible, start.direction));
  let share = (place.xy + reflections.origin) / reflections.size;
  let inside = saturate(min(share, 1.0 - share) / EDGE_SHARE);
  let weight = frontShare * inside.x * inside.y * fadingShare(max(behind, 0.0) / reflections.thickness)
    * fadingShare(length(offset) / reflections.distance);
  return Hit(place, select(0.0, weight, isAbove(met, start)));
}

// Returns whether a surface is above the plane that the ray starts from. A surface below this plane cannot be
// mirrored. The plane itself is excluded, with a tolerance.
fn isAbove(surface: vec4f, start: Start) -> bool {
  return dot(surface.xyz - start.offset.xyz, start.normal) > 0.25 * pixelSize() / abs(surface.w);
}

// Returns the colour of the picture at a place, averaged over a disc with this radius in metres.
fn colorAt(start: Start, place: vec3f, radius: f32) -> vec3f {
  let size = vec2f(textureDimensions(writtenDepth));
  let middle = offsetAt(place.xy, place.z);
  let level = log2(max(2.0 * radius * abs(middle.w) / pixelSize(), 1.0));
  let blurred = textureSampleLevel(litPicture, pictureSampler, place.xy / size, level).rgb;
  // Between the middles of four pixels, only pixels of the same surface count. Others would bleed over its edges.
  let corner = floor(place.xy - 0.5);
  let share = place.xy - 0.5 - corner;
  var sum = vec4f(0.0);
  for (var index = 0u; index < 4u; index++) {
    let side = vec2f(f32(index & 1u), f32(index >> 1u));
    let pixel = clamp(corner + side, vec2f(0.0), size - 1.0);
    let depth = textureLoad(writtenDepth, vec2u(pixel), 0);
    let surface = offsetAt(pixel + 0.5, max(depth, 1e-30));
    let isNear = abs(dot(surface.xyz - middle.xyz, view.cameraForward)) < reflections.thickness;
    let weights = mix(1.0 - share, share, side);
    let weight = select(1e-4, weights.x * weights.y, depth > 0.0 && isNear && isAbove(surface, start));
    sum += vec4f(textureLoad(litPicture, vec2u(pixel), 0).rgb, 1.0) * weight;
  }
  return mix(sum.rgb / sum.a, blurred, min(level, 1.0));
}
