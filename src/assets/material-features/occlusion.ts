import type { MaterialFeatureReader } from './material-feature-reader.js';

export const occlusion: MaterialFeatureReader = {
  defaults: { occlusionStrength: 1 },
  read: ({ material, number }) => ({
    occlusionStrength: number(material.getOcclusionStrength(), 1, 'occlusionTexture.strength'),
  }),
  textures: ({ material, json }) => ({
    occlusion: {
      texture: material.getOcclusionTexture(),
      info: material.getOcclusionTextureInfo(),
      json: json.occlusionTexture,
    },
  }),
};
