/**
 * Arrays that tasks and their caller see alike. In an isolated page they lie in shared memory. Elsewhere a task gets a copy,
 * and what it has changed is written back when it ends (`task-arguments.ts`); a program whose tasks never write what
 * another one uses at the same time has the same results either way.
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
 * An array of zeros for the arguments of tasks: they read and write it itself, where a plain array is copied.
 *
 * @param type `Float32Array` or another typed array
 * @param length in elements
 * @throws OptionError `option-invalid` for another type, `option-out-of-range` for a length that is no whole number from 0 to 2³¹ − 1, or that there is no
 *   memory for
 */
export function sharedArray<T extends TaskArray>(type: TaskArrayConstructor<T>, length: number): T {
  if (!(type?.BYTES_PER_ELEMENT > 0)) {
    throw new OptionError(
      'option-invalid',
      'A shared array is one of numbers: give Float32Array, or another typed array.',
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

/** Memory that a task has got a copy of. */
const lentBuffers = new WeakSet<ArrayBufferLike>();

/** A copy that a task has got: arrays of it are shared arrays there. What this thread has allocated itself is no copy. */
export function adoptCopy(buffer: ArrayBuffer): void {
  if (copiedBuffers.has(buffer)) return;
  lentBuffers.add(buffer);
  copiedBuffers.add(buffer);
}

/** Whether the array lies in a copy that one task alone has: what is written there is seen by others when the task ends. */
export const isLent = ({ buffer }: TaskArray): boolean => lentBuffers.has(buffer);

/** Whether it is a shared array, or a view of one, in memory that a task gets a copy of. */
export function isCopied(value: unknown): value is TaskArray {
  return ArrayBuffer.isView(value) && copiedBuffers.has(value.buffer);
}

/** The shared memory among the arguments of a task, each once, wherever a structured clone carries it to. */
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
