import type { JsonObject } from '../gltf/gltf-checks.js';
import type { MaterialFeatureReader } from './material-feature-reader.js';

export const baseColor: MaterialFeatureReader = {
  defaults: { baseColor: [1, 1, 1, 1], alphaCutoff: 0.5 },
  read: ({ material, number, numbers }) => ({
    baseColor: numbers(material.getBaseColorFactor(), 4, 1, 'baseColorFactor'),
    alphaCutoff: number(material.getAlphaCutoff(), 0.5, 'alphaCutoff'),
  }),
  textures: ({ material, json }) => ({
    baseColor: {
      texture: material.getBaseColorTexture(),
      info: material.getBaseColorTextureInfo(),
      json: metallicRoughnessOf(json).baseColorTexture,
    },
  }),
};

export const metallicRoughness: MaterialFeatureReader = {
  defaults: { metallic: 1, roughness: 1 },
  read: ({ material, number }) => ({
    metallic: number(material.getMetallicFactor(), 1, 'metallicFactor'),
    roughness: number(material.getRoughnessFactor(), 1, 'roughnessFactor'),
  }),
  textures: ({ material, json }) => ({
    metallicRoughness: {
      texture: material.getMetallicRoughnessTexture(),
      info: material.getMetallicRoughnessTextureInfo(),
      json: metallicRoughnessOf(json).metallicRoughnessTexture,
    },
  }),
};

const metallicRoughnessOf = (json: JsonObject): JsonObject => (json.pbrMetallicRoughness ?? {}) as JsonObject;
