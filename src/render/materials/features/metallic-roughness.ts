import code from '../../../../shaders/feature-metallic-roughness.wgsl?raw';
import { isLit, type MaterialFeature } from './material-feature.js';

/** The texture of metallic (blue) and roughness (green). */
export const metallicRoughness: MaterialFeature = {
  code,
  surface: 'readMetallicRoughness',
  isUsed: (material) => isLit(material) && material.textures !== 0,
};
