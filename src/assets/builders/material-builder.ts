/**
 * glTF materials as descriptions. Extensions are read from the JSON beside the parsed document, because
 * glTF-Transform's core does not know them.
 */
import type { Material, Texture, TextureInfo } from '@gltf-transform/core';
import { TEXTURE_SLOTS, type TextureSlot } from '../../proxy/material-layout.js';
import type { MaterialDescription, MaterialTexture } from '../../proxy/scene-description.js';
import { textureTransform } from '../../proxy/texture-transform.js';
import { invalidGltf, orWarn } from '../asset-error.js';
import { GltfChecks, type JsonObject, textOf } from '../gltf/gltf-checks.js';
import { extensionOf } from '../gltf/gltf-features.js';
import type { TextureSet } from '../textures/texture-set.js';

/** A material without a name or anything else: glTF's default material. */
export const DEFAULT_MATERIAL: MaterialDescription = {
  label: 'default material',
  baseColor: [1, 1, 1, 1],
  emissive: [0, 0, 0],
  metallic: 1,
  roughness: 1,
  normalScale: 1,
  occlusionStrength: 1,
  alphaMode: 'opaque',
  alphaCutoff: 0.5,
  doubleSided: false,
  unlit: false,
  textures: {},
};

type SlotInput = readonly [
  slot: TextureSlot,
  texture: Texture | null,
  info: TextureInfo | null,
  json: unknown,
];

/** Requests the textures that the material shows; their numbers are those of `TextureSet` until `withTextures`. */
export function buildMaterial(
  material: Material,
  json: JsonObject,
  textures: TextureSet,
  file: string,
  place: string,
  warnings: string[],
): MaterialDescription {
  const checks = new GltfChecks(file);
  const finite = (value: unknown, fallback: number, at: string): number =>
    orWarn(warnings, `${fallback} is used.`, fallback, () => checks.finite(value, fallback, at));
  /** Falls back to that number for each of them. */
  const numbers = (value: readonly number[], length: number, fallback: number, key: string): number[] =>
    orWarn(warnings, `${fallback} is used.`, undefined, () =>
      checks.numbers(value, length, `${place}.${key}`),
    ) ?? new Array(length).fill(fallback);
  const pbr = (json.pbrMetallicRoughness ?? {}) as JsonObject;
  const slots: readonly SlotInput[] = [
    ['baseColor', material.getBaseColorTexture(), material.getBaseColorTextureInfo(), pbr.baseColorTexture],
    [
      'metallicRoughness',
      material.getMetallicRoughnessTexture(),
      material.getMetallicRoughnessTextureInfo(),
      pbr.metallicRoughnessTexture,
    ],
    ['normal', material.getNormalTexture(), material.getNormalTextureInfo(), json.normalTexture],
    ['occlusion', material.getOcclusionTexture(), material.getOcclusionTextureInfo(), json.occlusionTexture],
    ['emissive', material.getEmissiveTexture(), material.getEmissiveTextureInfo(), json.emissiveTexture],
  ];
  const used: Partial<Record<TextureSlot, MaterialTexture>> = {};
  for (const [slot, texture, info, infoJson] of slots) {
    if (!texture) continue;
    const srgb = slot === 'baseColor' || slot === 'emissive';
    const where = { checks, place: `${place}.${slot}Texture`, warnings };
    used[slot] = materialTexture(textures.request(texture, info, srgb), info, infoJson as JsonObject, where);
  }

  const strengthPlace = `${place}.extensions.KHR_materials_emissive_strength`;
  const strengthJson = extensionOf(json, 'KHR_materials_emissive_strength', strengthPlace, checks);
  const strength = finite(strengthJson?.emissiveStrength, 1, strengthPlace);
  const [red = 1, green = 1, blue = 1, alpha = 1] = numbers(
    material.getBaseColorFactor(),
    4,
    1,
    'baseColorFactor',
  );
  const emissive = numbers(material.getEmissiveFactor(), 3, 0, 'emissiveFactor');
  const alphaMode = orWarn(warnings, 'OPAQUE is used.', 'opaque', () =>
    readAlphaMode(material, file, `${place}.alphaMode`),
  );
  return {
    label: String(material.getName() || place),
    baseColor: [red, green, blue, alpha],
    emissive: [(emissive[0] ?? 0) * strength, (emissive[1] ?? 0) * strength, (emissive[2] ?? 0) * strength],
    metallic: finite(material.getMetallicFactor(), 1, `${place}.metallicFactor`),
    roughness: finite(material.getRoughnessFactor(), 1, `${place}.roughnessFactor`),
    normalScale: finite(material.getNormalScale(), 1, `${place}.normalTexture.scale`),
    occlusionStrength: finite(material.getOcclusionStrength(), 1, `${place}.occlusionTexture.strength`),
    alphaMode,
    alphaCutoff: finite(material.getAlphaCutoff(), 0.5, `${place}.alphaCutoff`),
    doubleSided: material.getDoubleSided() === true,
    unlit: extensionOf(json, 'KHR_materials_unlit', place, checks) !== undefined,
    textures: used,
  };
}

function readAlphaMode(material: Material, file: string, place: string): 'opaque' | 'mask' | 'blend' {
  const mode = textOf(material.getAlphaMode()).toLowerCase();
  if (mode === 'opaque' || mode === 'mask' || mode === 'blend') return mode;
  throw invalidGltf(file, place, 'It should be OPAQUE, MASK or BLEND.');
}

function materialTexture(
  texture: number,
  info: TextureInfo | null,
  json: JsonObject,
  { checks, place, warnings }: { checks: GltfChecks; place: string; warnings: string[] },
): MaterialTexture {
  const transformJson = extensionOf(json, 'KHR_texture_transform', place, checks);
  const wanted = orWarn(warnings, '0 is used.', 0, () =>
    checks.integer(transformJson ?? {}, 'texCoord', place, info?.getTexCoord() ?? 0),
  );
  if (wanted > 1) {
    warnings.push(
      `"${checks.file}", ${place}: It reads TEXCOORD_${wanted}, and only 0 and 1 are supported; 0 is used.`,
    );
  }
  const uvSet = wanted === 1 ? 1 : 0;
  const transform =
    transformJson &&
    orWarn(warnings, 'The texture is shown as it is.', undefined, () =>
      readTransform(transformJson, checks, place),
    );
  return transform ? { texture, uvSet, transform } : { texture, uvSet };
}

function readTransform(json: JsonObject, checks: GltfChecks, place: string): readonly number[] {
  const [offsetU = 0, offsetV = 0] = checks.numbers(json.offset, 2, `${place}.offset`) ?? [];
  const [scaleU = 1, scaleV = 1] = checks.numbers(json.scale, 2, `${place}.scale`) ?? [];
  const rotation = checks.finite(json.rotation, 0, `${place}.rotation`);
  return textureTransform([offsetU, offsetV], rotation, [scaleU, scaleV]);
}

/**
 * Renumbers textures after decoding; a texture that has no picture leaves its slot. An emission whose
 * picture is missing is turned off, else the whole surface would glow.
 */
export function withTextures(
  material: MaterialDescription,
  numbers: readonly (number | undefined)[],
): MaterialDescription {
  const textures: Partial<Record<TextureSlot, MaterialTexture>> = {};
  for (const slot of TEXTURE_SLOTS) {
    const used = material.textures[slot];
    const texture = used && numbers[used.texture];
    if (texture !== undefined) textures[slot] = { ...used, texture } as MaterialTexture;
  }
  const isEmissionLost = material.textures.emissive !== undefined && textures.emissive === undefined;
  return { ...material, textures, emissive: isEmissionLost ? [0, 0, 0] : material.emissive };
}
