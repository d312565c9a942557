import { emission } from './emission.js';
import { extensionReader } from './extension-reader.js';
import type { MaterialFeatureReader } from './material-feature-reader.js';
import { normalMap } from './normal-map.js';
import { occlusion } from './occlusion.js';
import { baseColor, metallicRoughness } from './pbr-metallic-roughness.js';
import { specularGlossiness } from './specular-glossiness.js';
import { textureTransforms } from './texture-transforms.js';

/** All readers of material features. A file's JSON is rewritten in this order. */
export const materialReaders: readonly MaterialFeatureReader[] = [
  specularGlossiness,
  textureTransforms,
  baseColor,
  metallicRoughness,
  normalMap,
  occlusion,
  emission,
  extensionReader('ior'),
  extensionReader('specular'),
  extensionReader('anisotropy'),
  extensionReader('iridescence'),
  extensionReader('sheen'),
  extensionReader('clearcoat'),
  extensionReader('volume'),
  extensionReader('dispersion'),
  extensionReader('diffuseTransmission'),
  extensionReader('transmission'),
];
