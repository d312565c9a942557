import code from '../../../../shaders/feature-anisotropy.wgsl?raw';
import { isLit, type MaterialFeature, numberOf } from './material-feature.js';

/** Anisotropy: a grain, as on brushed metal, that stretches highlights. */
export const anisotropy: MaterialFeature = {
  code,
  surface: 'readAnisotropy',
  base: { facets: 'brushedFacets', mirror: 'brushedMirror' },
  readsNormals: true,
  isUsed: (material) => isLit(material) && numberOf(material, 'anisotropy') > 0,
};
