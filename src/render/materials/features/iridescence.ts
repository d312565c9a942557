import code from '../../../../shaders/feature-iridescence.wgsl?raw';
import { isLit, type MaterialFeature, numberOf } from './material-feature.js';

/** A thin film that interferes with light. */
export const iridescence: MaterialFeature = {
  code,
  surface: 'readIridescence',
  base: { film: 'throughIridescence' },
  isUsed: (material) => isLit(material) && numberOf(material, 'iridescence') > 0,
};
