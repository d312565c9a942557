/**
 * Memory that tasks and their caller see alike, for lengths that were checked. Apart from `shared-array.ts`, because a page whose
 * instances lie in such memory needs no more of it.
 */

import { hasOpaqueOrigin } from '../../core/browser/opaque-origin.js';
import { OptionError } from '../../core/errors.js';

export type TaskArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

export interface TaskArrayConstructor<T extends TaskArray> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): T;
}

/** Marks memory of shared arrays; known to every file of the library, each of which has a copy of this module. */
const COPIED = Symbol.for('fencepost.copied-buffer');

/** The memory of all shared arrays of this thread that tasks get a copy of. */
export const copiedBuffers = {
  add: (buffer: ArrayBufferLike): void => {
    Object.defineProperty(buffer, COPIED, { value: true });
  },
  has: (buffer: ArrayBufferLike): boolean => COPIED in buffer,
};

/** Whether memory can be shared with workers here. */
export const canShare = (): boolean =>
  typeof SharedArrayBuffer !== 'undefined' && (globalThis.crossOriginIsolated ?? true) && !hasOpaqueOrigin();

/**
 * An array of zeros.
 * @throws OptionError `option-out-of-range`: there is no memory for it
 */
export function allocateShared<T extends TaskArray>(type: TaskArrayConstructor<T>, length: number): T {
  const byteLength = length * type.BYTES_PER_ELEMENT;
  try {
    if (canShare()) return new type(new SharedArrayBuffer(byteLength));
    const buffer = new ArrayBuffer(byteLength);
    copiedBuffers.add(buffer);
    return new type(buffer);
  } catch (cause) {
    throw new OptionError('option-out-of-range', `No memory for ${byteLength} B.`, {
      cause,
    });
  }
}
