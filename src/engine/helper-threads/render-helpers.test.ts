import { expect, it, vi } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { createTestSystem, FakeWorker } from '../../tasks/testing/worker-bench.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { HelperPool } from '../../threads/control/protocol.js';
import { RenderHelpers } from './render-helpers.js';

const MODULES = { 'test:tasks': { nothing: () => {} } };

async function setUp(sizes = { high: 1, normal: 2, background: 1 }, isShared = true) {
  const { system, started } = await createTestSystem(MODULES, 0, isShared, { sizes });
  const helpers = new RenderHelpers(() => system, 0);
  const connected: (HelperPool | null)[] = [];
  const connection = (answer: () => Promise<void> = async () => {}) =>
    ({
      control: {
        connectHelpers: (pool: HelperPool | null) => {
          connected.push(pool);
          return answer();
        },
      },
    }) as unknown as RenderConnection;
  return { system, started, helpers, connected, connection };
}

it('T14: the loops of the render thread start the workers of the high and normal sets, once', async () => {
  const { system, started, helpers, connected, connection } = await setUp();
  await helpers.moveTo(connection());
  await helpers.moveTo(connection());
  expect(started).toHaveLength(3);
  expect(
    system
      .threads()
      .filter(({ kind }) => kind === 'worker')
      .map(({ set }) => set),
  ).toEqual(['high', 'normal', 'normal']);
  expect(connected.map((pool) => pool?.takers)).toEqual([3, 3]);
  expect(connected[0]?.memory).not.toBe(connected[1]?.memory);
});

it('T14: memories of the loops reach all workers that take part, even workers that start later', async () => {
  const posted = vi.spyOn(FakeWorker.prototype, 'postMessage');
  const { system, started, helpers, connected, connection } = await setUp();
  await helpers.moveTo(connection());
  const { port } = connected[0] as HelperPool;
  port.postMessage({ kind: 'bounds', number: 1, buffer: new SharedArrayBuffer(8) });
  const memoriesOf = (worker: unknown): number =>
    posted.mock.calls.filter(
      ([message], call) =>
        posted.mock.contexts[call] === worker && (message as { kind: string }).kind === 'residentMessage',
    ).length;
  await waitFor(() => expect(started.map(memoriesOf)).toEqual([1, 1, 1]));
  const module = await system.load('test:tasks');
  // The worker of the background set starts with its first task. It takes no part in the loops.
  await module.run('nothing', null, { set: 'background' });
  expect(started.map(memoriesOf)).toEqual([1, 1, 1, 0]);
  // The worker that replaces the dead worker of the high set gets all memories in use.
  started[0]?.onmessage?.({ data: { kind: 'started' } } as MessageEvent);
  started[0]?.die();
  await waitFor(() => expect(system.threads().filter(({ set }) => set === 'high')).toEqual([]));
  const task = module.run('nothing', null, { set: 'high' });
  await waitFor(() => expect(started.map(memoriesOf)).toEqual([1, 1, 1, 0, 1]));
  await task;
  port.close();
  posted.mockRestore();
});

it('T14: without shared memory or workers the render thread runs its loops alone', async () => {
  for (const { helpers, connected, connection } of [
    await setUp(undefined, false),
    await setUp({ high: 0, normal: 0, background: 0 }),
  ]) {
    await helpers.moveTo(connection());
    expect(connected).toEqual([null]);
  }
});

it('starts no loop once it is disposed of', async () => {
  const { started, helpers, connected, connection } = await setUp();
  helpers.dispose();
  await helpers.moveTo(connection());
  expect([started.length, connected.length]).toEqual([0, 0]);
});

it('rejects with the error of the render thread, unless a later move has begun', async () => {
  const { helpers, connection } = await setUp();
  const ended = new Error('ended');
  let end = (_: Error): void => {};
  const first = helpers.moveTo(
    connection(
      () =>
        new Promise((_, reject) => {
          end = reject;
        }),
    ),
  );
  await helpers.moveTo(connection());
  end(ended);
  await expect(first).resolves.toBeUndefined();
  await expect(helpers.moveTo(connection(() => Promise.reject(ended)))).rejects.toBe(ended);
});
