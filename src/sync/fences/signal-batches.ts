import type { FenceListening } from './fence-environment.js';
import type { FenceMemory } from './fence-memory.js';

/** Returns promises of the ends of all batches of signals that threads with this memory have begun. */
export function endsOfBatches(memory: FenceMemory, { listen }: FenceListening): Promise<void>[] {
  const { ints, atomics, queueCount } = memory;
  const ends: Promise<void>[] = [];
  for (let queue = 0; queue < queueCount; queue++) {
    const word = memory.batchWord(queue);
    const batch = atomics.load(ints, word);
    if (batch & 1) ends.push(new Promise((resolve) => listen(ints, word, batch, resolve)));
  }
  return ends;
}
