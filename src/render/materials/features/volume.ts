import code from '../../../../shaders/feature-volume.wgsl?raw';
import { isLit, letsLightPass, type MaterialFeature, numberOf } from './material-feature.js';

/** A solid below the surface, which absorbs light. */
export const volume: MaterialFeature = {
  code,
  surface: 'readVolume',
  interior: {},
  readsScale: true,
  isUsed: (material) => isLit(material) && numberOf(material, 'thickness') > 0 && letsLightPass(material),
};
