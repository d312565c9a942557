import meshCode from '../../../shaders/mesh-deformed.wgsl?raw';
import meshPickCode from '../../../shaders/mesh-pick-deformed.wgsl?raw';
import morphsCode from '../../../shaders/morphs.wgsl?raw';
import plainColors from '../../../shaders/plain-colors.wgsl?raw';
import meshCasterCode from '../../../shaders/shadow-casters-deformed.wgsl?raw';
import skinsCode from '../../../shaders/skins.wgsl?raw';

const sharedCode = `${skinsCode}${morphsCode}`;

/**
 * Shaders of skinned and of morphed vertices. A skinned mesh may have morph targets too, so the two vertex
 * policies share all code and differ only in entry points.
 */
export const deformedCode = {
  label: ', deformers',
  code: `${sharedCode}${meshCode}${plainColors}`,
  pickCode: meshPickCode,
  casterCode: `${sharedCode}${meshCasterCode}`,
};
