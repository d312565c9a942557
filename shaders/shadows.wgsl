// Shadows on mesh.wgsl's surfaces by shadow maps (src/render/shadows/). Depth in the maps is reversed: 1 near the
// light, 0 far from it.

@group(0) @binding(10) var<storage, read> shadowViews: array<ShadowView>;
@group(0) @binding(11) var shadowMaps: texture_depth_2d;
@group(0) @binding(12) var shadowSampler: sampler_comparison;

// Variants, fixed per pipeline: whether more than one light casts shadows, and whether any shadow is soft.
override hasManyShadows = true;
override hasSoftShadows = true;

// Share of a cascade's width over which it fades into the next.
const CASCADE_FADE = 0.1;
// Views of a point light in `Light.shadowViews`, one per side of a cube.
const CUBE_SIDES = 6u;
// Texels from a lookup to the farthest corner that the narrow filter reads. The value includes half a texel's
// diagonal, because a map depth is the depth at the texel's centre.
const NARROW_LIFT = 3.4;
// Texels from a lookup of a wide filter to the farthest texel that it reads. The wide filter follows the surface from
// lookup to lookup.
const WIDE_LIFT = 1.4;
// Radius of the widest soft shadow in texels.
const WIDEST = 24.0;
const SOFT_SAMPLES = 16;
// The first samples of a search lie within the reach of the narrow filter. So the search finds every blocker that the
// filter sees.
const NEAR_SAMPLES = 5;
// Least cosine between a surface's normal and the map's axis. The depth of a steeper surface is treated as if the
// surface had this slope.
const STEEPEST_COSINE = 0.02;

// A lookup in a map.
struct MapPlace {
  // Texture coordinates in the atlas.
  uv: vec2f,
  depth: f32,
  // Metres along the light's axis; 1 for a directional light.
  w: f32,
}

// A place with the data that the filters of soft shadows need.
struct WidePlace {
  place: MapPlace,
  slope: vec2f,
  penumbraOfDepth: f32,
  // Rotation of the pixel's samples, as a share of a full turn.
  turn: f32,
}

// Returns the light of shadow-casting lights that the surface reflects to the viewer.
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

// Returns the unshadowed share of a light, 0 in the dark to 1 in full light. Directional lights use the nearest
// cascade that holds the place. Near the cascade's edge, its share is mixed with that of the next cascade. Spot lights
// and each side of a point light have one map. One loop serves all kinds, because each further call would be another
// copy of the code.
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
  // Each view has its own cascades, side by side.
  if isDirectional {
    first += view.index * count;
  }
  var reaching = 0.0;
  var rest = 1.0;
  for (var map = first; map < first + count && rest > 0.0; map++) {
    let flat = placeInMap(map, place.position);
    let inside = shadowViews[map].inside;
    let toEdge = min(flat.uv - inside.xy, inside.zw - flat.uv) / max(inside.zw - inside.xy, vec2f(1e-6));
    // If a place lies below a cascade's range of depth, its casters may lie below the range too. The map does not hold
    // them.
    let isHeld = flat.depth > 0.0;
    let share = select(1.0, clamp(min(toEdge.x, toEdge.y) / CASCADE_FADE, 0.0, 1.0) * f32(isHeld), isDirectional);
    if share > 0.0 {
      reaching += rest * share * lightInMap(map, flat, place, toLight);
      rest *= 1.0 - share;
    }
  }
  // Places outside of all cascades are in full light.
  return reaching + rest;
}

// Returns the side of the cube around a point light through which an offset from the light passes: +X, −X, +Y, −Y, +Z,
// −Z.
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
  // Avoids a division by zero. Places behind a spot light are neither drawn nor looked up.
  let w = max(place.w, 1e-6);
  return MapPlace(place.xy / w, clamp(place.z / w, 0.0, 1.0), w);
}

// Returns the place for a filter that reads `texels` around it. The place is lifted off its surface, so that a flat
// surface casts no shadow on itself. One texel across the map needs a lift of a texel's width, times the sine of the
// angle between the normal and the map's axis. A place computed from a depth may already lie below its surface.
fn liftedPlace(index: u32, flat: MapPlace, place: ShadedPlace, toLight: vec3f, texels: f32) -> MapPlace {
  let cosine = dot(place.normal, toLight);
  let toAxis = dot(place.normal, axisOf(index, toLight));
  let sine = sqrt(max(1.0 - toAxis * toAxis, 0.0));
  let texel = shadowViews[index].texelSize * flat.w;
  // A small extra lift covers the rounding of depths when surface and light face each other.
  let lift = (texel * texels * sine + max(texel * 0.1, place.error)) * select(1.0, -1.0, cosine < 0.0);
  return placeInMap(index, place.position + place.normal * lift);
}

// Returns the map's axis with unit length. For a directional light, the axis points towards the light. For a spot light
// or a side of a point light, it points away from the light.
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
    // The map can't show narrower penumbras.
    if radius > 2.0 {
      return filteredWide(index, wide, radius);
    }
  }
  return filteredNarrow(index, liftedPlace(index, flat, place, toLight, NARROW_LIFT));
}

// Returns the mean of 3 × 3 interpolated comparisons one texel apart, weighted 1 2 1 along each axis. Together they
// read 4 × 4 texels. Four lookups are enough, because the sampler interpolates two by two texels.
fn filteredNarrow(index: u32, place: MapPlace) -> f32 {
  let size = vec2f(textureDimensions(shadowMaps));
  let texels = place.uv * size;
  let corner = floor(texels + 0.5);
  let rest = texels + 0.5 - corner;
  // Along each axis, the weights of the lower and the upper pair of texels add up to 4. `low` and `high` are the
  // coordinates at which the pairs are looked up.
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

// Returns the change of a plane's depth with texture coordinates. A wide filter compares each texel with the depth of
// the surface at that texel. A comparison with the place itself would need a lift by the whole radius, which moves the
// shadow.
//
// Along a step t in the plane, u changes by a · t, v by b · t, and depth by c · t, each divided by w. So c − slope.x a
// − slope.y b is normal to the plane.
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

// Returns the width of a penumbra in texels per unit of depth between a place and its blocker. For a spot light, depth
// = near / w makes it the same everywhere. The width is softness × (w − blocker's w) / blocker's w metres, and a texel
// has texelSize × w metres.
fn penumbraOfDepth(index: u32) -> f32 {
  let near = shadowViews[index].near;
  let units = select(1.0 / max(near, 1e-30), shadowViews[index].depthRange, near == 0.0);
  return shadowViews[index].softness / shadowViews[index].texelSize * units;
}

// Returns the least depth at which a texel at `uv` blocks a light with a size. A blocker has to lie in front of the
// plane of the surface. Its penumbra has to be at least half as wide as its distance from the place. So a floor beside
// a wall does not block the wall's light.
fn blockingDepth(wide: WidePlace, uv: vec2f, size: vec2f) -> f32 {
  let offset = uv - wide.place.uv;
  let beyond = max(dot(wide.slope, offset), 0.5 * length(offset * size) / wide.penumbraOfDepth);
  // Nothing lies lower than the map's range of depth.
  return clamp(wide.place.depth + beyond, 0.0, 1.0);
}

// Returns the radius of the soft shadow at the place in texels, from the mean distance of the blockers
// (percentage-closer soft shadows, Fernando 2005). 0 means that nothing blocks the light.
fn penumbra(index: u32, wide: WidePlace) -> f32 {
  let size = vec2f(textureDimensions(shadowMaps));
  let inside = shadowViews[index].inside;
  let here = wide.place.depth;
  // A blocker up to halfway to a spot or point light counts. For a directional light the search reaches to the near end
  // of its map.
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

// Returns the offset of a sample in the search for blockers, in texels. The first samples lie at the place and beside
// it, the others over the whole reach.
fn searched(sample: i32, reach: f32, turn: f32) -> vec2f {
  if sample < NEAR_SAMPLES {
    let corner = vec2f(f32(sample & 1), f32((sample >> 1u) & 1)) * 2.0 - 1.0;
    return select(corner, vec2f(0.0), sample == 0);
  }
  return onDisc(sample - NEAR_SAMPLES, SOFT_SAMPLES - NEAR_SAMPLES, turn) * reach;
}

// Returns the point of one of `count` samples, which are spread evenly over a disc of radius 1 on a spiral of
// golden angles. `turn` is a share of a full turn.
fn onDisc(sample: i32, count: i32, turn: f32) -> vec2f {
  let angle = f32(sample) * 2.399963 + turn * 2.0 * PI;
  return sqrt((f32(sample) + 0.5) / f32(count)) * vec2f(cos(angle), sin(angle));
}

// Returns noise from 0 to 1 that differs in neighbouring pixels (interleaved gradient noise, Jimenez 2014).
fn noise(pixel: vec2f) -> f32 {
  return fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715))));
}
