/**
 * Builds material descriptions from the results of the feature readers (`material-features/`). Extensions are read from
 * the JSON beside the parsed document, because glTF-Transform's core does not know them.
 */
import type { Material } from '@gltf-transform/core';
import {
  hasRoomFor,
  MOST_FURTHER_TEXTURES,
  TEXTURE_SLOT_DECLARATIONS,
  TEXTURE_SLOTS,
  type TextureSlot,
} from '../../proxy/materials/material-layout.js';
import type { MaterialDescription, MaterialTexture } from '../../proxy/scene-description.js';
import { invalidGltf, orWarn } from '../asset-error.js';
import { extensionOf, GltfChecks, type JsonObject, textOf } from '../gltf/gltf-checks.js';
import { materialReaders } from '../material-features/index.js';
import type { MaterialSource } from '../material-features/material-feature-reader.js';
import { materialTexture } from '../material-features/texture-transforms.js';
import type { TextureSet } from '../textures/texture-set.js';

/** glTF's default material, used by primitives without one. */
export const DEFAULT_MATERIAL = {
  label: 'default material',
  ...Object.assign({}, ...materialReaders.map(({ defaults }) => defaults)),
  alphaMode: 'opaque',
  doubleSided: false,
  unlit: false,
  textures: {},
} as MaterialDescription;

/** Builds a material and requests its textures. `withTextures` replaces the texture numbers of `TextureSet` later. */
export function buildMaterial(
  material: Material,
  json: JsonObject,
  textures: TextureSet,
  file: string,
  jsonPath: string,
  warnings: string[],
): MaterialDescription {
  const checks = new GltfChecks(file);
  const finite = (value: unknown, fallback: number, at: string): number =>
    orWarn(warnings, `${fallback} is used.`, fallback, () => checks.finite(value, fallback, at));
  /** Reads an array of numbers. On a fault, each number is `fallback`. */
  const numbers = (value: readonly number[], length: number, fallback: number, key: string): number[] =>
    orWarn(warnings, `${fallback} is used.`, undefined, () =>
      checks.numbers(value, length, `${jsonPath}.${key}`),
    ) ?? new Array(length).fill(fallback);
  const source: MaterialSource = {
    material,
    json,
    extension: (name) => extensionOf(json, name, `${jsonPath}.extensions.${name}`, checks),
    number: (value, fallback, at) => finite(value, fallback, `${jsonPath}.${at}`),
    numbers,
    texture: (info) => textures.find(info),
  };
  const used: Partial<Record<TextureSlot, MaterialTexture>> = {};
  /** Slots in `used`, as bits. */
  let taken = 0;
  for (const reader of materialReaders) {
    for (const [slot, found] of Object.entries(reader.textures?.(source) ?? {})) {
      const { texture, info, json: infoJson } = found;
      if (!texture) continue;
      const index = TEXTURE_SLOTS.indexOf(slot as TextureSlot);
      if (!hasRoomFor(index, taken)) {
        warnings.push(
          `"${file}", ${jsonPath}.${slot}Texture: Besides the textures of core glTF, a material has at most ${MOST_FURTHER_TEXTURES}. The texture is left out.`,
        );
        continue;
      }
      taken |= 1 << index;
      const isColor = TEXTURE_SLOT_DECLARATIONS[slot as TextureSlot].isColor === true;
      const where = { checks, jsonPath: `${jsonPath}.${slot}Texture`, warnings };
      const number = textures.request(texture, info, isColor);
      used[slot as TextureSlot] = materialTexture(number, info, infoJson as JsonObject, where);
    }
  }
  const alphaMode = orWarn(warnings, 'OPAQUE is used.', 'opaque', () =>
    readAlphaMode(material, file, `${jsonPath}.alphaMode`),
  );
  return {
    ...DEFAULT_MATERIAL,
    ...Object.assign({}, ...materialReaders.map((reader) => reader.read?.(source))),
    label: String(material.getName() || jsonPath),
    alphaMode,
    doubleSided: material.getDoubleSided() === true,
    unlit: extensionOf(json, 'KHR_materials_unlit', jsonPath, checks) !== undefined,
    textures: used,
  };
}

function readAlphaMode(material: Material, file: string, jsonPath: string): 'opaque' | 'mask' | 'blend' {
  const mode = textOf(material.getAlphaMode()).toLowerCase();
  if (mode === 'opaque' || mode === 'mask' || mode === 'blend') return mode;
  throw invalidGltf(file, jsonPath, 'It should be OPAQUE, MASK or BLEND.');
}

/**
 * Renumbers the textures after decoding. A texture without a picture is removed from its slot. If the picture of the
 * emission is missing, the emission is turned off, because otherwise the whole surface would glow.
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
