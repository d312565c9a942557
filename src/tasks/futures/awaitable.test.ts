import { describe, expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import type { TaskContext } from '../execution/task-context.js';
import { createTestSystem } from '../testing/worker-bench.js';

type Call = [begin: number, end: number, task: TaskContext];

async function create(workers: number, isShared: boolean) {
  const begun: string[] = [];
  const tasks = {
    note(label: string) {
      begun.push(label);
      return label;
    },
    async late(_args: unknown, ...[, , task]: Call) {
      const never = task.run('never');
      return never.waitUntil(performance.now() + 1).catch((error) => error.code);
    },
    never: () => new Promise(() => {}),
  };
  return { ...(await createTestSystem({ 'test:tasks': tasks }, workers, isShared)), begun };
}

describe.each([
  ['shared memory', true, 2],
  ['copied memory', false, 2],
  ['no worker', true, 0],
] as const)('deferred tasks and waits: %s', (_, isShared, workers) => {
  it('T16: a deferred task begins when code first waits for it, once', async () => {
    const { module, begun, system } = await create(workers, isShared);
    const ways: Record<string, (task: ReturnType<typeof module.run>) => PromiseLike<unknown>> = {
      await: (task) => task,
      shared: (task) => task.share(),
      waitUntil: (task) => task.waitUntil(performance.now() + 10_000),
      catch: (task) => task.catch(() => {}),
      unlock: (task) => {
        task.unlock();
        return task;
      },
    };
    for (const [way, wait] of Object.entries(ways)) {
      const task = module.run('note', way, { deferred: true });
      await module.run('note', 'another');
      expect([task.state, task.isHeld, begun.splice(0)]).toEqual(['waiting', true, ['another']]);
      expect([await wait(task), await task, begun.splice(0)]).toEqual([way, way, [way]]);
    }
    expect(system.stats().pending).toBe(0);
  });

  it('T16: unlocking a task launches its deferred prerequisites; while it is held, they do not begin', async () => {
    const { module, begun } = await create(workers, isShared);
    const first = module.run('note', 'first', { deferred: true });
    const second = module.run('note', 'second', { deferred: true, prerequisites: [first.share()] });
    const held = module.run('note', 'held', { hold: true, prerequisites: [second] });
    await module.run('note', 'another');
    expect(begun.splice(0)).toEqual(['another']);
    held.unlock();
    await waitFor(() => expect(held.state).toBe('done'));
    expect(begun).toEqual(['first', 'second', 'held']);
  });

  it('T16: a deferred task never begins if it is cancelled or taken back; the system’s end rejects one that still waits', async () => {
    const { module, begun, system } = await create(workers, isShared);
    const [cancelled, taken, left] = [0, 1, 2].map((label) =>
      module.run('note', String(label), { deferred: true }),
    );
    expect([cancelled!.cancel(), await taken!.retract()]).toEqual([true, true]);
    await system.dispose();
    const names = await Promise.all(
      [cancelled, taken, left].map((task) => task!.catch((error) => (error as Error).name)),
    );
    expect([names, begun]).toEqual([['AbortError', 'AbortError', 'StateError'], []]);
  });

  it('T16: broadcast runs a task once on each worker, and once on this thread without workers', async () => {
    const { module, begun, system } = await create(workers, isShared);
    expect(await module.broadcast('note', 'warm')).toEqual(Array(workers || 1).fill('warm'));
    expect([begun.length, system.stats().workers, system.stats().done]).toEqual([workers || 1, workers, 1]);
    const untyped = module as { broadcast(name: string, args?: unknown, options?: object): unknown };
    expect(() => untyped.broadcast('missing')).toThrow(/missing/);
    expect(() => untyped.broadcast('note', '', { priority: 'high' })).toThrow(/priority/);
  });

  it('T7: waitUntil of a started task ends at its deadline, like that of a future', async () => {
    const { module } = await create(workers, isShared);
    expect(await module.run('late')).toBe('wait-timed-out');
  });

  it('T7: waitUntil of an event names the event', async () => {
    const { system } = await create(workers, isShared);
    await expect(system.event('door').waitUntil(0)).rejects.toThrow(/ for the event "door"/);
  });
});

it('T16: a broadcast reaches the workers of one set, also while they are busy, and fails with the first error', async () => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const begun: string[] = [];
  const tasks = {
    hold: () => opened,
    note: (label: string) => void begun.push(label),
    fail: () => {
      throw new RangeError('No.');
    },
  };
  const sizes = { high: 1, normal: 2, background: 1 };
  const { module, system } = await createTestSystem({ 'test:tasks': tasks }, 2, true, { sizes });
  const held = [module.run('hold'), module.run('hold')];
  await module.broadcast('note', 'normal', { set: 'normal' });
  expect([begun.splice(0), system.stats().workers]).toEqual([['normal', 'normal'], 2]);
  await module.broadcast('note', 'all');
  expect([begun.length, system.stats().workers]).toEqual([4, 4]);
  await expect(module.broadcast('fail')).rejects.toThrow('No.');
  open();
  await Promise.all(held);
});
