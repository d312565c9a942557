import { describe, expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { sharedArray } from '../arguments/shared-array.js';
import { ThreadQueues } from '../named-threads/thread-queues.js';
import { createTestSystem, FakeWorker } from '../testing/worker-bench.js';

/** Ends the runnable of a test. */
let end = (): void => {};

const modules = {
  'test:tasks': {
    default: {
      name: () => 'pool',
      never: () => new Promise(() => {}),
    },
  },
  'test:waits': { default: { run: () => new Promise<void>((resolve) => (end = resolve)) } },
};

const lost = (port: RegExp) =>
  expect.objectContaining({ code: 'message-lost', details: { port: expect.stringMatching(port) } });

describe('lost messages', () => {
  it.each([
    ['from a worker', (worker: FakeWorker) => worker.loseAnswer(), /answers of Worker 1/],
    ['to a worker', (worker: FakeWorker) => worker.loseOrder(), /orders to Worker 1/],
  ])('are reported, and reject the pending results of the worker: %s', async (_, lose, port) => {
    const { module, started, told } = await createTestSystem(modules, 1, false);
    await module.run('name');
    const future = module.run('never');
    await waitFor(() => expect(future.state).toBe('running'));
    lose(started[0]!);
    await expect(future).rejects.toEqual(lost(port));
    expect(told).toEqual([lost(port)]);
    // The worker still serves orders.
    await expect(module.run('name')).resolves.toBe('pool');
  });

  it('a lost message to a named thread is reported with the name of the thread', async () => {
    const { system, module, told } = await createTestSystem(modules, 1, false);
    const thread = new FakeWorker(modules, { name: 'render', queues: new ThreadQueues() });
    system.attachThread('render', thread);
    const future = module.run('never', null, { thread: 'render' });
    await waitFor(() => expect(future.state).toBe('running'));
    thread.loseOrder();
    await expect(future).rejects.toEqual(lost(/orders to The render thread/));
    expect(told).toHaveLength(1);
  });

  it('lost messages of a runnable are reported, and the runnable continues', async () => {
    const { system, started, told } = await createTestSystem(modules, 1);
    const thread = await system.createThread('test:waits', { name: 'physics' });
    started.at(-1)!.loseOrder();
    await waitFor(() => expect(told).toHaveLength(1));
    started.at(-1)!.loseAnswer();
    expect(told).toEqual([lost(/orders to the thread "physics"/), lost(/answers of the thread "physics"/)]);
    end();
    await thread.done;
  });

  it('after a lost order the page sends its shared memory again; after a lost answer it notifies the worker', async () => {
    const { module, started, told } = await createTestSystem(modules, 1);
    await module.run('name', { values: sharedArray(Int32Array, 4) });
    const [worker] = started as [FakeWorker];
    const sent: { kind: string }[] = [];
    const { postMessage } = worker;
    worker.postMessage = (message, transfer) => {
      sent.push(message as { kind: string });
      postMessage.call(worker, message, transfer);
    };
    worker.loseOrder();
    await waitFor(() => expect(told).toHaveLength(1));
    expect(sent).toEqual([
      expect.objectContaining({ kind: 'memory', memory: expect.any(SharedArrayBuffer) }),
    ]);
    worker.loseAnswer();
    expect(sent).toContainEqual({ kind: 'lost' });
  });
});
