import code from '../../../../shaders/feature-ior.wgsl?raw';
import { isLit, type MaterialFeature, numberOf } from './material-feature.js';

/** The index of refraction. */
export const ior: MaterialFeature = {
  code,
  surface: 'readIor',
  base: { variesReflectance: true },
  isUsed: (material) => isLit(material) && numberOf(material, 'ior') !== 1.5,
};
