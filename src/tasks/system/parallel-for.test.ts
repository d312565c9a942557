import { afterEach, describe, expect, it, vi } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { ManualClock } from '../../sync/testing/manual-clock.js';
import { sharedArray } from '../arguments/shared-array.js';
import type { TaskContext } from '../execution/task-context.js';
import { TaskFuture } from '../futures/task-future.js';
import { ThreadQueues } from '../named-threads/thread-queues.js';
import { createTestSystem, FakeWorker } from '../testing/worker-bench.js';
import { fitBatch, planRanges, type RangeWork, TaskCosts } from './plan-ranges.js';

interface Log {
  readonly log: Int32Array;
  readonly calls: Int32Array;
}

interface LoopArguments {
  readonly of?: string;
  readonly count?: number;
  readonly batch?: number;
  readonly flags?: 'pump';
}

const modules = {
  'test:tasks': {
    default: {
      note({ log, calls }: Log, begin: number, end: number) {
        for (let index = begin; index < end; index++) log[index]!++;
        calls[0]!++;
      },
      /** Marks where calls begin. */
      mark({ log }: Log, begin: number) {
        log[begin] = 1;
      },
      slow({ log }: Log, begin: number, end: number) {
        const until = performance.now() + (end - begin) * 0.02;
        while (performance.now() < until);
        log[begin] = 1;
      },
      async wait({ log, calls }: Log, begin: number, end: number) {
        await Promise.resolve();
        for (let index = begin; index < end; index++) log[index]!++;
        calls[0]!++;
      },
      spin({ log, spin }: Log & { spin: number }, begin: number, end: number) {
        const until = performance.now() + (end - begin) * spin;
        while (performance.now() < until);
        log[begin] = 1;
      },
      /** Logs the order in which calls begin. */
      order({ log, calls }: Log, begin: number) {
        log[calls[0]!++] = begin;
      },
      noteLater: async ({ log, calls }: Log, begin: number, end: number) => {
        calls[0]!++;
        await new Promise((resolve) => setTimeout(resolve));
        for (let index = begin; index < end; index++) log[index]!++;
      },
      /** Returns its started task, which is a thenable but not a Promise. */
      hand: (args: Log, begin: number, _end: number, task: TaskContext) =>
        task.run('noteOne', { ...args, index: begin }),
      async noteOne({ log, index }: Log & { index: number }) {
        await new Promise((resolve) => setTimeout(resolve));
        log[index]!++;
      },
      /** Runs a loop of this module, and awaits it. */
      async loop(
        { of = 'noteLater', count = 100, batch, flags, ...args }: Log & LoopArguments,
        _begin: number,
        _end: number,
        task: TaskContext,
      ) {
        await task.parallelFor(of, count, args, {
          ...(batch && { batch }),
          ...(flags && { flags }),
        });
      },
      never: () => new Promise(() => {}),
      name: (_: unknown, _begin: number, _end: number, task: TaskContext) => task.thread?.name,
      fail(_: unknown, begin: number) {
        if (begin >= 200) throw new RangeError(`At ${begin}.`);
      },
    },
  },
};

type TestModule = Awaited<ReturnType<typeof createTestSystem>>['module'];

const logOf = (count: number): Log => ({
  log: sharedArray(Int32Array, count),
  calls: sharedArray(Int32Array, 1),
});

describe.each([
  ['shared memory', true],
  ['copied memory', false],
] as const)('parallelFor, %s', (_, isShared) => {
  it.each([0, 1, 2, 4])(
    'T4: recursive splitting covers every index once, with %i workers',
    async (workers) => {
      const { module } = await createTestSystem(modules, workers, isShared);
      for (const name of ['note', 'wait'] as const) {
        for (const batch of [1, 7, 64, 500]) {
          const args = logOf(300);
          await module.parallelFor(name, 300, args, { batch, flags: 'recursive' });
          expect(new Set(args.log)).toEqual(new Set([1]));
          if (isShared) expect(args.calls[0]).toBe(Math.ceil(300 / batch));
        }
      }
      await expect(module.parallelFor('fail', 300, null, { batch: 10, flags: 'recursive' })).rejects.toThrow(
        RangeError,
      );
    },
  );

  it.each([0, 1, 2])(
    'T4: a loop waits for the promises and futures that its calls return, with %i workers',
    async (workers) => {
      const { module } = await createTestSystem(modules, workers, isShared);
      for (const name of ['noteLater', 'hand'] as const) {
        for (const flags of [[], ['recursive']] as const) {
          const args = logOf(20);
          await module.parallelFor(name, 20, args, { batch: 1, flags });
          expect([name, ...new Set(args.log)]).toEqual([name, 1]);
        }
      }
    },
  );

  it('T4: forced-single makes one call; unbalanced makes four times the usual number, even for a cheap task', async () => {
    const create = async () => (await createTestSystem(modules, 2, isShared)).module;
    const callsOf = async (flags: 'forced-single' | 'unbalanced' | undefined, module: TestModule) => {
      const args = logOf(1024);
      await module.parallelFor('mark', 1024, args, { flags });
      return args.log.reduce((sum, each) => sum + each, 0);
    };
    // Use a new system for each flag, because a new system has no measurements.
    const unmeasured = [];
    for (const flags of [undefined, 'forced-single', 'unbalanced'] as const)
      unmeasured.push(await callsOf(flags, await create()));
    expect(unmeasured).toEqual([16, 1, 64]);
    const module = await create();
    for (let round = 0; round < 20; round++) await callsOf(undefined, module);
    expect(await callsOf('unbalanced', module)).toBe(64);
  });

  it('T4: the thread that runs a loop by itself runs its queue between two slices', async () => {
    const { module } = await createTestSystem(modules, 0, isShared);
    const order: string[] = [];
    const loop = module.parallelFor('spin', 60, { ...logOf(60), spin: 1 }, { batch: 1 });
    // This timer fires between two slices of the loop.
    await new Promise((resolve) => setTimeout(resolve));
    const game = module.run('name', null, { thread: 'game' });
    await Promise.all([loop.then(() => order.push('loop')), game.then((name) => order.push(String(name)))]);
    expect(order).toEqual(['game', 'loop']);
  });

  it('T4: with the flag "pump" this thread runs the tasks of its local queue until the loop has ended', async () => {
    const { system, module } = await createTestSystem(modules, 2, isShared);
    const local = { thread: 'game', queue: 'local' } as const;
    const before = module.run('name', null, local);
    const loop = module.parallelFor('noteLater', 10, logOf(10), { flags: ['pump', 'recursive'], batch: 5 });
    const during = module.run('name', null, local);
    expect(await Promise.all([before, during])).toEqual(['game', 'game']);
    await loop;
    const later = module.run('name', null, local);
    const game = await system.thread('game');
    await waitFor(() => expect(game.processUntilIdle('local')).toBe(1));
    expect(await later).toBe('game');
    expect(() => module.parallelFor('note', 1, logOf(1), { flags: 'fast' as never })).toThrow(/"fast"/);
  });

  it('T4: a task runs a loop of its module, on the pool and on a named thread, which can pump meanwhile', async () => {
    const { system, module } = await createTestSystem(modules, 2, isShared);
    const thread = new FakeWorker(modules, { name: 'render', queues: new ThreadQueues() });
    system.attachThread('render', thread);
    for (const options of [{}, { thread: 'game' }, { thread: 'render' }] as const) {
      const { log, calls } = logOf(100);
      await module.run('loop', { log, calls, batch: 10 }, options);
      expect([...log]).toEqual(Array(100).fill(1));
      // Copies of the count overwrite each other.
      if (isShared) expect(calls[0]).toBe(10);
    }
    const pumping = module.run('loop', { ...logOf(100), batch: 10, flags: 'pump' }, { thread: 'render' });
    const local = module.run('name', null, { thread: 'render', queue: 'local' });
    expect(await local).toBe('render');
    await pumping;
    await expect(module.run('loop', { ...logOf(1), flags: 'pump' })).rejects.toMatchObject({
      code: 'option-invalid',
    });
    await expect(module.run('loop', { ...logOf(1), of: 'fail', count: 300 })).rejects.toThrow(RangeError);
  });

  it.runIf(isShared)(
    'T4: recursive splitting gives the upper half away first, and splits halves again',
    async () => {
      const { module } = await createTestSystem(modules, 1, isShared);
      const args = logOf(8);
      await module.parallelFor('order', 8, args, { batch: 1, flags: 'recursive' });
      expect([...args.log]).toEqual([0, 4, 2, 1, 6, 5, 3, 7]);
      args.calls[0] = 0;
      await module.parallelFor('order', 8, args, { batch: 1 });
      expect([...args.log]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    },
  );

  it.runIf(isShared)('T4: a thread itself runs the halves for which it has no slots', async () => {
    const { module } = await createTestSystem(modules, 1, isShared);
    const args = logOf(3000);
    await module.parallelFor('note', 3000, args, { batch: 1, flags: ['recursive', 'unbalanced'] });
    expect(new Set(args.log)).toEqual(new Set([1]));
  });

  it.each([0, 2])('T4: preWork runs at once, and the future waits for it: %i workers', async (workers) => {
    const { module } = await createTestSystem(modules, workers, isShared);
    const order: string[] = [];
    let finish = () => {};
    const args = logOf(100);
    const future = module.parallelFor('note', 100, args, {
      preWork: () => {
        order.push('pre-work');
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
    });
    order.push('called');
    void future.then(() => order.push('done'));
    while (args.log.includes(0)) await new Promise((resolve) => setImmediate(resolve));
    await expect(future.waitUntil(performance.now())).rejects.toMatchObject({ code: 'wait-timed-out' });
    expect(new Set(args.log)).toEqual(new Set([1]));
    order.push('finishes');
    finish();
    await future;
    expect(order).toEqual(['pre-work', 'called', 'finishes', 'done']);
    await module.parallelFor('note', 0, args, { preWork: () => order.push('of nothing') });
    expect(order.at(-1)).toBe('of nothing');
    const failing = module.parallelFor('note', 100, args, {
      preWork: () => {
        throw new RangeError('Not today.');
      },
    });
    await expect(failing).rejects.toThrow('Not today.');
    expect(() => module.parallelFor('note', 1, args, { preWork: 1 as never })).toThrow(/preWork/);
  });

  it('T12: once the cost is known, small loops become one call, and large loops are split', async () => {
    const { module } = await createTestSystem(modules, 2, isShared);
    const callsOf = async (name: 'mark' | 'slow', count: number) => {
      const args = logOf(count);
      await module.parallelFor(name, count, args);
      return args.log.reduce((sum, each) => sum + each, 0);
    };
    expect(await callsOf('mark', 1000)).toBe(16);
    for (let round = 0; round < 20; round++) await callsOf('mark', 1000);
    expect(await callsOf('mark', 20)).toBe(1);
    await callsOf('slow', 200);
    // 0.02 ms per index: 5 ms of work, in calls of 0.05 ms at least.
    expect(await callsOf('slow', 250)).toBeGreaterThanOrEqual(8);
  });

  it('T12: loops of one call are measured too, so that a task that becomes expensive is split again', async () => {
    const { module } = await createTestSystem(modules, 2, isShared);
    const callsOf = async (spin: number) => {
      const args = logOf(250);
      await module.parallelFor('spin', 250, { ...args, spin });
      return args.log.reduce((sum, each) => sum + each, 0);
    };
    for (let round = 0; round < 20; round++) await callsOf(0);
    for (let round = 0; round < 3; round++) await callsOf(0.02);
    expect(await callsOf(0.02)).toBeGreaterThanOrEqual(8);
  });
});

describe('T12: batches by measured cost', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('the numbers of workers and calls follow from the cost of an index', () => {
    expect(fitBatch(1600, 2, 8, undefined)).toEqual({ batch: 100, takers: 2 });
    // 1.6 µs in all: one call.
    expect(fitBatch(1600, 4, 8, 1e-6)).toEqual({ batch: 1600, takers: 1 });
    // 0.32 ms in all: three workers have at least 0.1 ms each; calls of 0.05 ms.
    expect(fitBatch(1600, 4, 8, 2e-4)).toEqual({ batch: 250, takers: 3 });
    // 1.6 s in all: the number of calls per worker decides.
    expect(fitBatch(1600, 4, 8, 1)).toEqual({ batch: 50, takers: 4 });
    // 0.15 ms in all: a worker makes one call; the page, which must stay responsive, makes calls of 0.05 ms.
    expect(fitBatch(1500, 4, 8, 1e-4)).toEqual({ batch: 1500, takers: 1 });
    expect(fitBatch(1500, 0, 8, 1e-4)).toEqual({ batch: 500, takers: 1 });
    expect(fitBatch(0, 4, 8, 1)).toEqual({ batch: 1, takers: 1 });
  });

  type Loops = readonly (readonly [milliseconds: number, times: number])[];
  const costsOf = (...loops: Loops) => {
    const costs = new TaskCosts();
    for (const [milliseconds, times] of loops) {
      for (let time = 0; time < times; time++) costs.note('a', milliseconds, 1000);
    }
    return costs.of('a');
  };

  it('a loop whose thread was preempted does not make the next loops wake all workers', () => {
    vi.stubGlobal('crossOriginIsolated', true);
    const merged = { batch: 1000, takers: 1 };
    const usual = [0.01, 3] as const;
    expect(fitBatch(1000, 4, 8, costsOf(usual, [10, 1], usual))).toEqual(merged);
    expect(fitBatch(1000, 4, 8, costsOf(usual, [10, 1], usual, [30, 1]))).toEqual(merged);
    expect(fitBatch(1000, 4, 8, costsOf([10, 1], [0.01, 1]))).toEqual(merged);
    // The cost is the mean as long as no loop is an outlier.
    expect(costsOf([0.1, 2], [0.2, 2], [0.3, 4])).toBeCloseTo(1.8 / 8000, 9);
  });

  it('a task that becomes expensive is split after three expensive loops, and merged again after six cheap loops', () => {
    vi.stubGlobal('crossOriginIsolated', true);
    const takersAfter = (...loops: Loops) => fitBatch(1000, 4, 8, costsOf(...loops)).takers;
    expect([1, 2, 3].map((times) => takersAfter([0.01, 20], [10, times]))).toEqual([1, 1, 4]);
    expect([1, 5, 6].map((times) => takersAfter([10, 20], [0.01, times]))).toEqual([4, 4, 1]);
  });

  it('with a coarse clock, the cost is the mean of many short loops', () => {
    vi.stubGlobal('crossOriginIsolated', false);
    expect(costsOf([0, 3], [0.1, 1], [0, 3], [0.1, 1])).toBeCloseTo(0.2 / 8000, 9);
    expect(costsOf([0, 8])).toBeCloseTo(0.1 / 8000, 9);
  });

  it('all parts of a loop count as one measurement, however different they are', () => {
    const costs = new TaskCosts();
    const future = new TaskFuture<unknown>(
      'loop',
      () => {},
      () => {},
    );
    const module = { number: 3, url: 'test:tasks', tasks: {}, names: [] };
    const plan = { count: 1000, batch: 100, takers: 0, parts: 32, isRecursive: false };
    const target = {} as RangeWork['target'];
    const counterOf = () => ({ counter: new Int32Array(1), number: -1 });
    const work = { module, name: 'a', args: null, target, future, plan, counterOf, costs };
    const { jobs, begin } = planRanges({ ...work, preWork: undefined });
    begin();
    jobs.forEach((job, part) => {
      expect(costs.of('3 a')).toBeUndefined();
      job.onDone(null, part === 4 ? 40 : 0.01);
    });
    expect(costs.of('3 a')).toBeCloseTo(40.09 / 1000, 9);
  });

  it('times below the clock’s resolution don’t count as 0, and new measurements replace old ones', () => {
    const costs = new TaskCosts();
    costs.note('a', 0, 100);
    expect(costs.of('a')).toBeGreaterThan(0);
    costs.note('b', 10, 10);
    expect(costs.of('b')).toBeCloseTo(1, 9);
    for (let round = 0; round < 20; round++) costs.note('b', 40, 10);
    expect(costs.of('b')).toBeCloseTo(4, 1);
    expect(costs.of('c')).toBeUndefined();
  });
});

it.each([
  ['shared memory', true],
  ['copied memory', false],
])('T8: a slow loop is reported once, although two workers run it: %s', async (_, isShared) => {
  const clock = new ManualClock();
  const { module, told } = await createTestSystem(modules, 3, isShared, { clock, reportSeconds: 1 });
  const slow = [module.parallelFor('never', 2, null, { batch: 1 }), module.run('never')];
  await waitFor(() => expect(slow.map(({ state }) => state)).toEqual(['running', 'running']));
  for (let step = 0; step < 40; step++) clock.advance(250);
  expect(told).toMatchObject([{ code: 'task-slow' }, { code: 'task-slow' }]);
});
