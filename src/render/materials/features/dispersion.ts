import code from '../../../../shaders/feature-dispersion.wgsl?raw';
import { isLit, type MaterialFeature, numberOf } from './material-feature.js';

/** Dispersion: a solid refracts red, green and blue light differently, so it splits light into colours. */
export const dispersion: MaterialFeature = {
  code,
  surface: 'readDispersion',
  interior: { splitsColors: true },
  isUsed: (material) =>
    isLit(material) && numberOf(material, 'dispersion') > 0 && numberOf(material, 'transmission') > 0,
};
