import code from '../../../../shaders/feature-occlusion.wgsl?raw';
import { isLit, type MaterialFeature } from './material-feature.js';

/** The texture with the share of the environment's light that reaches the surface. */
export const occlusion: MaterialFeature = {
  code,
  surface: 'readOcclusion',
  isUsed: (material) => isLit(material) && material.textures !== 0,
};
