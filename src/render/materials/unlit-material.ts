import type { MaterialPolicy } from './material-policy.js';
import { standardMaterial } from './standard-material.js';

/** The base colour as it is: no light changes it. */
export const unlitMaterial: MaterialPolicy = {
  code: standardMaterial.code,
  constants: () => ({ isUnlit: 1 }),
};
