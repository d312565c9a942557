import { describe, expect, it } from 'vitest';
import { replayThread, type Stepper } from '../../sync/testing/replay-thread.js';
import { explore, type Program } from '../../sync/testing/schedule-explorer.js';
import { Sleepers } from '../testing/sleepers.js';
import { HELD_WORDS, HeldLocks, LockKind, UNKNOWN_HOLDER } from './lock-holder.js';
import type { BlockingAtomics } from './shared-word.js';
import { poisonHeld, TaskMutex, TaskReadWriteLock } from './task-locks.js';

class Died extends Error {}

const MORTAL = 5;
const OTHER = 6;

interface DeathOptions {
  /** Takes and releases a lock on the thread that dies. May call `inside` while it holds the lock. */
  readonly use: (
    place: { words: Int32Array; index: number },
    atomics: BlockingAtomics,
    holder: HeldLocks,
    inside: () => void,
  ) => void;
  /** Takes and releases the lock on the thread that survives. */
  readonly useAlive: DeathOptions['use'];
  readonly deathAfter: number;
  readonly Notes?: typeof HeldLocks;
  readonly poison?: typeof poisonHeld;
}

/**
 * Creates a program of three threads. `mortal` dies before its step `deathAfter`. `other` takes the same lock. `page`
 * then poisons the locks of the dead thread.
 */
function deathProgram({
  use,
  useAlive,
  deathAfter,
  Notes = HeldLocks,
  poison = poisonHeld,
}: DeathOptions): () => Program {
  return () => {
    const lock = new SharedArrayBuffer(16);
    const held = new Int32Array(new SharedArrayBuffer(4 * 2 * HELD_WORDS));
    const sleepers = new Sleepers();
    let isOver = false;
    /** True while the data that the lock protects is half-written. */
    let isTorn = false;
    const outcome: string[] = [];
    const place = { words: new Int32Array(lock), index: 0 };
    const notes = (at: number, identity: number, atomics: BlockingAtomics) =>
      new Notes(held, at, identity, () => 0, atomics);
    const body = (stepper: Stepper, identity: number, at: number, run: DeathOptions['use']) => {
      const atomics = sleepers.atomicsOf(stepper);
      run(place, atomics, notes(at, identity, atomics), () => {
        if (stepper.act('looks', () => isTorn))
          throw new Error('A thread got the lock of half-written data.');
        stepper.act('tears', () => {
          isTorn = true;
        });
        stepper.act('mends', () => {
          isTorn = false;
        });
      });
    };
    return {
      threads: {
        mortal: replayThread((stepper) => {
          let steps = 0;
          const mortal: Stepper = {
            wait: stepper.wait,
            act: (label, action) => {
              if (steps++ === deathAfter) throw new Died();
              return stepper.act(label, action);
            },
          };
          try {
            body(mortal, MORTAL, 0, use);
          } catch (error) {
            if (!(error instanceof Died)) throw error;
          }
          stepper.act('is over', () => {
            isOver = true;
          });
        }),
        other: replayThread((stepper) => {
          try {
            body(stepper, OTHER, HELD_WORDS, useAlive);
            stepper.act('got it', () => outcome.push('got it'));
          } catch (error) {
            if ((error as { code?: string }).code !== 'lock-poisoned') throw error;
            stepper.act('refused', () => outcome.push('refused'));
          }
        }),
        page: replayThread((stepper) => {
          stepper.wait('a death', () => isOver);
          poison(held, 0, MORTAL, () => lock, sleepers.atomicsOf(stepper));
        }),
      },
      atEnd: () => {
        if (outcome.length !== 1) throw new Error('The surviving thread has waited in vain.');
      },
    };
  };
}

const mutex: DeathOptions['use'] = (place, atomics, holder, inside) => {
  const lock = new TaskMutex(place, atomics, holder);
  lock.lock();
  inside();
  lock.unlock();
};
const write: DeathOptions['use'] = (place, atomics, holder, inside) => {
  const lock = new TaskReadWriteLock(place, atomics, holder);
  lock.lockWrite();
  inside();
  lock.unlockWrite();
};
const read: DeathOptions['use'] = (place, atomics, holder) => {
  const lock = new TaskReadWriteLock(place, atomics, holder);
  lock.lockRead();
  lock.unlockRead();
};

/** Takes the lock for reading twice on one thread, and releases it twice. */
const readTwice: DeathOptions['use'] = (place, atomics, holder) => {
  const lock = new TaskReadWriteLock(place, atomics, holder);
  lock.lockRead();
  lock.lockRead();
  lock.unlockRead();
  lock.unlockRead();
};

/** Explores a death before each of the first 30 steps. A thread with fewer steps survives. */
function everyDeath(name: string, options: Omit<DeathOptions, 'deathAfter'>, preemptions: number): number {
  let schedules = 0;
  for (let deathAfter = 0; deathAfter < 30; deathAfter++) {
    schedules += explore(deathProgram({ ...options, deathAfter }), { maxPreemptions: preemptions }).schedules;
  }
  console.log(
    `T13 a death at each of 30 steps, ${name}: ${schedules} schedules of ${preemptions} preemptions.`,
  );
  return schedules;
}

describe('T11 T13: no thread waits for ever for a lock of a dead worker', () => {
  it('a mutex of a dead worker blocks no other thread', () => {
    expect(everyDeath('a mutex', { use: mutex, useAlive: mutex }, 1)).toBeGreaterThan(1000);
  });

  it('a read-write lock of a dead writer or reader blocks no other thread', () => {
    expect(everyDeath('writer and writer', { use: write, useAlive: write }, 0)).toBeGreaterThan(100);
    expect(everyDeath('writer and reader', { use: write, useAlive: read }, 0)).toBeGreaterThan(100);
    expect(everyDeath('reader and writer', { use: read, useAlive: write }, 0)).toBeGreaterThan(100);
  });

  it('a lock that a dead reader held twice becomes free, also while a writer waits', () => {
    const options = { use: readTwice, useAlive: write };
    expect(everyDeath('reader twice and writer', options, 0)).toBeGreaterThan(100);
    explore(deathProgram({ ...options, deathAfter: 99 }), { maxPreemptions: 1 });
    const words = new Int32Array(new SharedArrayBuffer(16));
    const held = new Int32Array(new SharedArrayBuffer(4 * HELD_WORDS));
    const place = { words, index: 0 };
    const lock = new TaskReadWriteLock(place, Atomics, new HeldLocks(held, 0, MORTAL, () => 0));
    for (const left of [0, 1]) {
      lock.lockRead();
      lock.lockRead();
      if (left === 1) lock.unlockRead();
      expect(poisonHeld(held, 0, MORTAL, () => words.buffer)).toEqual([]);
      expect([...words.subarray(0, 2)]).toEqual([0, 0]);
    }
  });

  it('the explorer catches a reader that waits for a writer which waits for the reader', () => {
    class Forgetful extends HeldLocks {
      override isHeld(): boolean {
        return false;
      }
    }
    const options = { use: readTwice, useAlive: write, deathAfter: 99, Notes: Forgetful };
    expect(() => explore(deathProgram(options), { maxPreemptions: 1 })).toThrow('Deadlock');
  });

  it('the explorer catches a thread that notes a lock only after it has taken the lock', () => {
    const late: DeathOptions['use'] = (place, atomics, holder, inside) => {
      const silent = { ...UNKNOWN_HOLDER, identity: holder.identity };
      const lock = new TaskMutex(place, atomics, silent);
      lock.lock();
      holder.note(place, LockKind.mutex);
      inside();
      lock.unlock();
    };
    expect(() => everyDeath('late note', { use: late, useAlive: mutex }, 0)).toThrow('Deadlock');
  });

  it('the explorer catches a page that wakes no waiters after a holder died between releasing and waking', () => {
    const unheeding: typeof poisonHeld = (words, at, identity, find, atomics) => {
      for (const each of new HeldLocks(words, at, identity, () => 0, atomics).takeAll()) {
        const place = {
          words: new Int32Array(find(each.memory - 1) as SharedArrayBuffer),
          index: each.index,
        };
        const word = place.words[each.index] as number;
        if (word >> 1 === identity) new TaskMutex(place, atomics).poison();
      }
      return [];
    };
    expect(() => everyDeath('no notice', { use: mutex, useAlive: mutex, poison: unheeding }, 1)).toThrow(
      'Deadlock',
    );
  });

  it('a note of a dead worker does not poison a lock that another thread holds', () => {
    const careless: typeof poisonHeld = (words, at, identity, find, atomics) => {
      for (const each of new HeldLocks(words, at, identity, () => 0, atomics).takeAll()) {
        const memory = find(each.memory - 1) as SharedArrayBuffer;
        new TaskMutex({ words: new Int32Array(memory), index: each.index }, atomics).poison();
      }
      return [];
    };
    // The thread dies while it waits for the lock that the other thread holds.
    const waits: DeathOptions['use'] = (place, atomics, holder) => {
      holder.note(place, LockKind.mutex);
      atomics.load(place.words, 0);
    };
    let refusals = 0;
    const insists: DeathOptions['use'] = (place, atomics, holder, inside) => {
      try {
        mutex(place, atomics, holder, inside);
      } catch (error) {
        if ((error as { code?: string }).code === 'lock-poisoned') refusals++;
        throw error;
      }
    };
    const options = { use: waits, useAlive: insists, deathAfter: 4 };
    explore(deathProgram({ ...options, poison: careless }), { maxPreemptions: 1 });
    expect(refusals).toBeGreaterThan(0);
    refusals = 0;
    explore(deathProgram(options), { maxPreemptions: 1 });
    expect(refusals).toBe(0);
  });
});
