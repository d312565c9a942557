import { describe, expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { createTestSystem } from '../testing/worker-bench.js';
import type { RunnableContext } from './serve-runnable.js';

const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

let steps = 0;
let seen: unknown[] = [];
let openGate = (): void => {};

const modules = {
  'test:tasks': { default: { nothing: () => {} } },
  'test:steps': {
    default: {
      async run(_: unknown, thread: RunnableContext) {
        while (!thread.isStopRequested) {
          steps++;
          await thread.safePoint();
          await turn();
        }
      },
    },
  },
  'test:yields': {
    default: {
      *run(_: unknown, thread: RunnableContext) {
        while (!thread.isStopRequested) {
          steps++;
          yield thread.safePoint();
          yield turn();
        }
      },
    },
  },
  'test:gated': {
    default: {
      async run(_: unknown, thread: RunnableContext) {
        await new Promise<void>((resolve) => {
          openGate = resolve;
        });
        seen.push(thread.isSuspendRequested);
        await thread.safePoint();
        seen.push('continues');
        while (!thread.isStopRequested) await turn();
      },
    },
  },
  'test:blocks': { default: { run: (_: unknown, thread: RunnableContext) => thread.blockAtSafePoint() } },
};

describe.each([
  ['shared memory', 1, true],
  ['copied memory', 1, false],
  ['no worker', 0, true],
] as const)('T15: a runnable is suspended and resumed: %s', (_, workers, isShared) => {
  const start = async (url: string) => {
    steps = 0;
    seen = [];
    const { system, told } = await createTestSystem(modules, workers, isShared);
    return { system, told, thread: await system.createThread(url) };
  };

  it.each(['test:steps', 'test:yields'])(
    'it pauses at its next safe point, and continues: %s',
    async (url) => {
      const { system, thread } = await start(url);
      await waitFor(() => expect(steps).toBeGreaterThan(2));
      expect(thread.state).toBe('running');
      expect(await thread.suspend()).toBe(true);
      expect([thread.state, thread.suspendCount]).toEqual(['suspended', 1]);
      expect(system.threads().at(-1)).toMatchObject({ kind: 'runnable', state: 'suspended' });
      const before = steps;
      for (let turns = 0; turns < 20; turns++) await turn();
      expect(steps).toBe(before);
      expect(thread.resume()).toBe(true);
      expect(thread.state).toBe('running');
      await waitFor(() => expect(steps).toBeGreaterThan(before + 1));
      expect(await thread.stop()).toBe('ended');
    },
  );

  it('calls are counted: it continues after as many calls of resume', async () => {
    const { thread } = await start('test:steps');
    expect(thread.resume()).toBe(false);
    expect(await Promise.all([thread.suspend(), thread.suspend(), thread.suspend()])).toEqual([
      true,
      true,
      true,
    ]);
    const before = steps;
    expect([thread.resume(), thread.resume(), thread.suspendCount]).toEqual([false, false, 1]);
    for (let turns = 0; turns < 20; turns++) await turn();
    expect([steps, thread.state]).toEqual([before, 'suspended']);
    expect([thread.resume(), thread.resume(), thread.suspendCount]).toEqual([true, false, 0]);
    await waitFor(() => expect(steps).toBeGreaterThan(before));
  });

  it('a thread that is resumed before its safe point does not pause for the first request, but only for a later request', async () => {
    const { thread } = await start('test:gated');
    const first = thread.suspend();
    expect(thread.resume()).toBe(true);
    expect(await first).toBe(false);
    const second = thread.suspend();
    await turn();
    openGate();
    expect(await second).toBe(true);
    expect(seen).toEqual([true]);
    thread.resume();
    await waitFor(() => expect(seen).toEqual([true, 'continues']));
    expect(await thread.stop()).toBe('ended');
  });

  it('stop and kill end a suspended thread, and pending and later calls of suspend resolve with false', async () => {
    const { thread, system } = await start('test:steps');
    await thread.suspend();
    expect(await thread.stop()).toBe('ended');
    expect([await thread.suspend(), thread.resume(), thread.suspendCount]).toEqual([false, false, 0]);
    const gated = await system.createThread('test:gated');
    const pending = gated.suspend();
    gated.kill();
    expect([await pending, gated.state]).toEqual([false, 'killed']);
    openGate();
  });

  it('blockAtSafePoint throws on a thread that must not sleep', async () => {
    const { thread } = await start('test:blocks');
    await expect(thread.done).rejects.toMatchObject({ code: 'wait-not-possible' });
  });
});
