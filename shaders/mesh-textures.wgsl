// Textures of mesh.wgsl's materials, whose `readTextures` is here: fetched with the first image, with texture-coordinates.wgsl.

// Variants, fixed per pipeline.
override isNormalMapped = false;
override hasTangents = false;

@group(1) @binding(0) var baseColorTexture: texture_2d<f32>;
@group(1) @binding(1) var baseColorSampler: sampler;
@group(1) @binding(2) var metallicRoughnessTexture: texture_2d<f32>;
@group(1) @binding(3) var metallicRoughnessSampler: sampler;
@group(1) @binding(4) var normalTexture: texture_2d<f32>;
@group(1) @binding(5) var normalSampler: sampler;
@group(1) @binding(6) var occlusionTexture: texture_2d<f32>;
@group(1) @binding(7) var occlusionSampler: sampler;
@group(1) @binding(8) var emissiveTexture: texture_2d<f32>;
@group(1) @binding(9) var emissiveSampler: sampler;

fn readTextures(input: Varying, appearance: ptr<function, Appearance>) {
  let slot = input.materialSlot;
  (*appearance).baseColor *= baseColorAt(slotUv(slot, BASE_COLOR, input.uv), input);
  if !isUnlit {
    let metallicRoughness = textureSample(
      metallicRoughnessTexture, metallicRoughnessSampler, slotUv(slot, METALLIC_ROUGHNESS, input.uv)
    );
    (*appearance).roughness *= metallicRoughness.g;
    (*appearance).metallic *= metallicRoughness.b;
    (*appearance).emissive *= textureSample(
      emissiveTexture, emissiveSampler, slotUv(slot, EMISSIVE, input.uv)
    ).rgb;
    // It dims only what the environment sends.
    if HAS_ENVIRONMENT {
      let occlusion = textureSample(occlusionTexture, occlusionSampler, slotUv(slot, OCCLUSION, input.uv)).r;
      (*appearance).occlusion = 1.0 + materials[slot].occlusionStrength * (occlusion - 1.0);
    }
  }
  if isNormalMapped {
    (*appearance).normal = mappedNormal(input, (*appearance).normal);
  }
}

fn baseColorAt(uv: vec2f, input: Varying) -> vec4f {
  let color = textureSample(baseColorTexture, baseColorSampler, uv);
  if !MAY_SHOW_TEXT {
    return color;
  }
  // Between two mip levels small text is blurred. Four samples of twice the detail are as sharp as what browsers draw.
  let right = dpdx(uv);
  let down = dpdy(uv);
  if !showsText(input) {
    return color;
  }
  var sum = vec4f(0.0);
  for (var index = 0; index < 4; index++) {
    let corner = vec2f(vec2i(index & 1, index >> 1)) * 0.5 - 0.25;
    sum += textureSampleGrad(
      baseColorTexture, baseColorSampler, uv + right * corner.x + down * corner.y, right * 0.5, down * 0.5
    );
  }
  return sum / 4.0;
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
