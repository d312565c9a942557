import code from '../../../../shaders/feature-emission.wgsl?raw';
import { isLit, type MaterialFeature } from './material-feature.js';

/** The texture of emitted light. */
export const emission: MaterialFeature = {
  code,
  surface: 'readEmission',
  isUsed: (material) => isLit(material) && material.textures !== 0,
};
