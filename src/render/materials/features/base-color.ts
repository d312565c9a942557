import code from '../../../../shaders/feature-base-color.wgsl?raw';
import type { MaterialFeature } from './material-feature.js';

/** The texture of the base colour and its alpha. */
export const baseColor: MaterialFeature = {
  code,
  surface: 'readBaseColor',
  decidesShape: true,
  isUsed: ({ textures }) => textures !== 0,
};
