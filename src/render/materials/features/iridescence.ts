import code from '../../../../shaders/feature-iridescence.wgsl?raw';
import { isLit, type MaterialFeature, numberOf } from './material-feature.js';

/** Iridescence: a thin film in which light interferes, as on soap bubbles. */
export const iridescence: MaterialFeature = {
  code,
  surface: 'readIridescence',
  base: { film: 'throughIridescence' },
  isUsed: (material) => isLit(material) && numberOf(material, 'iridescence') > 0,
};
