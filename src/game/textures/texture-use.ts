/** Checks the transform with which a material uses a texture (KHR_texture_transform). */

import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import { textureTransform } from '../../proxy/images/texture-transform.js';
import { TEXTURE_USE, type TextureUse } from './texture.js';

/**
 * Returns the transform `a b c d e f` (`material-layout.ts`), followed by the set of coordinates.
 * @throws OptionError
 */
export function transformOfUse(what: string, use: TextureUse): number[] {
  checkOptions(what, use, TEXTURE_USE);
  const { rotation = 0, offset = [0, 0], scale = [1, 1], uvSet = 0 } = use;
  const transform = textureTransform(
    checkVector(what, 'offset', offset, 2),
    rotation,
    checkVector(what, 'scale', scale, 2),
  );
  for (const number of transform) checkNumber(what, 'the transform', number, -1e9, 1e9);
  return [...transform, checkNumber(what, 'uvSet', uvSet, 0, 1)];
}
