/**
 * Arrays that tasks and their caller see alike. In an isolated page they lie in shared memory. Elsewhere a task gets a copy,
 * and what it has changed is written back when it ends (`task-arguments.ts`); a program whose tasks never write what
 * another one uses at the same time has the same results either way.
 */
import { OptionError } from '../core/errors.js';

export type TaskArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

export interface TaskArrayConstructor<T extends TaskArray> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): T;
}

/** The memory of all shared arrays of this thread that is not shared in truth. */
const buffers = new WeakSet<ArrayBufferLike>();

/** Whether memory can be shared with workers here. */
export const canShare = (): boolean =>
  typeof SharedArrayBuffer !== 'undefined' && (globalThis.crossOriginIsolated ?? true);

/**
 * An array of zeros for the arguments of tasks: they read and write it itself, where a plain array is copied.
 *
 * @param type `Float32Array` or another typed array
 * @param length in elements
 * @throws OptionError `option-out-of-range` for a length that is no whole number from 0 to 2³¹ − 1, or that there is no
 *   memory for
 */
export function sharedArray<T extends TaskArray>(type: TaskArrayConstructor<T>, length: number): T {
  if (!Number.isInteger(length) || length < 0 || length > 0x7fffffff) {
    throw new OptionError(
      'option-out-of-range',
      `A shared array can't have ${length} elements; give a whole number from 0 to ${0x7fffffff}.`,
    );
  }
  const byteLength = length * type.BYTES_PER_ELEMENT;
  try {
    if (canShare()) return new type(new SharedArrayBuffer(byteLength));
    const buffer = new ArrayBuffer(byteLength);
    buffers.add(buffer);
    return new type(buffer);
  } catch (cause) {
    throw new OptionError(
      'option-out-of-range',
      `There is no memory for a shared array of ${byteLength} bytes. Share fewer elements.`,
      { cause },
    );
  }
}

/** A copy that a task has got: arrays of it are shared arrays there. */
export function adoptCopy(buffer: ArrayBuffer): void {
  buffers.add(buffer);
}

/** Whether it is a shared array, or a view of one, in memory that a task gets a copy of. */
export function isCopied(value: unknown): value is TaskArray {
  return ArrayBuffer.isView(value) && buffers.has(value.buffer);
}

/** The shared memory among the arguments of a task, each once. */
export function sharedMemoryIn(
  value: unknown,
  found = new Set<ArrayBufferLike>(),
  seen = new Set(),
): Set<ArrayBufferLike> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return found;
  seen.add(value);
  if (ArrayBuffer.isView(value)) {
    if (canShare() && value.buffer instanceof SharedArrayBuffer) found.add(value.buffer);
    return found;
  }
  for (const each of Object.values(value)) sharedMemoryIn(each, found, seen);
  return found;
}
