import code from '../../../../shaders/feature-clearcoat.wgsl?raw';
import { isLit, type MaterialFeature, numberOf } from './material-feature.js';

/** Clearcoat: a layer of varnish over the material. */
export const clearcoat: MaterialFeature = {
  code,
  surface: 'readClearcoat',
  lobe: { emission: 'coatEmission', light: 'coatLight', environment: 'coatEnvironment' },
  readsNormals: true,
  isUsed: (material) => isLit(material) && numberOf(material, 'clearcoat') > 0,
};
