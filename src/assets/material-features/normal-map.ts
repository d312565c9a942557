import type { MaterialFeatureReader } from './material-feature-reader.js';

export const normalMap: MaterialFeatureReader = {
  defaults: { normalScale: 1 },
  read: ({ material, number }) => ({
    normalScale: number(material.getNormalScale(), 1, 'normalTexture.scale'),
  }),
  textures: ({ material, json }) => ({
    normal: {
      texture: material.getNormalTexture(),
      info: material.getNormalTextureInfo(),
      json: json.normalTexture,
    },
  }),
};
