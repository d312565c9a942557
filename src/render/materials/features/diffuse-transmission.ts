import code from '../../../../shaders/feature-diffuse-transmission.wgsl?raw';
import { isLit, type MaterialFeature, numberOf } from './material-feature.js';

/** Diffuse light that shines through from behind. */
export const diffuseTransmission: MaterialFeature = {
  code,
  surface: 'readDiffuseTransmission',
  interior: { light: 'shiningLight', environment: 'shiningEnvironment' },
  isUsed: (material) => isLit(material) && numberOf(material, 'diffuseTransmission') > 0,
};
