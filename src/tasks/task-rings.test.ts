import { describe, expect, it } from 'vitest';
import { lastEvent, readEvents } from '../core/events/event-reader.js';
import { EVENT_NUMBERS, EventRing, RUNNABLE_STAGES, TimelineEvent } from '../core/events/event-ring.js';
import type { TaskContext } from './execution/task-context.js';
import { ThreadQueues } from './named-threads/thread-queues.js';
import type { RunnableContext } from './runnable/serve-runnable.js';
import { TaskRings } from './task-rings.js';
import { createTestSystem, FakeWorker } from './testing/worker-bench.js';

const tasks = {
  fill: () => {},
  fail: () => {
    throw new RangeError('Wrong.');
  },
};
/** A number of tasks larger than a thread's number of slots. */
const MANY = 300;
const many = {
  start: (_args: unknown, _begin: number, _end: number, task: TaskContext) =>
    Promise.all(Array.from({ length: MANY }, () => task.run('each'))).then(() => {}),
  each: () => {},
};
const modules = {
  'test:thread': {
    default: {
      init: () => {},
      async run(_: unknown, thread: RunnableContext) {
        while (!thread.isStopRequested) await new Promise((resolve) => setImmediate(resolve));
      },
      exit: () => {},
    },
  },
  'test:refuses': { default: { init: () => false, run: () => {} } },
  'test:deaf': { default: { run: () => new Promise(() => {}) } },
  'test:many': { default: many },
  'test:tasks': { default: tasks },
  'https://a.example/deep/waves.v2.js?x=1': { default: tasks },
};

it.each([
  ['shared memory', 1, true],
  ['copied memory', 1, false],
  ['no worker', 0, false],
] as const)('F10: rings record which task ran, also if it failed: %s', async (_, workers, isShared) => {
  const rings = new TaskRings(new EventRing());
  const { system, module } = await createTestSystem(modules, workers, isShared, { rings });
  const waves = await system.load('https://a.example/deep/waves.v2.js?x=1');
  await module.run('fill');
  await waves.run('fail').catch(() => {});
  await waves.run('fill');
  const { buffer } = workers > 0 ? (rings.workers['task worker 1'] as EventRing) : rings.own;
  const { events } = readEvents(buffer, null);
  const named: (string | null)[] = [];
  for (let at = 0; at < events.length; at += EVENT_NUMBERS)
    if (events[at] === TimelineEvent.task) named.push(rings.nameOf(events[at + 1] as number));
  expect(named).toEqual(['tasks.fill', 'waves.v2.fail', 'waves.v2.fill']);
  expect(rings.nameOf(0)).toBeNull();
});

it('F10: the ring of a named thread has events of its tasks, also of a failed task', async () => {
  const rings = new TaskRings(new EventRing());
  const { system, module } = await createTestSystem(modules, 1, false, { rings });
  const events = new EventRing();
  system.attachThread(
    'render',
    new FakeWorker(modules, { name: 'render', queues: new ThreadQueues(), events }),
  );
  await module.run('fill', null, { thread: 'render' });
  await module.run('fail', null, { thread: 'rhi' }).catch(() => {});
  const { events: read } = readEvents(events.buffer, null);
  const named: (string | null)[] = [];
  for (let at = 0; at < read.length; at += EVENT_NUMBERS) named.push(rings.nameOf(read[at + 1] as number));
  expect(named).toEqual(['tasks.fill', 'tasks.fail']);
});

describe.each([
  ['a worker', 1],
  ['the page', 0],
] as const)('F10: rings of runnables on %s', (_, workers) => {
  const stagesOf = ({ buffer }: EventRing): string[] => {
    const { events } = readEvents(buffer, null);
    const stages: string[] = [];
    for (let at = 0; at < events.length; at += EVENT_NUMBERS) {
      expect(events[at]).toBe(TimelineEvent.runnable);
      expect(events[at + 3]).toBeGreaterThanOrEqual(events[at + 2] as number);
      stages.push(RUNNABLE_STAGES[(events[at + 1] as number) - 1] as string);
    }
    return stages;
  };
  const underWay = ({ buffer }: EventRing): unknown => lastEvent(new Float64Array(buffer))?.name ?? null;

  it('have the times of init, run and exit, and the running stage', async () => {
    const rings = new TaskRings(new EventRing());
    const { system } = await createTestSystem(modules, workers, true, { rings });
    const thread = await system.createThread('test:thread', { name: 'physics' });
    const ring = rings.runnables['runnable physics'] as EventRing;
    expect([stagesOf(ring), underWay(ring)]).toEqual([['init'], 'runnable']);
    await thread.stop();
    expect([stagesOf(ring), underWay(ring)]).toEqual([['init', 'run', 'exit'], null]);
  });

  it('have the stage in which the thread was killed, and an init that failed', async () => {
    const rings = new TaskRings(new EventRing());
    const { system } = await createTestSystem(modules, workers, true, { rings });
    await system.createThread('test:refuses', { name: 'no' }).catch(() => {});
    const thread = await system.createThread('test:deaf', { name: 'deaf' });
    thread.kill();
    expect(Object.keys(rings.runnables)).toEqual(['runnable no', 'runnable deaf']);
    // The runnable `deaf` has no `init`.
    expect(Object.values(rings.runnables).map(stagesOf)).toEqual([['init'], ['run']]);
    expect(Object.values(rings.runnables).map(underWay)).toEqual([null, null]);
  });

  it('are separate for threads that run at the same time, and re-used by later threads of the same name', async () => {
    const rings = new TaskRings(new EventRing());
    const { system } = await createTestSystem(modules, workers, true, { rings });
    const start = () => system.createThread('test:deaf', { name: 'twin' });
    const [first] = [await start(), await start()];
    expect(Object.keys(rings.runnables)).toEqual(['runnable twin', 'runnable twin 2']);
    first?.kill();
    await start();
    expect(Object.keys(rings.runnables)).toEqual(['runnable twin', 'runnable twin 2']);
    for (let count = 0; count < 300; count++)
      (await system.createThread('test:deaf', { name: `thread ${count}` })).kill();
    // The rings of all running runnables are kept, and the rings of the latest ended runnables.
    const lanes = Object.keys(rings.runnables);
    expect([lanes.length, lanes[0], lanes[1], lanes.at(-1)]).toEqual([
      256,
      'runnable twin',
      'runnable twin 2',
      'runnable thread 299',
    ]);
  });
});

it('F10: rings also have events of tasks for which no slot was free', async () => {
  const rings = new TaskRings(new EventRing());
  const { system } = await createTestSystem(modules, 1, true, { rings });
  await (await system.load('test:many')).run('start');
  const { events } = readEvents((rings.workers['task worker 1'] as EventRing).buffer, null);
  let count = 0;
  for (let at = 0; at < events.length; at += EVENT_NUMBERS)
    if (events[at] === TimelineEvent.task)
      count += rings.nameOf(events[at + 1] as number) === 'many.each' ? 1 : 0;
  expect(count).toBe(MANY);
});
