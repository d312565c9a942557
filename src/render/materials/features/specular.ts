import code from '../../../../shaders/feature-specular.wgsl?raw';
import { MaterialOffset } from '../../../proxy/materials/material-layout.js';
import { isLit, type MaterialFeature, numberOf } from './material-feature.js';

/** Strength and colour of a dielectric's reflection. */
export const specular: MaterialFeature = {
  code,
  surface: 'readSpecular',
  base: { variesReflectance: true },
  isUsed(material) {
    if (!isLit(material)) return false;
    const { floats, at } = material;
    const color = at + MaterialOffset.specularColor;
    for (let channel = 0; channel < 3; channel++) if (floats[color + channel] !== 1) return true;
    return numberOf(material, 'specular') !== 1;
  },
};
