import { describe, expect, it } from 'vitest';
import { replayThread, type Stepper } from '../../sync/testing/replay-thread.js';
import { type ExploreOptions, explore } from '../../sync/testing/schedule-explorer.js';
import { Sleepers } from '../testing/sleepers.js';
import type { BlockingAtomics } from './shared-word.js';
import { TaskMutex, TaskReadWriteLock } from './task-locks.js';
import { SignalPool, TaskBarrier, TaskCondition, TaskSemaphore, TaskSignal } from './task-signals.js';

type Body = (words: Int32Array, atomics: BlockingAtomics, stepper: Stepper, seen: Seen) => void;
/** Counts and texts that the threads record for the test's checks. */
interface Seen {
  inside: number;
  most: number;
  log: string[];
}

/** Explores the schedules of these threads, up to a number of preemptions, and calls `atEnd` after each schedule. */
function tryAll(
  bodies: readonly Body[],
  atEnd: (seen: Seen) => void,
  first: readonly number[] = [],
  bound: ExploreOptions = { maxPreemptions: 2 },
) {
  const { schedules } = explore(() => {
    const words = new Int32Array(new SharedArrayBuffer(32));
    words.set(first);
    const sleepers = new Sleepers();
    const seen: Seen = { inside: 0, most: 0, log: [] };
    return {
      threads: Object.fromEntries(
        bodies.map((body, index) => [
          `thread ${index + 1}`,
          replayThread((stepper) => body(words, sleepers.atomicsOf(stepper), stepper, seen)),
        ]),
      ),
      atEnd: () => atEnd(seen),
    };
  }, bound);
  const name = expect.getState().currentTestName?.split(' > ').at(-1);
  console.log(`T13 ${name}: ${schedules} schedules of ${bodies.length} threads, ${JSON.stringify(bound)}.`);
  return schedules;
}

const enter = (stepper: Stepper, seen: Seen) =>
  stepper.act('enters', () => {
    seen.most = Math.max(seen.most, ++seen.inside);
  });
const leave = (stepper: Stepper, seen: Seen) =>
  stepper.act('leaves', () => {
    seen.inside--;
  });
const note = (stepper: Stepper, seen: Seen, text: string) => stepper.act(text, () => seen.log.push(text));

describe('T13: blocking primitives, in every explored order', () => {
  const locked: Body = (words, atomics, stepper, seen) => {
    const mutex = new TaskMutex({ words, index: 0 }, atomics);
    mutex.lock();
    enter(stepper, seen);
    leave(stepper, seen);
    mutex.unlock();
  };
  const one = (seen: Seen) => expect(seen.most).toBe(1);

  it('a mutex has one holder, and wakes its waiters', () => {
    const two = tryAll([locked, locked], one, [], { maxPreemptions: 4 });
    const three = tryAll([locked, locked, locked], one, [], { maxPreemptions: 1 });
    expect([two, three].every((schedules) => schedules > 50)).toBe(true);
  });

  it('the explorer catches a mutex that is taken by a load and a separate store, or wakes no waiter', () => {
    const hasty: Body = (words, atomics, stepper, seen) => {
      if (atomics.load(words, 0) !== 0) return;
      atomics.store(words, 0, 1);
      enter(stepper, seen);
      leave(stepper, seen);
      atomics.store(words, 0, 0);
    };
    expect(() => tryAll([hasty, hasty], one)).toThrow('to be 1');
    const silent: Body = (words, atomics, stepper, seen) => {
      locked(
        words,
        new Proxy(atomics, {
          get: (target, name) => (name === 'notify' ? () => 0 : Reflect.get(target, name)),
        }),
        stepper,
        seen,
      );
    };
    expect(() => tryAll([silent, silent], one)).toThrow('Deadlock');
  });

  it('waiters of a mutex whose holder was killed get an error', () => {
    const waits: Body = (words, atomics, stepper, seen) => {
      try {
        new TaskMutex({ words, index: 0 }, atomics).lock();
      } catch (error) {
        note(stepper, seen, (error as { code: string }).code);
      }
    };
    const poisons: Body = (words, atomics) => new TaskMutex({ words, index: 0 }, atomics).poison();
    tryAll([waits, poisons], (seen) => expect(seen.log).toEqual(['lock-poisoned']), [1]);
  });

  it('a mutex that is poisoned while it is held stays poisoned after its unlock', () => {
    const poisons: Body = (words, atomics) => new TaskMutex({ words, index: 0 }, atomics).poison();
    const isPoisoned = (words: Int32Array) => expect(words[0]).toBe(-1);
    const run = (unlocks: Body) =>
      explore(
        () => {
          const words = new Int32Array(new SharedArrayBuffer(32));
          words[0] = 2; // held by thread 1
          const sleepers = new Sleepers();
          const seen: Seen = { inside: 0, most: 0, log: [] };
          const threadOf = (body: Body) =>
            replayThread((stepper) => body(words, sleepers.atomicsOf(stepper), stepper, seen));
          return { threads: { a: threadOf(unlocks), b: threadOf(poisons) }, atEnd: () => isPoisoned(words) };
        },
        { maxPreemptions: 2 },
      );
    let order = 0;
    const unlocks: Body = (words, atomics, stepper) => {
      // The other thread poisons the mutex before or after this unlock. The mutex ends poisoned in both orders.
      new TaskMutex({ words, index: 0 }, atomics).unlock();
      stepper.act('unlocked', () => order++);
    };
    run(unlocks);
    expect(order).toBeGreaterThan(1);
    const frees: Body = (words, atomics) => {
      if (atomics.exchange(words, 0, 0) & 1) atomics.notify(words as Int32Array<SharedArrayBuffer>, 0, 1);
    };
    expect(() => run(frees)).toThrow('to be -1');
    const mutex = new TaskMutex({ words: new Int32Array(new SharedArrayBuffer(4)), index: 0 });
    expect(() => mutex.unlock()).toThrow(expect.objectContaining({ code: 'lock-not-held' }));
  });

  it('a condition loses no notification between unlocking and sleeping', () => {
    const consumer: Body = (words, atomics, stepper, seen) => {
      const mutex = new TaskMutex({ words, index: 0 }, atomics);
      const condition = new TaskCondition({ words, index: 1 }, atomics);
      mutex.lock();
      while (atomics.load(words, 2) === 0) condition.wait(mutex);
      note(stepper, seen, 'ready');
      mutex.unlock();
    };
    const producer: Body = (words, atomics) => {
      const mutex = new TaskMutex({ words, index: 0 }, atomics);
      mutex.lock();
      atomics.store(words, 2, 1);
      mutex.unlock();
      new TaskCondition({ words, index: 1 }, atomics).notify();
    };
    const ready = (seen: Seen) => expect(seen.log).toEqual(['ready']);
    expect(tryAll([consumer, producer], ready, [], { maxPreemptions: 3 })).toBeGreaterThan(20);
    const forgetful: Body = (words, atomics, stepper, seen) => {
      const mutex = new TaskMutex({ words, index: 0 }, atomics);
      mutex.lock();
      while (atomics.load(words, 2) === 0) {
        mutex.unlock();
        // The mistake: the word is read only after the unlock, so a notification in between is lost.
        atomics.wait(words as Int32Array<SharedArrayBuffer>, 1, atomics.load(words, 1));
        mutex.lock();
      }
      note(stepper, seen, 'ready');
      mutex.unlock();
    };
    expect(() => tryAll([forgetful, producer], ready)).toThrow('Deadlock');
  });

  it('a semaphore admits as many threads at once as it has permits', () => {
    const visitor: Body = (words, atomics, stepper, seen) => {
      const semaphore = new TaskSemaphore({ words, index: 0 }, atomics);
      semaphore.acquire();
      enter(stepper, seen);
      leave(stepper, seen);
      semaphore.release();
    };
    const most = (limit: number) => (seen: Seen) => expect(seen.most).toBeLessThanOrEqual(limit);
    expect(tryAll([visitor, visitor, visitor], most(2), [2], { maxPreemptions: 1 })).toBeGreaterThan(20);
    expect(tryAll([visitor, visitor], most(1), [1])).toBeGreaterThan(20);
    expect(() => tryAll([visitor, visitor], most(1), [2])).toThrow('less than or equal');
  });

  it('readers and a writer never hold the lock at the same time, and every thread gets it', () => {
    const reader: Body = (words, atomics, stepper, seen) => {
      const lock = new TaskReadWriteLock({ words, index: 0 }, atomics);
      lock.lockRead();
      if (stepper.act('writer?', () => seen.log.includes('writing')))
        throw new Error('A reader beside a writer.');
      enter(stepper, seen);
      leave(stepper, seen);
      lock.unlockRead();
    };
    const writer: Body = (words, atomics, stepper, seen) => {
      const lock = new TaskReadWriteLock({ words, index: 0 }, atomics);
      lock.lockWrite();
      if (stepper.act('readers?', () => seen.inside > 0)) throw new Error('A writer beside a reader.');
      note(stepper, seen, 'writing');
      stepper.act('has written', () => seen.log.pop());
      lock.unlockWrite();
    };
    expect(tryAll([reader, writer], () => {}, [], { maxPreemptions: 3 })).toBeGreaterThan(50);
    expect(tryAll([reader, writer, reader], () => {}, [], { maxPreemptions: 1 })).toBeGreaterThan(20);
    expect(tryAll([writer, writer], () => {})).toBeGreaterThan(20);
    const rude: Body = (words, atomics, stepper, seen) => {
      atomics.store(words, 0, -1);
      if (stepper.act('readers?', () => seen.inside > 0)) throw new Error('A writer beside a reader.');
      atomics.store(words, 0, 0);
    };
    expect(() => tryAll([reader, rude], () => {})).toThrow();
  });

  it('no thread passes a barrier before the last one arrives, in each of two rounds', () => {
    const meets: Body = (words, atomics, stepper, seen) => {
      const barrier = new TaskBarrier({ words, index: 0 }, 2, atomics);
      for (let round = 0; round < 2; round++) {
        note(stepper, seen, `before ${round}`);
        barrier.arrive();
        note(stepper, seen, `after ${round}`);
      }
    };
    const inOrder = ({ log }: Seen) => {
      for (const round of [0, 1]) {
        expect(log.lastIndexOf(`before ${round}`)).toBeLessThan(log.indexOf(`after ${round}`));
      }
    };
    expect(tryAll([meets, meets], inOrder, [], { maxPreemptions: 3 })).toBeGreaterThan(50);
    const late: Body = (words, atomics) => {
      // The mistake: the round ends before the count is cleared, so a quick thread counts for the old round.
      for (let round = 0; round < 2; round++) {
        const now = atomics.load(words, 1);
        if (atomics.add(words, 0, 1) + 1 === 2) {
          atomics.add(words, 1, 1);
          atomics.notify(words, 1);
          atomics.store(words, 0, 0);
        } else {
          while (atomics.load(words, 1) === now) atomics.wait(words as Int32Array<SharedArrayBuffer>, 1, now);
        }
      }
    };
    expect(() => tryAll([late, late], () => {})).toThrow('Deadlock');
  });

  it('if a thread gives up at a barrier, all other threads pass it or none does', () => {
    const outcome = (act: () => unknown): string => {
      try {
        return String(act());
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const meets: Body = (words, atomics, stepper, seen) => {
      note(
        stepper,
        seen,
        outcome(() => new TaskBarrier({ words, index: 0 }, 2, atomics).arrive()),
      );
    };
    // The deadline has passed before the thread sleeps.
    const givesUp: Body = (words, atomics, stepper, seen) => {
      note(
        stepper,
        seen,
        outcome(() => new TaskBarrier({ words, index: 0 }, 2, atomics).arrive(0)),
      );
    };
    const ends = new Set<string>();
    tryAll([meets, givesUp], ({ log }) => void ends.add([...log].sort().join(' ')), [], {
      maxPreemptions: 4,
    });
    expect([...ends].sort()).toEqual(['barrier-broken wait-timed-out', 'false true']);
    const words = new Int32Array(new SharedArrayBuffer(8));
    const barrier = new TaskBarrier({ words, index: 0 }, 2);
    expect(outcome(() => barrier.arrive(performance.now() + 5))).toBe('wait-timed-out');
    expect(outcome(() => barrier.arrive())).toBe('barrier-broken');
  });

  it('a manual event wakes all waiters, an automatic event wakes a single waiter, and the pool hands out each event once', () => {
    const waits =
      (isAutomatic: boolean): Body =>
      (words, atomics, stepper, seen) => {
        new TaskSignal({ words, index: 0 }, isAutomatic, atomics).wait();
        note(stepper, seen, 'heard');
      };
    const sets =
      (isAutomatic: boolean): Body =>
      (words, atomics) =>
        new TaskSignal({ words, index: 0 }, isAutomatic, atomics).set();
    const heard = (times: number) => (seen: Seen) => expect(seen.log).toHaveLength(times);
    expect(
      tryAll([waits(false), waits(false), sets(false)], heard(2), [], { maxPreemptions: 1 }),
    ).toBeGreaterThan(10);
    expect(tryAll([waits(true), sets(true)], heard(1))).toBeGreaterThan(5);
    expect(() => tryAll([waits(true), waits(true), sets(true)], heard(2), [], { maxPreemptions: 1 })).toThrow(
      'Deadlock',
    );
    const takes: Body = (words, atomics, stepper, seen) => {
      const pool = new SignalPool({ words, index: 0 }, 2, atomics);
      note(stepper, seen, String(pool.take().index));
    };
    tryAll([takes, takes], ({ log }) => expect([...log].sort()).toEqual(['2', '3']));
    const pool = new SignalPool({ words: new Int32Array(new SharedArrayBuffer(8)), index: 0 }, 1);
    const signal = pool.take();
    expect(() => pool.take()).toThrow(expect.objectContaining({ code: 'signals-used-up' }));
    pool.giveBack(signal);
    expect(pool.take().index).toBe(signal.index);
  });
});

it('T13: a wait ends at its deadline, with an error that names the primitive', () => {
  const words = new Int32Array(new SharedArrayBuffer(4));
  const semaphore = new TaskSemaphore({ words, index: 0 });
  expect(() => semaphore.acquire(performance.now() + 5)).toThrow(
    expect.objectContaining({ code: 'wait-timed-out', message: expect.stringContaining('a semaphore') }),
  );
  const plain = new TaskSemaphore({ words: new Int32Array(1), index: 0 });
  expect(() => plain.acquire()).toThrow(expect.objectContaining({ code: 'wait-not-possible' }));
});
