import { describe, expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { ManualClock } from '../../sync/testing/manual-clock.js';
import type { Silence } from '../../sync/watch/watchdog.js';
import { createTestSystem } from '../testing/worker-bench.js';
import type { PoolWorker } from './pool-worker.js';
import { type WorkerWatchOptions, watchPoolWorker } from './watch-pool-worker.js';

/** @param firstWord the worker's first message. A worker that has only started does not serve yet */
function setUp(options: Partial<WorkerWatchOptions> = {}, firstWord: 'started' | 'answer' = 'answer') {
  const clock = new ManualClock();
  const state = { isBusy: true, runsTask: false, beat: 0, asked: 0 };
  const hangs: Silence[] = [];
  const worker = {
    isLeaving: false,
    hang: (silence: Silence) => hangs.push(silence),
  } as unknown as PoolWorker;
  watchPoolWorker(worker, {
    clock,
    isBusy: () => state.isBusy,
    runsTask: () => state.runsTask,
    beatOf: () => state.beat,
    ask: () => state.asked++,
    processorShare: () => 1,
    ...options,
  });
  const say = (kind: 'started' | 'answer'): void => worker.onMessage?.(kind);
  say(firstWord);
  return { clock, state, hangs, worker, say };
}

describe('R9: the health check of a pool worker', () => {
  it('a worker without a task must answer within 5 s, if jobs are pending', () => {
    const { clock, state, hangs, say } = setUp();
    for (let second = 0; second < 20; second++) {
      clock.advance(1000);
      say('answer');
    }
    expect([state.asked, hangs]).toEqual([20, []]);
    clock.advance(1000);
    clock.advance(4999);
    expect(hangs).toEqual([]);
    clock.advance(1);
    expect(hangs).toMatchObject([{ counted: 5000, processorShare: 1 }]);
  });

  it('a worker is not asked without pending jobs, before it serves, or while it leaves', () => {
    const idle = setUp();
    idle.state.isBusy = false;
    const leaving = setUp();
    (leaving.worker as { isLeaving: boolean }).isLeaving = true;
    const starting = setUp({}, 'started');
    for (const { clock, state, hangs } of [idle, leaving, starting]) {
      clock.advance(100_000);
      expect([state.asked, hangs]).toEqual([0, []]);
    }
  });

  it('a task may run for any time, unless a limit is set', () => {
    const { clock, state, hangs } = setUp();
    state.runsTask = true;
    clock.advance(3_600_000);
    expect([state.asked, hangs]).toEqual([0, []]);
  });

  it('with a limit, messages and calls of tasks are signs of life', () => {
    const { clock, state, hangs, say } = setUp({ hangSeconds: 2 });
    state.runsTask = true;
    for (let second = 0; second < 10; second++) {
      clock.advance(1000);
      state.beat++;
    }
    for (let second = 0; second < 10; second++) {
      clock.advance(1000);
      say('answer');
    }
    expect(hangs).toEqual([]);
    clock.advance(2499);
    expect(hangs).toEqual([]);
    clock.advance(1);
    expect(hangs).toHaveLength(1);
  });

  it('a task that ends is a sign of life, and the limit without a task begins', () => {
    const { clock, state, hangs } = setUp({ hangSeconds: 60 });
    state.runsTask = true;
    clock.advance(50_000);
    state.runsTask = false;
    clock.advance(5000);
    expect(hangs).toEqual([]);
    clock.advance(1000);
    expect(hangs).toMatchObject([{ counted: 5000 }]);
  });

  it('a starved worker gets more time, and the evidence contains its processor share', () => {
    const { clock, hangs } = setUp({ processorShare: () => 0.25 });
    clock.advance(1000 + 19_000);
    expect(hangs).toEqual([]);
    clock.advance(1000);
    expect(hangs).toMatchObject([{ counted: 5000, elapsed: 20_000, processorShare: 0.25 }]);
  });

  it('ends with the worker', () => {
    const { clock, worker, hangs } = setUp();
    worker.onEnded?.();
    clock.advance(100_000);
    expect([hangs, clock.timers.size]).toEqual([[], 0]);
  });
});

const tasks = {
  where: () => 'here',
  never: () => new Promise(() => {}),
  starts: (_args: unknown, _begin: number, _end: number, task: { run(name: string): Promise<unknown> }) =>
    task.run('never'),
};

describe.each([
  ['shared memory', true],
  ['copied memory', false],
] as const)('R9: a worker of the pool that hangs: %s', (_, isShared) => {
  const create = async (hangSeconds?: number) => {
    const clock = new ManualClock();
    const host = { clock, hangSeconds, processorShare: () => 1 };
    return { clock, ...(await createTestSystem({ 'test:tasks': tasks }, 1, isShared, host)) };
  };

  it('is reported and replaced within a task after `hangSeconds`; the error names worker and task', async () => {
    const { clock, module, started, told } = await create(7);
    expect(await module.run('where')).toBe('here');
    const hung = module.run('never');
    await waitFor(() => expect(hung.state).toBe('running'));
    const queued = module.run('where');
    started[0]?.hang();
    clock.advance(60_000);
    const named = { thread: 'Worker 1', task: '"never" of test:tasks' };
    await expect(hung).rejects.toMatchObject({ code: 'task-worker-died', details: named });
    const [death] = told.filter((error) => (error as { code: string }).code === 'task-worker-died');
    expect(death).toMatchObject({
      details: { ...named, verdict: 'hung', processorShare: '1.00' },
      message: expect.stringMatching(
        /^Worker 1 .* while it ran the task "never" of test:tasks: it has not answered/,
      ),
    });
    expect(await queued).toBe('here');
  });

  it('is kept while it runs a task if no limit is set, and the report of the slow task names worker and task', async () => {
    const { clock, module, started, told } = await create();
    const hung = module.run('never');
    await waitFor(() => expect(hung.state).toBe('running'));
    started[0]?.hang();
    for (let second = 0; second < 20; second++) clock.advance(1000);
    expect(hung.state).toBe('running');
    expect(told).toMatchObject([
      { code: 'task-slow', details: { thread: 'Worker 1', task: '"never" of test:tasks' } },
    ]);
  });

  it.runIf(isShared)('is replaced after 5 s if it runs no task, and its name is reported', async () => {
    const { clock, module, started, told } = await create();
    expect(await module.run('where')).toBe('here');
    started[0]?.hang();
    const queued = module.run('where');
    clock.advance(5000);
    expect(told).toEqual([]);
    clock.advance(2000);
    expect(told).toMatchObject([
      { code: 'task-worker-died', details: { thread: 'Worker 1', verdict: 'hung' } },
    ]);
    expect((told[0] as { details: object }).details).not.toHaveProperty('task');
    expect(await queued).toBe('here');
  });

  it.runIf(isShared)(
    'is reported with its running task, also if another task has started that task',
    async () => {
      const { module, system, started, told } = await create();
      const parent = module.run('starts');
      const name = '"never" of test:tasks';
      await waitFor(() => expect(system.threads()[1]).toMatchObject({ name: 'Worker 1', task: name }));
      started[0]?.die();
      await expect(parent).rejects.toMatchObject({ code: 'task-worker-died' });
      expect(told).toMatchObject([{ details: { thread: 'Worker 1', task: name } }]);
    },
  );
});
