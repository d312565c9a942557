// Forward shading of every mesh. The structures View, Primitive, Material and Light are generated
// (src/render/gpu-layouts.ts). Positions are relative to the render origin, in metres.

// Variants, fixed per pipeline.
override alphaMode = 0u;  // 0 opaque, 1 mask, 2 blend
override isUnlit = false;
override isTextured = false;
override isNormalMapped = false;
override hasTangents = false;
override mayLackNormals = false;

// The largest value stored in the half-float scene colour; infinity would spread when samples are averaged.
const BRIGHTEST = 60000.0;

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> primitives: array<Primitive>;
@group(0) @binding(2) var<storage, read> instances: array<u32>;
@group(0) @binding(3) var<storage, read> materials: array<Material>;
@group(0) @binding(4) var<storage, read> lights: array<Light>;

@group(1) @binding(0) var baseColorTexture: texture_2d<f32>;
@group(1) @binding(1) var baseColorSampler: sampler;
@group(1) @binding(2) var metallicRoughnessTexture: texture_2d<f32>;
@group(1) @binding(3) var metallicRoughnessSampler: sampler;
@group(1) @binding(4) var normalTexture: texture_2d<f32>;
@group(1) @binding(5) var normalSampler: sampler;
// Bindings 6 and 7 are the occlusion texture: it dims indirect light only, and there is none yet.
@group(1) @binding(8) var emissiveTexture: texture_2d<f32>;
@group(1) @binding(9) var emissiveSampler: sampler;

// Texture slots, in the order of `TEXTURE_SLOTS`.
const BASE_COLOR = 0u;
const METALLIC_ROUGHNESS = 1u;
const NORMAL = 2u;
const EMISSIVE = 4u;

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
  @location(1) normal: vec3f,
  @location(2) tangent: vec4f,
  @location(3) uv: vec4f,
  @location(4) color: vec4f,
  @location(5) @interpolate(flat) materialSlot: u32,
}

@vertex
fn placeVertex(vertex: Vertex, @builtin(instance_index) instance: u32) -> Varying {
  let slot = instances[instance];
  let row0 = primitives[slot].worldFromLocal[0];
  let row1 = primitives[slot].worldFromLocal[1];
  let row2 = primitives[slot].worldFromLocal[2];
  let local = vec4f(vertex.position, 1.0);
  let position = vec3f(dot(row0, local), dot(row1, local), dot(row2, local));

  // Normals go with the cofactors of the matrix, which are right under any scale, zero included.
  let mirror = select(1.0, -1.0, (primitives[slot].flags & PRIMITIVE_IS_MIRRORED) != 0u);
  // Products of two tiny or huge scales leave the range of floats: the largest component becomes 1 first.
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
  out.color = vertex.color;
  out.materialSlot = primitives[slot].materialSlot;
  return out;
}

fn normalizeOrZero(vector: vec3f) -> vec3f {
  let scaled = vector / largest(vector);
  return scaled * inverseSqrt(max(dot(scaled, scaled), 1.0));
}

// The largest component, never zero, so that it can be divided by.
fn largest(vector: vec3f) -> f32 {
  let size = abs(vector);
  return max(max(size.x, size.y), max(size.z, 1e-30));
}

// The texture coordinates of a slot: the set it reads, through its transform.
fn slotUv(materialSlot: u32, slot: u32, uv: vec4f) -> vec2f {
  let abcd = materials[materialSlot].textureTransforms[slot * 2u];
  let ef = materials[materialSlot].textureTransforms[slot * 2u + 1u];
  let source = select(uv.xy, uv.zw, ef.z > 0.5);
  return vec2f(dot(abcd.xy, source) + abcd.z, abcd.w * source.x + ef.x * source.y + ef.y);
}

@fragment
fn shadeMesh(input: Varying, @builtin(front_facing) isFrontFacing: bool) -> @location(0) vec4f {
  let slot = input.materialSlot;
  var baseColor = materials[slot].baseColor * input.color;
  var emissive = materials[slot].emissive;
  var metallic = materials[slot].metallic;
  var roughness = materials[slot].roughness;
  if isTextured {
    baseColor *= textureSample(
      baseColorTexture, baseColorSampler, slotUv(slot, BASE_COLOR, input.uv)
    );
    if !isUnlit {
      let metallicRoughness = textureSample(
        metallicRoughnessTexture, metallicRoughnessSampler, slotUv(slot, METALLIC_ROUGHNESS, input.uv)
      );
      roughness *= metallicRoughness.g;
      metallic *= metallicRoughness.b;
      emissive *= textureSample(emissiveTexture, emissiveSampler, slotUv(slot, EMISSIVE, input.uv)).rgb;
    }
  }
  var normal = normalize(input.normal);
  if isNormalMapped {
    normal = mappedNormal(input, normal);
  }
  if !isFrontFacing {
    normal = -normal;
  }

  if alphaMode == 1u && baseColor.a < materials[slot].alphaCutoff {
    discard;
  }
  let alpha = select(1.0, baseColor.a, alphaMode == 2u);
  if isUnlit || (mayLackNormals && dot(input.normal, input.normal) == 0.0) {
    return vec4f(baseColor.rgb, alpha);
  }

  var surface: Surface;
  let perceptualRoughness = clamp(roughness, SMALLEST_ROUGHNESS, 1.0);
  surface.alpha = perceptualRoughness * perceptualRoughness;
  surface.diffuseColor = mix(baseColor.rgb, vec3f(0.0), metallic);
  surface.specularColor = mix(vec3f(DIELECTRIC_REFLECTANCE), baseColor.rgb, metallic);
  surface.normal = normal;
  surface.toViewer = select(
    normalize(view.cameraPosition - input.position), -view.cameraForward, view.isOrthographic != 0u
  );
  var light = emissive;
  for (var index = 0u; index < view.lightCount; index++) {
    light += lightFrom(index, surface, input.position);
  }
  return vec4f(min(light, vec3f(BRIGHTEST)), alpha);
}

// Light that one light sends to the viewer by way of the surface, as KHR_lights_punctual defines it.
fn lightFrom(index: u32, surface: Surface, position: vec3f) -> vec3f {
  let kind = lights[index].kind;
  if kind == LIGHT_DIRECTIONAL {
    return lights[index].intensity * reflectedLight(surface, -lights[index].direction);
  }
  let offset = lights[index].position - position;
  let squaredDistance = max(dot(offset, offset), 1e-8);
  let toLight = offset * inverseSqrt(squaredDistance);
  var attenuation = 1.0 / squaredDistance;
  let range = lights[index].range;
  if range > 0.0 {
    let relative = squaredDistance / (range * range);
    attenuation *= clamp(1.0 - relative * relative, 0.0, 1.0);
  }
  // Point lights have scale 0 and offset 1, hence cone 1.
  let cone = clamp(
    dot(lights[index].direction, -toLight) * lights[index].coneScale + lights[index].coneOffset, 0.0, 1.0
  );
  return lights[index].intensity * (attenuation * cone * cone) * reflectedLight(surface, toLight);
}

// The normal that the normal texture gives, seen from the front. Without tangents, the frame follows from how
// texture coordinates change over the screen; its third axis points up the image, as in glTF.
fn mappedNormal(input: Varying, normal: vec3f) -> vec3f {
  let slot = input.materialSlot;
  let uv = slotUv(slot, NORMAL, input.uv);
  let texel = textureSample(normalTexture, normalSampler, uv).xyz * 2.0 - 1.0;
  let scaled = texel * vec3f(vec2f(materials[slot].normalScale), 1.0);
  var tangent: vec3f;
  var bitangent: vec3f;
  if hasTangents {
    tangent = input.tangent.xyz;
    bitangent = cross(normal, tangent) * input.tangent.w;
  } else {
    let positionX = dpdx(input.position);
    let positionY = dpdy(input.position);
    let uvX = dpdx(uv);
    let uvY = dpdy(uv);
    // Gradients of u and v over the surface, up to a common factor.
    let acrossX = cross(positionY, normal);
    let acrossY = cross(normal, positionX);
    let orientation = sign(dot(positionX, acrossX));
    let gradientU = (acrossX * uvX.x + acrossY * uvY.x) * orientation;
    let gradientV = (acrossX * uvX.y + acrossY * uvY.y) * orientation;
    let largest = max(dot(gradientU, gradientU), dot(gradientV, gradientV));
    let factor = select(0.0, inverseSqrt(largest), largest > 0.0);
    tangent = gradientU * factor;
    bitangent = -gradientV * factor;
  }
  return normalizeOrZero(tangent * scaled.x + bitangent * scaled.y + normal * scaled.z);
}
