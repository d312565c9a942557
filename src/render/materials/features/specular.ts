import code from '../../../../shaders/feature-specular.wgsl?raw';
import { isColorOf, isLit, type MaterialFeature, numberOf } from './material-feature.js';

/** Strength and colour of a dielectric's reflection. */
export const specular: MaterialFeature = {
  code,
  surface: 'readSpecular',
  base: { variesReflectance: true },
  isUsed: (material) =>
    isLit(material) && (numberOf(material, 'specular') !== 1 || !isColorOf(material, 'specularColor', 1)),
};
