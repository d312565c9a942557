import code from '../../../../shaders/feature-normal-map.wgsl?raw';
import { slotBitsOf } from '../../../proxy/materials/material-layout.js';
import { isLit, type MaterialFeature } from './material-feature.js';

const NORMAL_SLOT = /* @__PURE__ */ slotBitsOf('normalMap');

/** The texture of normals in tangent space. */
export const normalMap: MaterialFeature = {
  code,
  surface: 'readNormalMap',
  readsNormals: true,
  isUsed: (material) => isLit(material) && (material.textures & NORMAL_SLOT) !== 0,
};
