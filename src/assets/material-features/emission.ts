import type { MaterialFeatureReader } from './material-feature-reader.js';

const STRENGTH = 'KHR_materials_emissive_strength';

export const emission: MaterialFeatureReader = {
  extensions: [STRENGTH],
  defaults: { emissive: [0, 0, 0] },
  read({ material, extension, number, numbers }) {
    const strength = number(extension(STRENGTH)?.emissiveStrength, 1, `extensions.${STRENGTH}`);
    const factor = numbers(material.getEmissiveFactor(), 3, 0, 'emissiveFactor');
    return { emissive: factor.map((channel) => channel * strength) };
  },
  textures: ({ material, json }) => ({
    emissive: {
      texture: material.getEmissiveTexture(),
      info: material.getEmissiveTextureInfo(),
      json: json.emissiveTexture,
    },
  }),
};
