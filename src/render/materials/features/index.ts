import type { MaterialFeatureName } from '../../../proxy/materials/material-features.js';
import { anisotropy } from './anisotropy.js';
import { baseColor } from './base-color.js';
import { clearcoat } from './clearcoat.js';
import { diffuseTransmission } from './diffuse-transmission.js';
import { dispersion } from './dispersion.js';
import { emission } from './emission.js';
import { ior } from './ior.js';
import { iridescence } from './iridescence.js';
import type { MaterialFeature } from './material-feature.js';
import { metallicRoughness } from './metallic-roughness.js';
import { normalMap } from './normal-map.js';
import { occlusion } from './occlusion.js';
import { sheen } from './sheen.js';
import { specular } from './specular.js';
import { transmission } from './transmission.js';
import { volume } from './volume.js';

/** All material features, by the names of their declarations. */
export const materialFeatures: Readonly<Record<MaterialFeatureName, MaterialFeature>> = {
  baseColor,
  metallicRoughness,
  normalMap,
  occlusion,
  emission,
  ior,
  specular,
  anisotropy,
  iridescence,
  sheen,
  clearcoat,
  volume,
  dispersion,
  diffuseTransmission,
  transmission,
};
