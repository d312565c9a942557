/** The transform of texture coordinates that a use of a texture asks for (KHR_texture_transform). */
import { checkNumber, checkOptions, checkVector } from './options.js';
import type { TextureUse } from './texture.js';

/** a b c d e f of `material-layout.ts`, and the set of coordinates. */
export function textureTransform(what: string, use: TextureUse): number[] {
  checkOptions(what, use, 'texture uvSet offset rotation scale');
  const { rotation = 0, offset = [0, 0], scale = [1, 1], uvSet = 0 } = use;
  const [offsetU, offsetV] = checkVector(what, 'offset', offset, 2) as unknown as [number, number];
  const [scaleU, scaleV] = checkVector(what, 'scale', scale, 2) as unknown as [number, number];
  const c = Math.cos(rotation);
  const s = Math.sin(rotation);
  const transform = [c * scaleU, s * scaleV, offsetU, -s * scaleU, c * scaleV, offsetV];
  for (const number of transform) checkNumber(what, 'the transform', number, -1e9, 1e9);
  return [...transform, checkNumber(what, 'uvSet', uvSet, 0, 1)];
}
