import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import type { MaterialStates } from '../keys/material-states.js';
import { vertexFormatOf } from '../keys/pipeline-key.js';
import { featureCode, featureConstants, featureNames } from './feature-code.js';
import type { MaterialPolicy } from './material-policy.js';

/** glTF's metallic-roughness model, lit or unlit, composed of the material features of the key. */
export const standardMaterial = (states: MaterialStates): MaterialPolicy => ({
  sources: (key) => ({ material: featureCode(states.featuresOf(key), states.slotsOf(key)) }),
  label(key) {
    const features = states.featuresOf(key);
    return features ? `, ${featureNames(features)}, slots ${states.slotsOf(key).toString(16)}` : '';
  },
  constants: (key) => ({
    isUnlit: states.flagsOf(key) & MaterialFlag.unlit ? 1 : 0,
    ...featureConstants(states.featuresOf(key), vertexFormatOf(key)),
  }),
  decidesShape: () => false,
});
