import { describe, expect, it, vi } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { sharedArray } from '../arguments/shared-array.js';
import type { WorkerLike } from '../page/pool-worker.js';
import { createTestSystem } from '../testing/worker-bench.js';

/** The modules that a system under test can load. */
const modules: Record<string, Record<string, unknown>> = {
  'test:tasks': {
    default: {
      append: ({ log, name }: { log: Int32Array; name: number }) => {
        log[0]!++;
        log[log[0]!] = name;
      },
      double: (value: number) => value * 2,
      note: ({ log, count }: { log: Int32Array; count: Int32Array }, begin: number, end: number) => {
        for (let index = begin; index < end; index++) log[index]!++;
        count[0]!++;
      },
      add: ({ into, from }: { into: Float64Array; from: Float64Array }, begin: number, end: number) => {
        for (let index = begin; index < end; index++) into[index]! += from[index]!;
      },
      fail: () => {
        throw new RangeError('Wrong.');
      },
      never: () => new Promise(() => {}),
      wait: () => new Promise((resolve) => setTimeout(resolve)),
    },
  },
};

const create = (workers: number, isShared = true) => createTestSystem(modules, workers, isShared);

describe.each([
  ['shared memory', true],
  ['copied memory', false],
] as const)('task system, %s', (_, isShared) => {
  it.each([0, 1, 2, 4])(
    'T4: a loop runs every index once, with %i workers, for batches of 1 to 1000 and the default',
    async (workers) => {
      const { module } = await create(workers, isShared);
      for (const batch of [1, 3, 100, 1000, undefined]) {
        const log = sharedArray(Int32Array, 500);
        const count = sharedArray(Int32Array, 1);
        await module.parallelFor('note', 500, { log, count }, batch ? { batch } : {});
        expect(new Set(log)).toEqual(new Set([1]));
      }
    },
  );

  it('T9: tasks that write parts of one array keep each other’s changes, and the page’s', async () => {
    const { module } = await create(3, isShared);
    const into = sharedArray(Float64Array, 90);
    const from = sharedArray(Float64Array, 90).fill(1);
    const parts = [0, 1, 2].map((part) =>
      module.run('add', { into: into.subarray(part * 20, part * 20 + 20), from }),
    );
    const whole = module.parallelFor('add', 20, { into: into.subarray(60, 80), from }, { batch: 5 });
    into[85] = 7;
    await Promise.all([...parts, whole]);
    expect(into[85]).toBe(7);
    expect([...into.subarray(60, 80)]).toEqual(new Array(20).fill(1));
    expect([into[0], into[20], into[40], into[1]]).toEqual([1, 1, 1, 0]);
  });
});

it('T12: workers are started when needed, and an idle worker gets the next task', async () => {
  const { system, started, module } = await create(3);
  expect(started).toHaveLength(0);
  expect(await module.run('double', 4)).toBe(8);
  expect(await module.run('double', 5)).toBe(10);
  expect(started).toHaveLength(1);
  await Promise.all(Array.from({ length: 10 }, () => module.run('wait')));
  expect(started).toHaveLength(3);
  expect(system.stats()).toMatchObject({ workers: 3, done: 12, pending: 0 });
});

it.each([true, false])(
  'T1: tasks of high priority run first, and the oldest first within a priority',
  async (isShared) => {
    const { module } = await create(1, isShared);
    const log = sharedArray(Int32Array, 7);
    // With messages the first task is in flight before the other tasks are queued.
    await Promise.all([
      module.run('append', { log, name: 1 }),
      module.run('append', { log, name: 2 }),
      module.run('append', { log, name: 3 }),
      module.run('append', { log, name: 4 }, { priority: 'high' }),
      module.run('append', { log, name: 5 }, { priority: 'high' }),
    ]);
    const order = [...log.subarray(1, 6)].filter((name) => name !== 1);
    expect(order).toEqual([4, 5, 2, 3]);
  },
);

it.each([0, 2])(
  'T1: a chain of 101 tasks, each of which waits for the previous task, ends with %i workers',
  async (workers) => {
    const { module } = await create(workers);
    let last = module.run('double', 1);
    for (let index = 0; index < 100; index++) last = module.run('double', index, { prerequisites: [last] });
    expect(await last).toBe(198);
  },
);

it('a parallelFor rejects with the error that its task throws, and later tasks run', async () => {
  const { module } = await create(2);
  await expect(module.parallelFor('fail', 1000, null, { batch: 1 })).rejects.toThrow(RangeError);
  expect(await module.run('double', 1)).toBe(2);
});

it('T8: the death of a worker fails its task; queued tasks run on another worker', async () => {
  const { module, started, told } = await create(1);
  await module.run('double', 1);
  const held = module.run('never');
  await waitFor(() => expect(held.state).toBe('running'));
  const queued = module.run('double', 3);
  started[0]?.onerror?.({ message: 'out of memory' } as ErrorEvent);
  await expect(held).rejects.toMatchObject({
    code: 'task-worker-died',
    message: expect.stringContaining('"never"'),
  });
  expect(await queued).toBe(6);
  expect(started).toHaveLength(2);
  expect(told).toHaveLength(1);
});

it('the error of a worker whose script can’t be loaded states the reason, although the browser gives no message', async () => {
  const { module, started, told } = await create(1);
  void module.run('never').catch(() => {});
  await waitFor(() => expect(started).toHaveLength(1));
  started[0]?.onerror?.(new Event('error') as ErrorEvent);
  expect(told).toMatchObject([
    { message: expect.stringContaining('died: its script could not be loaded. Serve task-worker.js') },
  ]);
});

it('an unhandled failure of a task is reported to the page; a cancellation is not', async () => {
  const { system, module } = await create(1);
  const unhandled: unknown[] = [];
  const hear = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', hear);
  module.run('fail');
  await module.run('double', 1);
  module.run('wait').cancel();
  module.run('wait');
  await system.dispose();
  await new Promise((resolve) => setTimeout(resolve));
  process.off('unhandledRejection', hear);
  expect(unhandled).toEqual([expect.any(RangeError)]);
});

it('a fired task is reported if a prerequisite has failed, but not if a prerequisite was cancelled', async () => {
  const { told, module } = await create(1);
  const called = module.run('never');
  module.fire('double', 1, { prerequisites: [called] });
  called.cancel();
  const failed = module.run('fail');
  module.fire('double', 1, { prerequisites: [failed] });
  await failed.catch(() => {});
  expect(told).toMatchObject([{ code: 'prerequisite-failed', cause: { message: 'Wrong.' } }]);
});

it.each([
  ['no worker', 0, true],
  ['copied memory', 1, false],
] as const)(
  'T12: a loop of 100,000 calls ends, a loop can be aborted, and without workers the page’s event loop turns: %s',
  async (_, workers, isShared) => {
    const { module } = await create(workers, isShared);
    const log = sharedArray(Int32Array, 100_000);
    const count = sharedArray(Int32Array, 1);
    let turns = 0;
    const timer = setInterval(() => turns++);
    await module.parallelFor('note', log.length, { log, count }, { batch: 1 });
    clearInterval(timer);
    expect(log.every((times) => times === 1)).toBe(true);
    // After the abort, jobs that have not begun are skipped, and jobs that have begun run to their end.
    const controller = new AbortController();
    const endless = module.parallelFor('wait', 1000, null, { batch: 1, signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    await expect(endless).rejects.toMatchObject({ name: 'AbortError' });
    expect(await module.run('double', 4)).toBe(8);
    if (workers === 0) expect(turns).toBeGreaterThan(0);
  },
);

it('an event has the methods of a promise: finally and catch run when it is cancelled', async () => {
  const { system } = await create(0);
  const event = system.event<number>('rain');
  let isOver = false;
  const over = event.finally(() => {
    isOver = true;
  });
  event.cancel();
  await over.catch(() => {});
  expect(isOver).toBe(true);
  expect(await event.catch((error) => (error as Error).message)).toBe('The event "rain" was cancelled.');
});

it('a worker whose script sends no message is ended, and tasks run on the page', async () => {
  vi.useFakeTimers();
  const mute: WorkerLike = { postMessage() {}, onmessage: null, onerror: null, terminate() {} };
  const { told, module } = await createTestSystem(modules, 2, true, { startWorker: () => mute });
  const doubled = module.run('double', 2);
  const log = sharedArray(Int32Array, 100);
  const noted = module.parallelFor('note', 100, { log, count: sharedArray(Int32Array, 1) }, { batch: 3 });
  await vi.advanceTimersByTimeAsync(31_000);
  vi.useRealTimers();
  expect(await doubled).toBe(4);
  await noted;
  expect(new Set(log)).toEqual(new Set([1]));
  expect(told.at(-1)).toMatchObject({
    code: 'task-worker-died',
    message: expect.stringContaining('within 30 s'),
  });
});

describe('T12: invalid options', () => {
  it('are rejected with typed errors, leave no pending task, and let the system end', async () => {
    const { module, system } = await create(1);
    const refused = (options: object): unknown => {
      try {
        return module.run('double', 2, options);
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(refused({ signal: {} })).toBe('option-invalid');
    expect(refused({ prerequisites: [5] })).toBe('option-invalid');
    expect(system.stats().pending).toBe(0);
    const future = module.run('never', null);
    await expect(future.waitUntil(Number.NaN)).rejects.toMatchObject({ code: 'option-invalid' });
    await expect(system.createThread('test:tasks', { name: 5 } as never)).rejects.toMatchObject({
      code: 'option-invalid',
    });
    const ended = expect(future).rejects.toMatchObject({ code: 'tasks-disposed' });
    await system.dispose();
    await ended;
    await system.dispose();
  });

  it('flags, holds, prerequisites, deadlines, threads and addresses of the wrong kind throw typed errors', async () => {
    const { system, module } = await create(1);
    const invalid = { code: 'option-invalid' };
    for (const flags of [5, null, {}])
      expect(() => module.parallelFor('double', 3, null, { flags: flags as never })).toThrow('"flags"');
    expect(() => module.run('double', 1, { hold: 1 as never })).toThrow('hold of run');
    const held = module.run('double', 1, { hold: true });
    expect(() => held.addPrerequisite(5 as never)).toThrow('neither a future nor a promise');
    await expect(held.waitUntil('5' as never)).rejects.toMatchObject(invalid);
    await expect(held.waitUntil(-5)).rejects.toThrow('waited 0 ms');
    held.unlock();
    await expect(system.thread(undefined as never)).rejects.toMatchObject(invalid);
    for (const address of [undefined, null, 5, {}, 'http://[']) {
      await expect(system.load(address as never)).rejects.toMatchObject(invalid);
      await expect(system.createThread(address as never)).rejects.toMatchObject(invalid);
    }
  });

  it('array types that are not typed arrays, and counts given as text, throw errors that name the mistake', async () => {
    const { module } = await create(1);
    expect(() => sharedArray(ArrayBuffer as never, 3)).toThrow('Float32Array');
    expect(() => sharedArray(Map as never, 3)).toThrow('Float32Array');
    expect(() => module.parallelFor('note', '10' as never, null)).toThrow('is "10"');
  });
});
