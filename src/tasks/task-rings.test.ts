import { expect, it } from 'vitest';
import { readEvents } from '../core/event-reader.js';
import { EVENT_NUMBERS, EventRing, TimelineEvent } from '../core/event-ring.js';
import { TaskRings } from './task-rings.js';
import { createTestSystem } from './testing/worker-bench.js';

const tasks = {
  fill: () => {},
  fail: () => {
    throw new RangeError('Wrong.');
  },
};
const modules = {
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
