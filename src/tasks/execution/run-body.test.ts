import { describe, expect, it, vi } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { replayThread } from '../../sync/testing/replay-thread.js';
import { explore } from '../../sync/testing/schedule-explorer.js';
import { sharedArray } from '../arguments/shared-array.js';
import { TaskCounter } from '../blocking/task-counter.js';
import { Sleepers } from '../testing/sleepers.js';
import { createTestSystem } from '../testing/worker-bench.js';
import { runBody, runFiber } from './run-body.js';
import type { TaskContext } from './task-context.js';

type Call = [begin: number, end: number, task: TaskContext];
type Place = TaskCounter['place'];

const modules = {
  'test:tasks': {
    default: {
      double: (value: number) => value * 2,
      *sum(value: number, ...[, , task]: Call): Generator<unknown, unknown, never> {
        const first: number = yield task.run('double', value);
        yield;
        const second: number = yield task.run('double', first);
        let caught = '';
        try {
          yield task.run('fail');
        } catch (error) {
          caught = (error as Error).message;
        }
        return [first, second, caught];
      },
      *failing(): Generator<unknown> {
        yield Promise.resolve();
        throw new RangeError('In the middle.');
      },
      *none(wait: boolean | undefined) {
        if (wait) yield;
        return 5;
      },
      *each({ log }: { log: Int32Array }, begin: number, end: number) {
        for (let index = begin; index < end; index++) {
          yield Promise.resolve();
          log[index]!++;
        }
      },
      fail() {
        throw new RangeError('Wrong.');
      },
      *await({ place, log }: { place: Place; log: Int32Array }, ...[, , task]: Call): Generator<unknown> {
        const counter = new task.tools.TaskCounter(place);
        log[0]!++;
        yield counter.whenReached();
        return counter.value;
      },
      count: ({ place }: { place: Place }, ...[, , task]: Call) => new task.tools.TaskCounter(place).done(),
      /** A state machine: each part may run on another worker. */
      walk({ place, state }: { place: Place; state: Int32Array }, ...[, , task]: Call): unknown {
        state[0]!++;
        if (state[0] === 3) return 'arrived';
        const counter = new task.tools.TaskCounter(place);
        return task.resume({ place, state }, counter.whenReached(3 - state[0]!));
      },
      async local(value: number, ...[, , task]: Call) {
        return task.local('value', () => value);
      },
    },
  },
};

describe.each([
  ['shared memory, 2 workers', 2, true],
  ['shared memory, 1 worker', 1, true],
  ['copied memory, 2 workers', 2, false],
  ['no worker', 0, true],
  ['no worker, no shared memory', 0, false],
] as const)('T6: fibers: %s', (_, workers, isShared) => {
  it('a generator continues with the awaited value, and fails with its own error', async () => {
    const { module } = await createTestSystem(modules, workers, isShared);
    expect(await module.run('sum', 3)).toEqual([6, 12, 'Wrong.']);
    await expect(module.run('failing')).rejects.toThrow('In the middle.');
    expect(await module.run('none')).toBe(5);
    const log = sharedArray(Int32Array, 40);
    await module.parallelFor('each', 40, { log }, { batch: 7 });
    expect(new Set(log)).toEqual(new Set([1]));
  });

  it.runIf(isShared || workers === 0)(
    'a fiber waits for a counter without occupying its thread',
    async () => {
      const { system, module } = await createTestSystem(modules, workers, isShared);
      // Without workers, tasks run on this thread, which must look like a page's thread.
      if (workers === 0) vi.stubGlobal('document', {});
      const counter = system.counter(3);
      const { place } = counter;
      const log = sharedArray(Int32Array, 1);
      const waiting = [1, 2, 3].map(() => module.run('await', { place, log }));
      await waitFor(() => expect(log[0]).toBe(3));
      const state = sharedArray(Int32Array, 1);
      const walking = module.run('walk', { place, state });
      await waitFor(() => expect(state[0]).toBe(1));
      // The threads are free, so the tasks that count the counter down can run.
      await module.run('count', { place });
      await waitFor(() => expect(state[0]).toBe(2));
      await module.run('count', { place });
      expect(await walking).toBe('arrived');
      counter.done();
      expect(await Promise.all(waiting)).toEqual([0, 0, 0]);
      await counter.whenReached();
      expect(() => system.counter(-1)).toThrow(/count of a counter/);
    },
  );

  it('T13: a thread local is created at most once per thread', async () => {
    const { module } = await createTestSystem(modules, workers, isShared);
    const values = await Promise.all(
      Array.from({ length: 20 }, (_, value) => module.run('local', value) as PromiseLike<number>),
    );
    expect(new Set(values).size).toBeLessThanOrEqual(Math.max(1, workers));
  });
});

it('T6: a thenable that calls back twice resumes a fiber once', async () => {
  let resumed = 0;
  function* fiber(): Generator<unknown> {
    yield {
      // biome-ignore lint/suspicious/noThenProperty: faulty thenables exist.
      then(onDone: (value: number) => void) {
        onDone(1);
        onDone(2);
      },
    };
    resumed++;
    yield Promise.resolve();
    return resumed;
  }
  expect(await runFiber(fiber())).toBe(1);
});

describe('T6: a counter, in every explored order', () => {
  /**
   * Explores two threads that count a counter down, and one that waits for it.
   * @param notifies whether counting wakes the waiter
   * @param isExact whether the waiter waits for exactly 1, which the counter may skip
   */
  const run = (notifies: boolean, isExact = false) =>
    explore(
      () => {
        const words = new Int32Array(new SharedArrayBuffer(8));
        words[0] = 3;
        const sleepers = new Sleepers();
        const counts = (by: number) =>
          replayThread((stepper) => {
            const atomics = sleepers.atomicsOf(stepper);
            if (notifies) new TaskCounter({ words, index: 0 }, atomics).done(by);
            else atomics.add(words, 0, -by);
          });
        const waits = replayThread((stepper) => {
          const atomics = sleepers.atomicsOf(stepper);
          const counter = new TaskCounter({ words, index: 0 }, atomics);
          if (!isExact) counter.wait(1);
          else
            for (let now = 3; now !== 1; now = atomics.load(words, 0)) atomics.wait(words as never, 0, now);
        });
        return { threads: { one: counts(1), two: counts(2), waits } };
      },
      { maxPreemptions: 3 },
    ).schedules;

  it('no wake-up is lost; the explorer catches a missing notification, and a wait for one exact count', () => {
    const schedules = run(true);
    console.log(`T6 counter: ${schedules} schedules of three threads, {"maxPreemptions":3}.`);
    expect(schedules).toBeGreaterThan(10);
    expect(() => run(false)).toThrow('Deadlock');
    expect(() => run(true, true)).toThrow('Deadlock');
  });
});

it('the clock is read only for a caller that uses the times of a body', () => {
  const now = vi.spyOn(performance, 'now');
  const context = { finish: () => undefined };
  const ends = {
    done: (value: unknown, spent?: number) => [value, spent],
    failed: (thrown: unknown) => [thrown],
  };
  expect(runBody(() => 5, context, ends)).toEqual([5, undefined]);
  expect(now).not.toHaveBeenCalled();
  const [, spent] = runBody(() => 5, context, { ...ends, ran: () => {} }) as [number, number];
  expect([now.mock.calls.length, spent >= 0]).toEqual([2, true]);
  now.mockRestore();
});
