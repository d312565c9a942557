import type { MaterialPolicy } from './material-policy.js';
import { standardMaterial } from './standard-material.js';

/** The base colour as it is: no light changes it. */
export const unlitMaterial: MaterialPolicy = {
  parts: standardMaterial.parts,
  constants: () => ({ isUnlit: 1 }),
};
