import { OptionError } from '../../core/errors.js';
import type { QuaternionLike, VectorLike } from '../../core/math/vectors.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, optional, text } from '../../core/options/members.js';

/** Options of every component that has a transform. */
export const TRANSFORM_OPTIONS = {
  /** Metres, relative to the parent. Default 0, 0, 0. */
  position: optional(anything<VectorLike>()),
  /** Unit quaternion x, y, z, w. Default 0, 0, 0, 1. */
  rotation: optional(anything<QuaternionLike>()),
  /** Factors; a single number scales all three axes, and negative factors mirror. Default 1. */
  scale: optional(anything<VectorLike | number>()),
  /** Name in messages and tools. */
  name: optional(text('text')),
  visible: optional(anything<boolean>()),
};

export type TransformOptions = Shaped<typeof TRANSFORM_OPTIONS>;

/**
 * Checks that no rotation is given beside an option that sets the rotation. @throws OptionError `option-invalid`
 * @param name that option, such as `lookAt`
 */
export function checkNoRotation(what: string, name: string, rotation: unknown): void {
  if (rotation) {
    throw new OptionError('option-invalid', `${what} takes ${name} or rotation, not both.`);
  }
}
