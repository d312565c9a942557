// How much of a light reaches mesh.wgsl's surfaces, by shadow maps (src/render/shadows/). Depth in them is reversed: 1 near
// the light, 0 far from it.

@group(0) @binding(10) var<storage, read> shadowViews: array<ShadowView>;
@group(0) @binding(11) var shadowMaps: texture_depth_2d;
@group(0) @binding(12) var shadowSampler: sampler_comparison;

// Variants, fixed per pipeline: more than one light casts shadows; shadows of some are soft.
override hasManyShadows = true;
override hasSoftShadows = true;

// Share of a cascade's width over which it fades into the next.
const CASCADE_FADE = 0.1;
// Of `Light.shadowViews`: one for each side of a cube.
const CUBE_SIDES = 6u;
// Texels from a lookup to the farthest corner of what the narrow filter reads, and half a texel's diagonal for what lies
// between the texels of the map.
const NARROW_LIFT = 3.4;
// Texels from where a wide filter looks to the farthest that it reads there: it follows the surface from look to look.
const WIDE_LIFT = 1.4;
// Texels: the widest soft shadow.
const WIDEST = 24.0;
const SOFT_SAMPLES = 16;
// The first samples of a search lie within the reach of the narrow filter: what that filter sees is found as well.
const NEAR_SAMPLES = 5;
// The cosine between a surface and the map's axis from which on its depth is taken to be no steeper across the map.
const STEEPEST_COSINE = 0.02;

// A lookup in a map.
struct MapPlace {
  // Texture coordinates of the atlas.
  uv: vec2f,
  depth: f32,
  // Metres along the light's axis; 1 for a directional light.
  w: f32,
}

// A place as the filters of soft shadows see it.
struct WidePlace {
  place: MapPlace,
  slope: vec2f,
  penumbraOfDepth: f32,
  // Share of a full turn by which the pixel's samples are turned.
  turn: f32,
}

// What the lights that cast shadows send to the viewer by way of the surface.
fn shadowedLight(surface: Surface, place: ShadedPlace) -> vec3f {
  if !hasManyShadows {
    return select(vec3f(0.0), lightPastCasters(0u, surface, place), view.shadowedLightCount > 0u);
  }
  var light = vec3f(0.0);
  for (var index = 0u; index < view.shadowedLightCount; index++) {
    light += lightPastCasters(index, surface, place);
  }
  return light;
}

fn lightPastCasters(index: u32, surface: Surface, place: ShadedPlace) -> vec3f {
  let arriving = lightFrom(index, surface, place.position);
  if place.receivesShadow && any(arriving > vec3f(0.0)) {
    return arriving * lightReaching(index, place);
  }
  return arriving;
}

// 0 in the dark to 1 in full light. Directional: the nearest cascade that holds the place; near its edge, mixed with the next.
// Spot and point lights have one map that holds it. All in one loop: each further call would be another copy of the code.
fn lightReaching(index: u32, place: ShadedPlace) -> f32 {
  let isDirectional = lights[index].kind == LIGHT_DIRECTIONAL;
  let offset = place.position - lights[index].position;
  let toLight = select(-normalize(offset), -lights[index].direction, isDirectional);
  var first = lights[index].shadowViews & 0xffffu;
  var count = lights[index].shadowViews >> 16u;
  if count == CUBE_SIDES {
    first += sideOf(offset);
    count = 1u;
  }
  // Each view has cascades of its own, side by side.
  if isDirectional {
    first += view.index * count;
  }
  var reaching = 0.0;
  var rest = 1.0;
  for (var map = first; map < first + count && rest > 0.0; map++) {
    let flat = placeInMap(map, place.position);
    let inside = shadowViews[map].inside;
    let toEdge = min(flat.uv - inside.xy, inside.zw - flat.uv) / max(inside.zw - inside.xy, vec2f(1e-6));
    // Below what a cascade shades its map lacks casters: they are below it as well.
    let isHeld = flat.depth > 0.0;
    let share = select(1.0, clamp(min(toEdge.x, toEdge.y) / CASCADE_FADE, 0.0, 1.0) * f32(isHeld), isDirectional);
    if share > 0.0 {
      reaching += rest * share * lightInMap(map, flat, place, toLight);
      rest *= 1.0 - share;
    }
  }
  // What no cascade holds is in full light.
  return reaching + rest;
}

// The side of the cube around a point light that an offset from it goes through: +X, −X, +Y, −Y, +Z, −Z.
fn sideOf(offset: vec3f) -> u32 {
  let size = abs(offset);
  if size.x >= size.y && size.x >= size.z {
    return select(0u, 1u, offset.x < 0.0);
  }
  if size.y >= size.z {
    return select(2u, 3u, offset.y < 0.0);
  }
  return select(4u, 5u, offset.z < 0.0);
}

fn placeInMap(index: u32, position: vec3f) -> MapPlace {
  let place = shadowViews[index].mapFromWorld * vec4f(position, 1.0);
  // Nothing is drawn behind a spot light, nor looked up.
  let w = max(place.w, 1e-6);
  return MapPlace(place.xy / w, clamp(place.z / w, 0.0, 1.0), w);
}

// The place as a filter sees it that reads `texels` around it: lifted off its surface, so that a flat surface keeps no light
// from itself. A step of one texel across the map leads as far off the surface as the sine of the angle between its normal and
// the map's axis says. A place that was read from a depth may already lie below its surface.
fn liftedPlace(index: u32, flat: MapPlace, place: ShadedPlace, toLight: vec3f, texels: f32) -> MapPlace {
  let cosine = dot(place.normal, toLight);
  let toAxis = dot(place.normal, axisOf(index, toLight));
  let sine = sqrt(max(1.0 - toAxis * toAxis, 0.0));
  let texel = shadowViews[index].texelSize * flat.w;
  // A little more where surface and light face each other: depths are rounded.
  let lift = (texel * texels * sine + max(texel * 0.1, place.error)) * select(1.0, -1.0, cosine < 0.0);
  return placeInMap(index, place.position + place.normal * lift);
}

// Unit length: the way a spot light looks, or a point light on one of its sides; of a directional light, the way to it.
fn axisOf(index: u32, toLight: vec3f) -> vec3f {
  if shadowViews[index].near == 0.0 {
    return toLight;
  }
  let columns = shadowViews[index].mapFromWorld;
  return vec3f(columns[0].w, columns[1].w, columns[2].w);
}

fn lightInMap(index: u32, flat: MapPlace, place: ShadedPlace, toLight: vec3f) -> f32 {
  if hasSoftShadows && shadowViews[index].softness > 0.0 {
    let lifted = liftedPlace(index, flat, place, toLight, WIDE_LIFT);
    let wide = WidePlace(lifted, depthSlope(index, lifted, place.normal), penumbraOfDepth(index), noise(place.pixel));
    let radius = penumbra(index, wide);
    // Narrower ones are as narrow as the map allows.
    if radius > 2.0 {
      return filteredWide(index, wide, radius);
    }
  }
  return filteredNarrow(index, liftedPlace(index, flat, place, toLight, NARROW_LIFT));
}

// The mean of 4 × 4 texels around the place, weighted as a box of two texels over their linear interpolation: four lookups
// of which the sampler interpolates each between the two texels by two that it stands for.
fn filteredNarrow(index: u32, place: MapPlace) -> f32 {
  let size = vec2f(textureDimensions(shadowMaps));
  let texels = place.uv * size;
  let corner = floor(texels + 0.5);
  let rest = texels + 0.5 - corner;
  // Of the lower and the upper pair of texels each way: weights, which add up to 4, and where to look.
  let lowWeight = 3.0 - 2.0 * rest;
  let highWeight = 1.0 + 2.0 * rest;
  let low = (corner + (2.0 - rest) / lowWeight - 1.5) / size;
  let high = (corner + rest / highWeight + 0.5) / size;
  let sum =
    lowWeight.x * lowWeight.y * compared(low, place.depth)
    + highWeight.x * lowWeight.y * compared(vec2f(high.x, low.y), place.depth)
    + lowWeight.x * highWeight.y * compared(vec2f(low.x, high.y), place.depth)
    + highWeight.x * highWeight.y * compared(high, place.depth);
  return sum / 16.0;
}

fn compared(uv: vec2f, depth: f32) -> f32 {
  return textureSampleCompareLevel(shadowMaps, shadowSampler, uv, depth);
}

fn filteredWide(index: u32, wide: WidePlace, radius: f32) -> f32 {
  let size = vec2f(textureDimensions(shadowMaps));
  let inside = shadowViews[index].inside;
  var sum = 0.0;
  for (var sample = 0; sample < SOFT_SAMPLES; sample++) {
    let texels = onDisc(sample, SOFT_SAMPLES, wide.turn) * radius;
    let uv = clamp(wide.place.uv + texels / size, inside.xy, inside.zw);
    sum += compared(uv, blockingDepth(wide, uv, size));
  }
  return sum / f32(SOFT_SAMPLES);
}

// How the depth of the plane through a place changes with texture coordinates. A wide filter compares what it reads with the
// surface there: with the place itself it would need a lift of its whole radius, which moves the shadow.
//
// Along a step t of the plane u changes by a · t, v by b · t and depth by c · t (times 1 / w): c − slope.x a − slope.y b is
// normal to the plane.
fn depthSlope(index: u32, place: MapPlace, normal: vec3f) -> vec2f {
  let rows = transpose(shadowViews[index].mapFromWorld);
  let a = rows[0].xyz - place.uv.x * rows[3].xyz;
  let b = rows[1].xyz - place.uv.y * rows[3].xyz;
  let c = rows[2].xyz - place.depth * rows[3].xyz;
  let across = cross(a, b);
  let volume = dot(across, normal);
  let least = STEEPEST_COSINE * length(across);
  let bounded = select(max(volume, least), min(volume, -least), volume < 0.0);
  return vec2f(dot(cross(c, b), normal), dot(cross(a, c), normal)) / bounded;
}

// Texels by which the edge of a shadow is the wider for each unit of depth between a place and what is in the way. With
// depth = near / w that is the same for a spot light everywhere: softness × (w − blocker's w) / blocker's w metres, of which
// a texel has texelSize × w.
fn penumbraOfDepth(index: u32) -> f32 {
  let near = shadowViews[index].near;
  let units = select(1.0 / max(near, 1e-30), shadowViews[index].depthRange, near == 0.0);
  return shadowViews[index].softness / shadowViews[index].texelSize * units;
}

// From which depth on something that the map has at `uv` is in the way of a light with a size: before the surface there, and
// near enough to the line to the light's middle, half of its distance at least. A floor beside a wall is not in its way.
fn blockingDepth(wide: WidePlace, uv: vec2f, size: vec2f) -> f32 {
  let offset = uv - wide.place.uv;
  let beyond = max(dot(wide.slope, offset), 0.5 * length(offset * size) / wide.penumbraOfDepth);
  // Nothing lies lower than what the map shades.
  return clamp(wide.place.depth + beyond, 0.0, 1.0);
}

// Texels from the middle to the edge of the soft shadow that falls here, by the mean distance of what is in the way
// (percentage-closer soft shadows, Fernando 2005); 0: nothing is.
fn penumbra(index: u32, wide: WidePlace) -> f32 {
  let size = vec2f(textureDimensions(shadowMaps));
  let inside = shadowViews[index].inside;
  let here = wide.place.depth;
  // What is halfway to a spot or point light still counts; a directional light is searched to its map's near end.
  let farthest = select(here, 1.0 - here, shadowViews[index].near == 0.0);
  let reach = min(farthest * wide.penumbraOfDepth, WIDEST);
  var found = 0.0;
  var sum = 0.0;
  for (var sample = 0; sample < SOFT_SAMPLES; sample++) {
    let uv = clamp(wide.place.uv + searched(sample, reach, wide.turn) / size, inside.xy, inside.zw);
    let depth = textureLoad(shadowMaps, vec2u(uv * size), 0);
    if depth > blockingDepth(wide, uv, size) {
      found += 1.0;
      sum += depth - here - dot(wide.slope, uv - wide.place.uv);
    }
  }
  return min(wide.penumbraOfDepth * sum / max(found, 1.0), WIDEST);
}

// Texels from a place to where what is in the way is looked for: right there and beside it, then over the whole reach.
fn searched(sample: i32, reach: f32, turn: f32) -> vec2f {
  if sample < NEAR_SAMPLES {
    let corner = vec2f(f32(sample & 1), f32((sample >> 1u) & 1)) * 2.0 - 1.0;
    return select(corner, vec2f(0.0), sample == 0);
  }
  return onDisc(sample - NEAR_SAMPLES, SOFT_SAMPLES - NEAR_SAMPLES, turn) * reach;
}

// Evenly spread over a disc of radius 1, along a spiral of golden angles. `turn` is a share of a full turn.
fn onDisc(sample: i32, count: i32, turn: f32) -> vec2f {
  let angle = f32(sample) * 2.399963 + turn * 2.0 * PI;
  return sqrt((f32(sample) + 0.5) / f32(count)) * vec2f(cos(angle), sin(angle));
}

// 0 to 1, different in neighbouring pixels (interleaved gradient noise, Jimenez 2014).
fn noise(pixel: vec2f) -> f32 {
  return fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715))));
}
