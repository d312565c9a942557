import code from '../../../../shaders/feature-sheen.wgsl?raw';
import { isColorOf, isLit, type MaterialFeature } from './material-feature.js';

/** Sheen: fibres of a fabric that catch light at its edges. */
export const sheen: MaterialFeature = {
  code,
  surface: 'readSheen',
  lobe: { light: 'sheenLight', environment: 'sheenEnvironment' },
  isUsed: (material) => isLit(material) && !isColorOf(material, 'sheenColor', 0),
};
