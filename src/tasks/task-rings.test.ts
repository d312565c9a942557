import { expect, it } from 'vitest';
import { readEvents } from '../core/event-reader.js';
import { EVENT_NUMBERS, EventRing, TimelineEvent } from '../core/event-ring.js';
import type { TaskContext } from './task-context.js';
import { TaskRings } from './task-rings.js';
import { createTestSystem } from './testing/worker-bench.js';

const tasks = {
  fill: () => {},
  fail: () => {
    throw new RangeError('Wrong.');
  },
};
/** More than a thread has slots. */
const MANY = 300;
const many = {
  start: (_args: unknown, _begin: number, _end: number, task: TaskContext) =>
    Promise.all(Array.from({ length: MANY }, () => task.run('each'))).then(() => {}),
  each: () => {},
};
const modules = {
  'test:many': { default: many },
  'test:tasks': { default: tasks },
  'https://a.example/deep/waves.v2.js?x=1': { default: tasks },
};

it.each([
  ['shared memory', 1, true],
  ['copied memory', 1, false],
  ['no worker', 0, false],
] as const)('F10: rings tell which task ran, also of one that failed: %s', async (_, workers, isShared) => {
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

it('F10: rings tell of tasks that found no slot, too', async () => {
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
