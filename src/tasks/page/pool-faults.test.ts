import { expect, it, vi } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { ManualClock } from '../../sync/testing/manual-clock.js';
import type { TaskContext } from '../execution/task-context.js';
import { SharedQueues } from '../shared-memory/shared-queues.js';
import { createTestSystem } from '../testing/worker-bench.js';
import { PoolWorker } from './pool-worker.js';

const modules = {
  'test:tasks': {
    default: {
      name: () => 'pool',
      keep: (_args: unknown, _begin: number, _end: number, task: TaskContext) =>
        task.local(
          'kept',
          () => 1,
          () => {},
        ),
    },
  },
};
const loop = { memory: new SharedArrayBuffer(64), messages: () => [] };

it('T14: a worker of a resident loop that dies is replaced, unless it dies soon after its start', async () => {
  const clock = new ManualClock();
  const { system, module, started, told } = await createTestSystem(modules, 2, true, { clock });
  system.reside(loop);
  expect(started).toHaveLength(2);
  expect(await module.run('name')).toBe('pool');
  await waitFor(() => expect(system.threads().filter(({ kind }) => kind === 'worker')).toHaveLength(2));
  clock.block(1000);
  started[0]!.die();
  await waitFor(() => expect(told).toHaveLength(1));
  await waitFor(() => expect(started).toHaveLength(3));
  started[2]!.die();
  await waitFor(() => expect(told).toHaveLength(2));
  await new Promise((resolve) => setTimeout(resolve));
  expect(started).toHaveLength(3);
});

it('T13: a worker that is to end is woken, so that it receives the request to clean up', async () => {
  const clock = new ManualClock();
  const announced = vi.spyOn(SharedQueues.prototype, 'announceMail');
  const { system, module } = await createTestSystem(modules, 1, true, { clock, idleSeconds: 30 });
  await module.run('keep');
  announced.mockClear();
  await waitFor(() => {
    clock.advance(31_000);
    expect(announced).toHaveBeenCalledWith(1);
  });
  await waitFor(() => expect(system.stats().workers).toBe(0));
  announced.mockRestore();
});

it('F3: an invitation to the fences frees the place of the previous one, even if that one could not be sent', () => {
  const told: unknown[] = [];
  const evicted: number[] = [];
  const worker = new PoolWorker({
    ...{ threadNumber: 1, set: 'normal', taskOf: () => undefined },
    worker: {
      ...{ onmessage: null, onerror: null, terminate: () => {} },
      postMessage: (message: unknown) => told.push(structuredClone(message)),
    },
    ...{ onNotice: () => {}, onLoss: () => {}, onDeath: () => {} },
  });
  const invite = (place: number, invitation: unknown = {}) =>
    worker.inviteToFences(
      () => ({ invitation: invitation as never, transfer: [], evict: () => evicted.push(place) }),
      place,
    );
  invite(0);
  invite(1, () => 'a function can’t be sent');
  expect(evicted).toEqual([0]);
  invite(2);
  expect(evicted).toEqual([0, 1]);
  expect(told).toEqual([
    expect.objectContaining({ request: 0, invitation: {} }),
    expect.objectContaining({ request: 1, invitation: null }),
    expect.objectContaining({ request: 2, invitation: {} }),
  ]);
});
