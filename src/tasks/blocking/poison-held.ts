import { HeldLocks, LockKind } from './lock-holder.js';
import type { BlockingAtomics } from './shared-word.js';
import { TaskMutex } from './task-mutex.js';
import { TaskReadWriteLock } from './task-read-write-lock.js';

/**
 * Returns a random identity for a worker, which no other worker is likely to have. Several pools of a page may use the
 * same locks, also pools of another copy of the library.
 */
export function nextIdentity(): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return 2 + (random % (2 ** 30 - 2));
}

/**
 * Poisons the mutexes that a dead worker held, and the read-write locks that it held for writing, or was taking or
 * releasing. Subtracts it from the counts of locks that it held for reading, or waited for as a writer.
 *
 * @param at index of the first word of the worker's notes
 * @returns descriptions of the poisoned locks
 */
export function poisonHeld(
  words: Int32Array,
  at: number,
  identity: number,
  find: (memory: number) => SharedArrayBuffer | undefined,
  atomics: BlockingAtomics = Atomics,
): string[] {
  const poisoned: string[] = [];
  const notes = new HeldLocks(words, at, identity, () => 0, atomics);
  for (const { memory, index, kind, step } of notes.takeAll()) {
    const buffer = find(memory - 1);
    if (!buffer) continue;
    const address = { words: new Int32Array(buffer), index };
    const isPoisoned =
      kind === LockKind.mutex
        ? new TaskMutex(address, atomics).poisonOf(identity)
        : new TaskReadWriteLock(address, atomics).endOf(identity, kind, step);
    const name = kind === LockKind.mutex ? 'a mutex' : 'a read-write lock';
    if (isPoisoned) poisoned.push(`${name} at word ${index} of a shared array`);
  }
  return poisoned;
}
