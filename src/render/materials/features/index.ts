import type { MaterialFeatureName } from '../../../proxy/materials/material-features.js';
import { baseColor } from './base-color.js';
import { emission } from './emission.js';
import type { MaterialFeature } from './material-feature.js';
import { metallicRoughness } from './metallic-roughness.js';
import { normalMap } from './normal-map.js';
import { occlusion } from './occlusion.js';

/** All material features, by the names of their declarations. */
export const materialFeatures: Readonly<Record<MaterialFeatureName, MaterialFeature>> = {
  baseColor,
  metallicRoughness,
  normalMap,
  occlusion,
  emission,
};
