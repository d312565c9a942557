/**
 * Allocates arrays that tasks and their caller share. The caller checks the length. This file is separate from
 * `shared-array.ts`, because the code of instanced meshes needs only this part.
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

/**
 * Name of the property that marks memory as copied. It is a registered symbol, because each file of the built library
 * has its own copy of this module.
 */
const COPIED = Symbol.for('fencepost.copied-buffer');

/** Marks buffers that can't be shared between threads. Each task gets a copy of such a buffer. */
export const copiedBuffers = {
  add: (buffer: ArrayBufferLike): void => {
    Object.defineProperty(buffer, COPIED, { value: true });
  },
  has: (buffer: ArrayBufferLike): boolean => COPIED in buffer,
};

/** Returns whether memory can be shared with workers on this page. */
export const canShare = (): boolean =>
  typeof SharedArrayBuffer !== 'undefined' && (globalThis.crossOriginIsolated ?? true) && !hasOpaqueOrigin();

/**
 * Allocates an array of zeros.
 * @throws OptionError `option-out-of-range` if there is not enough memory
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
