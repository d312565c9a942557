import code from '../../../../shaders/feature-sheen.wgsl?raw';
import { isColorOf, isLit, type MaterialFeature } from './material-feature.js';

/** Fibres of a fabric. */
export const sheen: MaterialFeature = {
  code,
  surface: 'readSheen',
  lobe: { light: 'sheenLight', environment: 'sheenEnvironment' },
  isUsed: (material) => isLit(material) && !isColorOf(material, 'sheenColor', 0),
};
