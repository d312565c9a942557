/**
 * Arrays that tasks and their caller share. In a cross-origin isolated page they lie in shared memory. In other pages
 * a task gets a copy, and its changes are written back when it ends (`task-arguments.ts`). Shared memory and copies
 * give the same results, unless a task writes values that another task uses at the same time.
 */
import { OptionError } from '../../core/errors.js';
import {
  allocateShared,
  canShare,
  copiedBuffers,
  type TaskArray,
  type TaskArrayConstructor,
} from './allocate-shared.js';

export { canShare, type TaskArray, type TaskArrayConstructor };

/**
 * Allocates an array of zeros. If a task gets the array as an argument, the caller sees the task's changes. The changes
 * of a plain array would stay in the task's copy.
 *
 * @param type `Float32Array` or another typed array
 * @param length in elements
 * @throws OptionError `option-invalid` for another type, `option-out-of-range` for a length that is not a whole number
 *   from 0 to 2³¹ − 1, or for which there is not enough memory
 */
export function sharedArray<T extends TaskArray>(type: TaskArrayConstructor<T>, length: number): T {
  if (!(type?.BYTES_PER_ELEMENT > 0)) {
    throw new OptionError(
      'option-invalid',
      'The type of a shared array must be Float32Array or another typed array.',
    );
  }
  if (!Number.isInteger(length) || length < 0 || length > 0x7fffffff) {
    throw new OptionError(
      'option-out-of-range',
      `A shared array can't have ${length} elements; give a whole number from 0 to ${0x7fffffff}.`,
    );
  }
  return allocateShared(type, length);
}

/** Memory of the copies that tasks on this thread have received. */
const lentBuffers = new WeakSet<ArrayBufferLike>();

/**
 * Registers a copy that a task has received, so that arrays in it count as shared arrays. Ignores memory that is
 * marked already.
 */
export function adoptCopy(buffer: ArrayBuffer): void {
  if (copiedBuffers.has(buffer)) return;
  lentBuffers.add(buffer);
  copiedBuffers.add(buffer);
}

/**
 * Returns whether the array lies in a copy that only one task has. Other threads see its changes when the task ends.
 */
export const isLent = ({ buffer }: TaskArray): boolean => lentBuffers.has(buffer);

/** Returns whether the value is a view of memory that is copied for each task instead of shared. */
export function isCopied(value: unknown): value is TaskArray {
  return ArrayBuffer.isView(value) && copiedBuffers.has(value.buffer);
}

/** Finds all shared memory in the arguments of a task, in every object that a structured clone would follow. */
export function sharedMemoryIn(
  value: unknown,
  found = new Set<ArrayBufferLike>(),
  seen = new Set(),
): Set<ArrayBufferLike> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return found;
  seen.add(value);
  const memory = ArrayBuffer.isView(value) ? value.buffer : value;
  if (canShare() && memory instanceof SharedArrayBuffer) found.add(memory);
  if (memory !== value) return found;
  for (const each of partsOf(value)) sharedMemoryIn(each, found, seen);
  return found;
}

function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return [...value.keys(), ...value.values()];
  return value instanceof Set ? value : Object.values(value);
}
