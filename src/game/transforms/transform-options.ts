import type { QuaternionLike, VectorLike } from '../../core/math/vectors.js';

/** What every component with a transform takes, and the names for `checkOptions`. */
export interface TransformOptions {
  /** Metres, relative to the parent. Default 0, 0, 0. */
  readonly position?: VectorLike;
  /** Unit quaternion x, y, z, w. Default 0, 0, 0, 1. */
  readonly rotation?: QuaternionLike;
  /** Factors; a single number scales all three axes, negative ones mirror. Default 1. */
  readonly scale?: VectorLike | number;
  /** Shown in messages and tools. */
  readonly name?: string;
  readonly visible?: boolean;
}

export const TRANSFORM_OPTIONS = 'position rotation scale name visible';
