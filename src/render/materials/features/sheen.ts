import code from '../../../../shaders/feature-sheen.wgsl?raw';
import { MaterialOffset } from '../../../proxy/materials/material-layout.js';
import { isLit, type MaterialFeature } from './material-feature.js';

/** Fibres of a fabric. */
export const sheen: MaterialFeature = {
  code,
  surface: 'readSheen',
  lobe: { light: 'sheenLight', environment: 'sheenEnvironment' },
  isUsed(material) {
    if (!isLit(material)) return false;
    const { floats, at } = material;
    const color = at + MaterialOffset.sheenColor;
    for (let channel = 0; channel < 3; channel++) if (floats[color + channel] !== 0) return true;
    return false;
  },
};
