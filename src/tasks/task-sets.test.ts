import { expect, it } from 'vitest';
import { QUEUE_ORDERS, queueOf, setOf, targetOf, WORKER_SETS } from './task-sets.js';

it('T2: normal workers run the tasks of a missing set, and tasks of the high set before other tasks', () => {
  const only = { high: 0, normal: 2, background: 0 };
  expect(WORKER_SETS.map((set) => targetOf(set, 'normal', only))).toEqual([
    { set: 'normal', priority: 'high' },
    { set: 'normal', priority: 'normal' },
    { set: 'normal', priority: 'normal' },
  ]);
  expect(targetOf('background', 'high', only)).toEqual({ set: 'normal', priority: 'high' });
  const all = { high: 1, normal: 1, background: 1 };
  for (const set of WORKER_SETS) {
    for (const priority of ['high', 'normal'] as const) {
      const target = targetOf(set, priority, all);
      expect(target).toEqual({ set, priority });
      expect(setOf(queueOf(target))).toBe(set);
    }
  }
});

it('T2: workers take urgent tasks first; only normal workers also serve another set, the high set, before their own', () => {
  const orderOf = (set: keyof typeof QUEUE_ORDERS) =>
    QUEUE_ORDERS[set].map((queue) => `${setOf(queue)} ${queue % 2}`);
  expect(orderOf('high')).toEqual(['high 0', 'high 1']);
  expect(orderOf('normal')).toEqual(['high 0', 'high 1', 'normal 0', 'normal 1']);
  expect(orderOf('background')).toEqual(['background 0', 'background 1']);
});
