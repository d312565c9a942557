import { afterEach, describe, expect, it, vi } from 'vitest';
import { ThreadQueues } from '../named-threads/thread-queues.js';
import { serveTasks, type TaskPort } from '../worker/serve-tasks.js';
import { setMayBlock } from './lock-holder.js';
import { TaskCounter } from './task-counter.js';
import { TaskMutex, TaskReadWriteLock } from './task-locks.js';
import { TaskBarrier, TaskCondition, TaskSemaphore, TaskSignal } from './task-signals.js';

const silent: TaskPort = { postMessage: () => {}, addEventListener: () => {} };
const importNothing = async () => ({});

/**
 * Calls the wait of each primitive in a state in which the thread must sleep, for at most 5 ms. Returns the error
 * codes.
 */
function refusals(): Record<string, string> {
  const soon = performance.now() + 5;
  const placeOf = (...values: number[]) => {
    const words = new Int32Array(new SharedArrayBuffer(16));
    words.set(values);
    return { words, index: 0 };
  };
  const held = placeOf(2 << 1);
  const waits: Record<string, () => unknown> = {
    mutex: () => new TaskMutex(held).lock(soon),
    reading: () => new TaskReadWriteLock(placeOf(-1 - 2)).lockRead(soon),
    writing: () => new TaskReadWriteLock(placeOf(1)).lockWrite(soon),
    semaphore: () => new TaskSemaphore(placeOf(0)).acquire(soon),
    barrier: () => new TaskBarrier(placeOf(0, 0), 2).arrive(soon),
    event: () => new TaskSignal(placeOf(0)).wait(soon),
    counter: () => new TaskCounter(placeOf(1)).wait(0, soon),
    condition: () => {
      const mutex = new TaskMutex(placeOf(0));
      mutex.lock();
      new TaskCondition(placeOf(0)).wait(mutex, soon);
    },
  };
  const codeOf = (wait: () => unknown): string => {
    try {
      wait();
    } catch (error) {
      return (error as { code: string }).code;
    }
    return 'has waited';
  };
  return Object.fromEntries(Object.entries(waits).map(([name, wait]) => [name, codeOf(wait)]));
}

const all = (code: string) => Object.fromEntries(Object.keys(refusals()).map((name) => [name, code]));

describe('T13: a thread that draws never sleeps', () => {
  afterEach(() => {
    setMayBlock(true);
    vi.restoreAllMocks();
  });

  it('every wait on a named thread throws, although its worker could sleep', () => {
    serveTasks(silent, importNothing, false, null, { name: 'render', queues: new ThreadQueues() });
    expect(refusals()).toEqual(all('wait-not-possible'));
    // A free mutex can still be locked.
    new TaskMutex({ words: new Int32Array(new SharedArrayBuffer(4)), index: 0 }).lock();
  });

  it.each(['page', 'render'])(
    'the %s’s thread may only arrive last at a barrier, and never breaks it',
    (thread) => {
      const words = new Int32Array(new SharedArrayBuffer(8));
      const barrier = new TaskBarrier({ words, index: 0 }, 2);
      if (thread === 'render') setMayBlock(false);
      else
        vi.spyOn(Atomics, 'wait').mockThrow(new TypeError('Atomics.wait cannot be called in this context'));
      expect(() => barrier.arrive()).toThrow(expect.objectContaining({ code: 'wait-not-possible' }));
      expect([...words]).toEqual([0, 0]);
      // Another thread has arrived and waits.
      words[0] = 1;
      expect(barrier.arrive()).toBe(true);
      expect([...words]).toEqual([0, 1]);
    },
  );

  it('a pool worker may sleep, until the deadline', () => {
    serveTasks(silent, importNothing, true);
    expect(refusals()).toEqual(all('wait-timed-out'));
  });
});
