/** With copied memory a program has the same results as with shared memory, or gets an error. */
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { sharedArray } from '../arguments/shared-array.js';
import type { TaskContext } from '../execution/task-context.js';
import { createTestSystem } from '../testing/worker-bench.js';

type Call = [begin: number, end: number, task: TaskContext];
interface Words {
  readonly words: Int32Array;
}

let calls = 0;
const primitives: Readonly<Record<string, (tools: TaskContext['tools'], words: Int32Array) => unknown>> = {
  TaskMutex: (tools, words) => new tools.TaskMutex({ words, index: 0 }).lock(),
  TaskCondition: (tools, words) => new tools.TaskCondition({ words, index: 0 }).notify(),
  TaskSemaphore: (tools, words) => new tools.TaskSemaphore({ words, index: 0 }).release(),
  TaskReadWriteLock: (tools, words) => new tools.TaskReadWriteLock({ words, index: 0 }).lockRead(),
  TaskBarrier: (tools, words) => new tools.TaskBarrier({ words, index: 0 }, 1).arrive(),
  TaskSignal: (tools, words) => new tools.TaskSignal({ words, index: 0 }).set(),
  SignalPool: (tools, words) => new tools.SignalPool({ words, index: 0 }, 4).take(),
  TaskCounter: (tools, words) => new tools.TaskCounter({ words, index: 0 }).add(),
};

const modules = {
  'test:tasks': {
    default: {
      use: ({ name, words }: Words & { name: string }, ...[, , task]: Call) =>
        void primitives[name]?.(task.tools, words),
      writeAndFail({ words }: Words, begin: number) {
        words[begin]!++;
        throw new RangeError('After the first.');
      },
      async writeAndFailLater({ words }: Words) {
        words[0]!++;
        await Promise.resolve();
        words[1]!++;
        throw new RangeError('After the second.');
      },
      async startFailing({ words }: Words, ...[, , task]: Call) {
        await task.run('writeAndFail', { words }).catch(() => {});
        return [...words];
      },
      writeNested({ words }: { words: Map<unknown, Set<Map<Int32Array, unknown>>> }) {
        for (const inner of words.get(words) ?? []) for (const array of inner.keys()) array[1]!++;
      },
      never: () => new Promise(() => {}),
      count({ words }: Words, begin: number) {
        words[begin]!++;
        calls++;
        const until = performance.now() + 0.2;
        while (performance.now() < until);
      },
    },
  },
};

it.each(Object.keys(primitives))(
  'T13: a %s in a copy throws; on the page and in shared memory it works',
  async (name) => {
    const copied = await createTestSystem(modules, 1, false);
    const words = sharedArray(Int32Array, 8);
    await expect(copied.module.run('use', { name, words })).rejects.toMatchObject({
      code: 'memory-not-shared',
      message: expect.stringContaining('prerequisites'),
    });
    const onPage = await createTestSystem(modules, 0, false);
    await onPage.module.run('use', { name, words });
    const shared = await createTestSystem(modules, 1, true);
    await shared.module.run('use', { name, words: sharedArray(Int32Array, 8) });
  },
);

describe.each([
  ['shared memory', 1, true],
  ['copied memory', 1, false],
  ['no worker', 0, false],
] as const)('%s', (_, workers, isShared) => {
  it('T9: changes that a task has made before it throws are kept', async () => {
    const { module } = await createTestSystem(modules, workers, isShared);
    const words = sharedArray(Int32Array, 4);
    await expect(module.run('writeAndFail', { words })).rejects.toThrow('After the first.');
    expect([...words]).toEqual([1, 0, 0, 0]);
    await expect(module.run('writeAndFailLater', { words })).rejects.toThrow('After the second.');
    expect([...words]).toEqual([2, 1, 0, 0]);
    await expect(module.parallelFor('writeAndFail', 4, { words }, { batch: 1 })).rejects.toThrow(RangeError);
    expect(words[0]).toBe(3);
    words.fill(0);
    expect(await module.run('startFailing', { words })).toEqual([1, 0, 0, 0]);
    expect([...words]).toEqual([1, 0, 0, 0]);
  });

  // With shared memory, workers of this test would occupy its only thread until the loop is over.
  it.runIf(workers === 0 || !isShared)('T8: a cancelled loop stops, and its changes are kept', async () => {
    const { system, module } = await createTestSystem(modules, workers, isShared);
    const words = sharedArray(Int32Array, 100_000);
    calls = 0;
    const loop = module.parallelFor('count', words.length, { words }, { batch: 1 });
    await waitFor(() => expect(calls).toBeGreaterThan(0), { interval: 1 });
    loop.cancel();
    const before = calls;
    // The event loop of this thread, on which the worker runs too, has turned before the loop was over.
    expect(before).toBeLessThan(1000);
    await expect(loop).rejects.toThrow('cancelled');
    await waitFor(() => expect(words.reduce((sum, each) => sum + each)).toBe(calls));
    await waitFor(() => expect(system.threads().some(({ state }) => state === 'idle')).toBe(workers > 0));
    // At most 8 ms of calls run between two turns of the event loop. A worker's whole part would be 3,125 calls.
    expect(calls - before).toBeLessThan(200);
  });
});

it.each([
  ['copied memory', 1, false],
  ['shared memory', 1, true],
  ['no worker', 0, true],
] as const)(
  'T9: changes of arrays in Maps and Sets are kept, like those of other arrays: %s',
  async (_, workers, isShared) => {
    const { module } = await createTestSystem(modules, workers, isShared);
    const array = sharedArray(Int32Array, 3);
    // Include a cycle, which structured clones allow.
    const words = new Map<unknown, unknown>();
    words.set(words, new Set([new Map([[array, words]])]));
    await module.run('writeNested', { words });
    expect([...array]).toEqual([0, 1, 0]);
  },
);

it('T11: memory in the arguments of a dead worker’s task is poisoned, at any depth', async () => {
  const { system, module, started } = await createTestSystem(modules, 1);
  const arrays = Array.from({ length: 5 }, () => sharedArray(Int32Array, 1));
  const [inMap, asKey, inSet, inMemory] = arrays as [Int32Array, Int32Array, Int32Array, Int32Array];
  const held = module.run('never', {
    maps: [new Map([[asKey, { inMap }]])],
    set: new Set([inSet]),
    memory: inMemory.buffer,
  });
  await waitFor(() => expect(held.state).toBe('running'));
  started[0]?.die();
  await expect(held).rejects.toMatchObject({ code: 'task-worker-died' });
  expect(arrays.map((array) => system.isPoisoned(array))).toEqual([true, true, true, true, false]);
});
