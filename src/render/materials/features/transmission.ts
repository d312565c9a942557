import code from '../../../../shaders/feature-transmission.wgsl?raw';
import { isLit, type MaterialFeature, numberOf } from './material-feature.js';

/** Light that passes through as through glass. */
export const transmission: MaterialFeature = {
  code,
  surface: 'readTransmission',
  interior: { light: 'glassLight', environment: 'glassEnvironment' },
  showsScene: true,
  isUsed: (material) => isLit(material) && numberOf(material, 'transmission') > 0,
};
