// The appearance of every mesh, and its forward shading. Other code is joined to it
// (src/render/materials/mesh-shader.ts). Positions are relative to the render origin, in metres.
//
//   generated from src/render/buffers/gpu-layouts.ts   the structures View, Primitive, Material and Light
//   composed from the material's features              applyMaterial, the parts of the base layer's reflection, and the
//     (src/render/materials/feature-code.ts)             lobes above it
//   environment.wgsl, or nothing                       environmentLight
//   ambient-visibility.wgsl, or factors of 1           findAmbientVisibility, visibleAmbient, visibleReflection
//   shadows.wgsl, or nothing                           shadowedLight
//   light-clusters.wgsl, or nothing                    clusteredLight
//   display-colors.wgsl, or the identity               displayColor, displayedLight
//   fog.wgsl, or the identity                          foggedColor
//   mesh-deformed.wgsl, or the vertices' normal        normalOf
//   material-shader-vertex.wgsl, or the identity       movedVertex
//   src/render/materials/varyings.ts, or nothing       members of Varying for a page's shader, passVaryings
//   mesh-billboards.wgsl, or plain-colors.wgsl         tintOf (factor on textures), blendedColor

// Variants, fixed per pipeline.
override alphaMode = 0u;  // 0 opaque, 1 mask, 2 blend
override isUnlit = false;
override mayLackNormals = false;
override isUnmapped = false;
// Whether blending multiplies the colour behind.
override isMultiplied = false;
// The next three variants omit code that a scene does not need, because loops and their loads are slow on adapters
// without real branches.

// Whether View holds a directional light without shadows.
override hasSun = true;
// Whether there is a loop over the other lights without shadows.
override hasLightLoop = true;
// Whether any light is a spot light, with or without shadows.
override hasSpotLights = true;

// Normal of the vertices, unit length, seen from the front. Set before applyMaterial.
var<private> frontNormal: vec3f;
// 1 on the front of a surface, −1 on its back. Set before applyMaterial.
var<private> facing = 1.0;

// The largest value stored in the half-float scene colour. Infinity would spread when samples are averaged.
const BRIGHTEST = 60000.0;

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> primitives: array<Primitive>;
@group(0) @binding(2) var<storage, read> instances: array<u32>;
@group(0) @binding(3) var<storage, read> materials: array<Material>;
@group(0) @binding(4) var<storage, read> lights: array<Light>;

struct Vertex {
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
  @location(2) uv0: vec2f,
  @location(3) tangent: vec4f,
  @location(4) uv1: vec2f,
  @location(5) color: vec4f,
}

struct Varying {
  @builtin(position) clipPosition: vec4f,
  @location(0) position: vec3f,
  // Interpolated at the centroid, because a triangle may cover only a part of a pixel. A normal extrapolated to the
  // pixel's centre could face away, and reflect light from a wrong direction.
  @location(1) @interpolate(perspective, centroid) normal: vec3f,
  @location(2) tangent: vec4f,
  @location(3) uv: vec4f,
  @location(4) color: vec4f,
  @location(5) @interpolate(flat) materialSlot: u32,
  // Bits of `Primitive.flags`.
  @location(6) @interpolate(flat) flags: u32,
  // Scale of the object, averaged over its axes; 1 unless READS_SCALE.
  @location(7) @interpolate(flat) scale: f32,
}

@vertex
fn placeVertex(vertex: Vertex, @builtin(instance_index) instance: u32) -> Varying {
  return placeByNode(vertex, instances[instance]);
}

fn placeByNode(vertex: Vertex, slot: u32) -> Varying {
  let row0 = primitives[slot].worldFromLocal[0];
  let row1 = primitives[slot].worldFromLocal[1];
  let row2 = primitives[slot].worldFromLocal[2];
  let mirror = select(1.0, -1.0, (primitives[slot].flags & PRIMITIVE_IS_MIRRORED) != 0u);
  return placeByRows(movedVertex(vertex, slot), slot, row0, row1, row2, mirror);
}

// Places a vertex by the rows of worldFromLocal. `mirror` is -1 for a matrix that mirrors, else 1.
fn placeByRows(vertex: Vertex, slot: u32, row0: vec4f, row1: vec4f, row2: vec4f, mirror: f32) -> Varying {
  let local = vec4f(vertex.position, 1.0);
  let position = vec3f(dot(row0, local), dot(row1, local), dot(row2, local));

  // Normals are multiplied by the cofactors of the matrix, which are right under any scale, zero included. Products of
  // two tiny or huge scales exceed the range of floats, so the largest component is scaled to 1 first.
  let extent = max(max(abs(row0.xyz), abs(row1.xyz)), abs(row2.xyz));
  let scale = largest(extent);
  let column0 = vec3f(row0.x, row1.x, row2.x) / scale;
  let column1 = vec3f(row0.y, row1.y, row2.y) / scale;
  let column2 = vec3f(row0.z, row1.z, row2.z) / scale;
  let normal = vertex.normal.x * cross(column1, column2)
    + vertex.normal.y * cross(column2, column0)
    + vertex.normal.z * cross(column0, column1);
  let tangent = column0 * vertex.tangent.x + column1 * vertex.tangent.y + column2 * vertex.tangent.z;

  var out: Varying;
  out.clipPosition = view.clipFromWorld * vec4f(position, 1.0);
  out.position = position;
  out.normal = normalizeOrZero(normal * mirror);
  out.tangent = vec4f(normalizeOrZero(tangent), vertex.tangent.w * mirror);
  out.uv = vec4f(vertex.uv0, vertex.uv1);
  out.materialSlot = primitives[slot].materialSlot;
  out.flags = primitives[slot].flags;
  out.color = vertex.color;
  out.scale = 1.0;
  if READS_SCALE {
    let volume = abs(dot(column0, cross(column1, column2)));
    out.scale = scale * pow(max(volume, 1e-30), 1.0 / 3.0);
  }
  if (out.flags & PRIMITIVE_COLORED) != 0u {
    out.color *= vec4f(unpack2x16float(primitives[slot].palette), unpack2x16float(primitives[slot].morph));
  }
  passVaryings(&out);
  return out;
}

fn normalizeOrZero(vector: vec3f) -> vec3f {
  let scaled = vector / largest(vector);
  return scaled * inverseSqrt(max(dot(scaled, scaled), 1.0));
}

// Returns the largest magnitude of a component; never zero, so that it can be a divisor.
fn largest(vector: vec3f) -> f32 {
  let size = abs(vector);
  return max(max(size.x, size.y), max(size.z, 1e-30));
}

// A point of a surface, for shadows.
struct ShadedPlace {
  // Metres from the render origin.
  position: vec3f,
  // Interpolated normal of the vertices, unit length.
  normal: vec3f,
  pixel: vec2f,
  receivesShadow: bool,
  // Largest distance in metres between the position and its surface.
  error: f32,
}

// The material at a point of the surface.
struct Appearance {
  baseColor: vec4f,
  emissive: vec3f,
  metallic: f32,
  roughness: f32,
  // Share of the light from all around that reaches the point, 0 to 1.
  occlusion: f32,
  // Unit length. applyMaterial sees it from the front. appearanceOf then turns it to the visible side.
  normal: vec3f,
}

@fragment
fn shadeMesh(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> @location(0) vec4f {
  return blendSource(displayColor(foggedColor(shade(input, isFrontFacing))));
}

// Output of passes that have a target for colours without exposure and tone mapping.
struct Layers {
  @location(0) mapped: vec4f,
  @location(1) unmapped: vec4f,
}

@fragment
fn shadeMeshInLayers(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> Layers {
  return inLayers(shade(input, isFrontFacing));
}

// Multiplies the colour by alpha if blending multiplies the colour behind, because blending can't do both.
fn blendSource(color: vec4f) -> vec4f {
  return select(color, vec4f(color.rgb * color.a, color.a), isMultiplied);
}

fn inLayers(color: vec4f) -> Layers {
  if isMultiplied {
    let factor = blendSource(foggedColor(color));
    return Layers(factor, factor);
  }
  // A blended surface dims the other target by its alpha, although it adds no colour there.
  let hidden = vec4f(0.0, 0.0, 0.0, select(0.0, color.a, alphaMode == 2u));
  if isUnmapped {
    return Layers(hidden + fogInFront(), foggedUnmapped(color));
  }
  return Layers(foggedColor(color), hidden);
}

// Calls enterFog, and returns the colour of the surface without fog.
fn shade(input: Varying, isFrontFacing: bool) -> vec4f {
  enterFog(input.position);
  return shadeSurface(input, isFrontFacing, appearanceOf(input, isFrontFacing));
}

// Returns the colour of the surface with an appearance, without fog. The caller has called enterFog.
fn shadeSurface(input: Varying, isFrontFacing: bool, appearance: Appearance) -> vec4f {
  let place = placeOf(input, isFrontFacing);
  var alpha = select(1.0, appearance.baseColor.a, alphaMode == 2u);
  if isUnlit || (mayLackNormals && dot(input.normal, input.normal) == 0.0) {
    return vec4f(appearance.baseColor.rgb, alpha);
  }
  let emitted = emissionThroughLobes(appearance.emissive, toViewerFrom(place.position));
  let light = emitted + litColor(appearance, place);
  if HAS_INTERIOR && alphaMode != 2u {
    alpha = 1.0 - openness * (1.0 - saturate(appearance.metallic));
  }
  return vec4f(min(light, vec3f(BRIGHTEST)), alpha);
}

// Evaluates the material. Discards the fragment where the material is cut out.
fn appearanceOf(input: Varying, isFrontFacing: bool) -> Appearance {
  let slot = input.materialSlot;
  var appearance: Appearance;
  appearance.baseColor = tintOf(input);
  appearance.emissive = materials[slot].emissive;
  appearance.metallic = materials[slot].metallic;
  appearance.roughness = materials[slot].roughness;
  appearance.occlusion = 1.0;
  appearance.normal = normalOf(input, isFrontFacing);
  frontNormal = appearance.normal;
  facing = select(-1.0, 1.0, isFrontFacing);
  applyMaterial(input, &appearance);
  appearance.baseColor = blendedColor(input, appearance.baseColor);
  if !isFrontFacing {
    appearance.normal = -appearance.normal;
  }
  if alphaMode == 1u && appearance.baseColor.a < materials[slot].alphaCutoff {
    discard;
  }
  return appearance;
}

fn placeOf(input: Varying, isFrontFacing: bool) -> ShadedPlace {
  let receivesShadow = (input.flags & PRIMITIVE_RECEIVES_NO_SHADOW) == 0u;
  return ShadedPlace(input.position, normalOf(input, isFrontFacing), input.clipPosition.xy, receivesShadow, 0.0);
}

// Returns the direction from a position to the camera, unit length.
fn toViewerFrom(position: vec3f) -> vec3f {
  return select(normalize(view.cameraPosition - position), -view.cameraForward, view.isOrthographic != 0u);
}

// Returns the direction of view at a point of the picture. Its length is 1.
fn directionAt(ndc: vec2f) -> vec3f {
  if view.isOrthographic != 0u {
    return view.cameraForward;
  }
  return normalize(transpose(view.clipFromWorld)[3].xyz + sidewaysAt(ndc));
}

// Returns the point's offset from the middle of the picture, in metres at a distance of 1 m from a perspective camera.
fn sidewaysAt(ndc: vec2f) -> vec3f {
  // Rows of the matrix are the camera's axes. The projection scales the axes to the right and up.
  let rows = transpose(view.clipFromWorld);
  let right = rows[0].xyz / dot(rows[0].xyz, rows[0].xyz);
  let up = rows[1].xyz / dot(rows[1].xyz, rows[1].xyz);
  return ndc.x * right + ndc.y * up;
}

// Returns the light that the surface reflects to the viewer.
fn litColor(appearance: Appearance, place: ShadedPlace) -> vec3f {
  let baseColor = appearance.baseColor.rgb;
  let surface = surfaceOf(
    baseColor, appearance.metallic, clamp(appearance.roughness, SMALLEST_ROUGHNESS, 1.0), appearance.normal,
    toViewerFrom(place.position)
  );
  findAmbientVisibility(place);
  let fromAround = environmentLight(
    surface.normal, surface.toViewer, baseColor, appearance.metallic, clamp(appearance.roughness, 0.0, 1.0),
    appearance.occlusion
  );
  var light = environmentThroughLobes(fromAround, surface, appearance.occlusion * ambientVisibility);
  light += shadowedLight(surface, place);
  if hasSun {
    light += layeredLight(surface, -view.sunDirection, view.sunIntensity);
  }
  if hasLightLoop {
    for (var index = view.firstLoopedLight; index < view.lightCount; index++) {
      light += lightFrom(index, surface, place.position);
    }
  }
  return light + clusteredLight(surface, place.position, place.pixel);
}

// Returns the light of one light that the surface reflects to the viewer, as KHR_lights_punctual defines it. All kinds
// share the code without branches, because adapters without real branches run both sides. The light is passed by index,
// so that unused fields are not loaded.
fn lightFrom(index: u32, surface: Surface, position: vec3f) -> vec3f {
  let offset = lights[index].position - position * lights[index].nearness;
  let squaredDistance = max(dot(offset, offset), 1e-8);
  let inverseDistance = inverseSqrt(squaredDistance);
  let toLight = offset * inverseDistance;
  let relative = squaredDistance * lights[index].inverseSquaredRange;
  var reach = inverseDistance;
  if hasSpotLights {
    // Lights other than spot lights have scale 0 and offset 1, which passes all light.
    let along = dot(lights[index].direction, toLight);
    reach *= clamp(lights[index].coneOffset - along * lights[index].coneScale, 0.0, 1.0);
  }
  let attenuation = clamp(1.0 - relative * relative, 0.0, 1.0) * reach * reach;
  return layeredLight(surface, toLight, lights[index].intensity * attenuation);
}

// Returns the light that all layers of the material reflect to the viewer when `intensity` arrives from `toLight`.
fn layeredLight(surface: Surface, toLight: vec3f, intensity: vec3f) -> vec3f {
  return lightThroughLobes(reflectedLight(surface, toLight, intensity), surface, toLight, intensity);
}
