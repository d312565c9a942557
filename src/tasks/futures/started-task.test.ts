import { describe, expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { sharedArray } from '../arguments/shared-array.js';
import type { TaskContext } from '../execution/task-context.js';
import { createTestSystem } from '../testing/worker-bench.js';

function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** State that a test shares with its tasks, which run on the test's own thread. */
let begun = gate();
let seen = gate();

/** Kills the first worker. */
let die = (): void => {};
/** Kills the first worker 20 microtasks later, when the calling task has ended. */
async function dieSoon(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await undefined;
  die();
}

/** Called in a microtask after `leaveTwice` has returned, before the page learns of its end. */
let lookAtEnd = (): void => {};

type Leaving = { into: Int32Array; fails: boolean };
type Call = [begin: number, end: number, task: TaskContext];

const modules = {
  'test:tasks': {
    default: {
      double: (value: number) => value * 2,
      /** Recurses to a depth greater than the number of workers. */
      async count(depth: number, ...[, , task]: Call): Promise<number> {
        return depth === 0 ? 0 : 1 + (await task.run<number>('count', depth - 1));
      },
      async sum({ values }: { values: Float64Array }, ...[, , task]: Call): Promise<number> {
        if (values.length <= 10) return values.reduce((sum, each) => sum + each, 0);
        const half = values.length >> 1;
        const first = task.run<number>('sum', { values: values.subarray(0, half) });
        const second = task.run<number>('sum', { values: values.subarray(half) }, { priority: 'high' });
        return (await first) + (await second);
      },
      write({ into, at }: { into: Int32Array; at: number }) {
        into[at] = at + 1;
      },
      /** Starts tasks that write into other elements of the array. Fired tasks may run after this task has ended. */
      spread({ into }: { into: Int32Array }, ...[, , task]: Call) {
        for (let at = 1; at < into.length; at++) {
          if (at % 2 === 0) task.fire('write', { into, at });
          else task.doNotCompleteUntil(task.run('write', { into, at }));
        }
        into[0] = 1;
      },
      /** Starts more tasks than there are slots, without awaiting them. Then its worker dies. */
      leave({ into, fails }: Leaving, ...[, , task]: Call) {
        for (let at = 0; at < into.length; at++) task.run('add', { into, at });
        void dieSoon();
        if (fails) throw new RangeError('Wrong.');
      },
      async leaveLater(given: Leaving, ...[, , task]: Call) {
        await undefined;
        for (let at = 0; at < given.into.length; at++) task.run('add', { into: given.into, at });
        void dieSoon();
        await undefined;
        if (given.fails) throw new RangeError('Wrong.');
      },
      leaveByMessage({ into, fails }: { into: Map<0, Int32Array>; fails: boolean }, ...[, , task]: Call) {
        const array = into.get(0) as Int32Array;
        for (let at = 0; at < array.length; at++) task.run('add', { into: array, at });
        void dieSoon();
        if (fails) throw new RangeError('Wrong.');
      },
      leaveTwice({ into, others }: { into: Int32Array; others: Map<0, Int32Array> }, ...[, , task]: Call) {
        for (let at = 0; at < into.length; at++) task.run('add', { into, at });
        task.run('addFirst', others);
        queueMicrotask(lookAtEnd);
      },
      addFirst: (others: Map<0, Int32Array>) => Atomics.add(others.get(0) as Int32Array, 0, 1),
      async leaveWithoutSlot({ into, fails }: Leaving, ...[, , task]: Call) {
        for (let slot = 0; slot < 256; slot++) task.run('double', slot);
        await task.run('leave', { into, fails });
      },
      add({ into, at }: { into: Int32Array; at: number }) {
        Atomics.add(into, at, 1);
      },
      async chain(_: unknown, ...[, , task]: Call) {
        const first = task.run<number>('double', 4);
        const second = task.run('double', 5, { prerequisites: [first] });
        const failed = task.run('fail');
        const cause = await task
          .run<never>('double', 1, { prerequisites: [failed] })
          .catch((error: unknown) => error as { code: string; cause: Error });
        return [await first, await second, cause.code, cause.cause.message];
      },
      fail() {
        throw new RangeError('Wrong.');
      },
      failLater(_: unknown, ...[, , task]: Call) {
        task.doNotCompleteUntil(task.run('fail'));
      },
      fireFailing: (_: unknown, ...[, , task]: Call) => task.fire('fail'),
      fireEndless: (_: unknown, ...[, , task]: Call) => task.fire('endless'),
      endless: () => new Promise(() => {}),
      unknown: (_: unknown, ...[, , task]: Call) => task.run('nothing'),
      wait: (_: unknown, ...[, , task]: Call) => task.wait(task.run('double', 1)),
      large: (length: number) => 'x'.repeat(length),
      async progressOfOne(_: unknown, ...[, , task]: Call) {
        const other = task.run('untilSeen');
        await begun.opened;
        task.progress(0.5);
        await other;
      },
      untilSeen() {
        begun.open();
        return seen.opened;
      },
      async progress(_: unknown, ...[, , task]: Call) {
        task.progress(0.5);
        await seen.opened;
        task.progress(2);
      },
    },
  },
};

describe.each([
  ['shared memory, 2 workers', 2, true],
  ['shared memory, 1 worker', 1, true],
  ['copied memory, 2 workers', 2, false],
  ['copied memory, 1 worker', 1, false],
  ['no worker', 0, true],
] as const)('T3: tasks start tasks: %s', (_, workers, isShared) => {
  const create = () => createTestSystem(modules, workers, isShared);

  it('T5: a task that awaits started tasks lets them run, also 50 levels deep', async () => {
    const { module } = await create();
    expect(await module.run('count', 50)).toBe(50);
  });

  it('T6: results and errors of started tasks reach the task that has started them', async () => {
    const { module } = await create();
    expect(await module.run('chain')).toEqual([8, 10, 'prerequisite-failed', 'Wrong.']);
    await expect(module.run('failLater')).rejects.toMatchObject({ code: 'prerequisite-failed' });
    await expect(module.run('unknown')).rejects.toMatchObject({ code: 'task-unknown' });
    await expect(module.run('wait')).rejects.toMatchObject({ code: 'wait-not-possible' });
  });

  it('T9: the page sees the changes of started tasks', async () => {
    const { system, module } = await create();
    const into = sharedArray(Int32Array, 30);
    await module.run('spread', { into });
    await waitFor(() => expect([...into]).toEqual(Array.from(into, (_, at) => at + 1)));
    expect(system.stats().failed).toBe(0);
  });

  it('T1: the failure of a fired task is reported', async () => {
    const { module, told } = await create();
    await module.run('fireFailing');
    await waitFor(() => expect(told).toHaveLength(1));
    expect(told).toEqual([expect.objectContaining({ name: 'RangeError', message: 'Wrong.' })]);
  });

  it('T8: progress belongs to the task that reports it, not to a later task on the same thread', async () => {
    const { module } = await create();
    [begun, seen] = [gate(), gate()];
    const future = module.run('progressOfOne');
    await waitFor(() => expect(future.progress).toBe(0.5));
    seen.open();
    await future;
  });

  it('T8: the future has the reported progress; invalid fractions throw', async () => {
    const { module } = await create();
    seen = gate();
    const future = module.run('progress');
    const refused = expect(future).rejects.toMatchObject({ code: 'option-out-of-range' });
    await waitFor(() => expect(future.progress).toBe(0.5));
    seen.open();
    await refused;
  });

  it('T3: results of any length arrive, also results that don’t fit into shared memory', async () => {
    const { module } = await create();
    for (const length of [0, 10, 500, 100_000]) {
      expect(await module.run('large', length)).toHaveLength(length);
    }
  });
});

const tasksOf = (length: number): number =>
  length <= 10 ? 1 : 1 + tasksOf(length >> 1) + tasksOf(length - (length >> 1));

it.each([
  [600, 'slots are enough', 3, true],
  [3000, 'more than the slots', 3, true],
  [600, 'copied memory', 3, false],
  [600, 'no worker', 0, true],
])(
  'T3: a tree of tasks adds up %i numbers, and the statistics count each task: %s',
  async (length, _, workers, isShared) => {
    const { system, module } = await createTestSystem(modules, workers, isShared);
    const values = sharedArray(Float64Array, length);
    for (let index = 0; index < length; index++) values[index] = index;
    expect(await module.run('sum', { values })).toBe(((length - 1) * length) / 2);
    expect(system.stats()).toMatchObject({ done: tasksOf(length), failed: 0, pending: 0 });
    await module.run('fireFailing');
    await waitFor(() => expect(system.stats().failed).toBe(1));
    await module.run('fireEndless');
    await waitFor(() => expect(system.stats().pending).toBe(1));
    await system.dispose();
    const done = tasksOf(length) + 2;
    expect(system.stats()).toMatchObject({
      done,
      failed: 1,
      pending: 0,
      cancelled: 1,
      memory: { queues: 0 },
    });
  },
);

it.each([
  ['has returned', 'leave', false],
  ['has thrown', 'leave', true],
  ['has awaited', 'leaveLater', false],
  ['has awaited, then thrown', 'leaveLater', true],
  ['arrived by message', 'leaveByMessage', false],
  ['arrived by message, and has thrown', 'leaveByMessage', true],
  ['had no slot itself', 'leaveWithoutSlot', false],
  ['had no slot itself, and has thrown', 'leaveWithoutSlot', true],
] as const)(
  'T3: tasks without slots, which no task awaits, survive their worker. The task that started them %s',
  async (_, name, fails) => {
    const { system, module, started } = await createTestSystem(modules, 1);
    await module.run('double', 1);
    die = () => started[0]?.die();
    const into = sharedArray(Int32Array, 500);
    const left = module.run(name, { into: name === 'leaveByMessage' ? new Map([[0, into]]) : into, fails });
    if (fails) await expect(left).rejects.toThrow('Wrong.');
    else await left;
    await waitFor(() => expect(system.stats().pending).toBe(0));
    expect(started).toHaveLength(2);
    expect(new Set(into)).toEqual(new Set([1]));
  },
);

it('T3: tasks in flight to the page count as pending', async () => {
  const { system, module } = await createTestSystem(modules, 1);
  const into = sharedArray(Int32Array, 500);
  const other = sharedArray(Int32Array, 1);
  let pending = 0;
  lookAtEnd = () => {
    pending = system.stats().pending;
  };
  await module.run('leaveTwice', { into, others: new Map([[0, other]]) });
  // The count includes the starting task.
  expect(pending).toBe(502);
  await waitFor(() => expect(system.stats()).toMatchObject({ pending: 0, done: 502 }));
  expect(new Set([...into, ...other])).toEqual(new Set([1]));
});
