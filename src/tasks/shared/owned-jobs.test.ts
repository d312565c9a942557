import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type JobEnd, OwnedJobs } from './owned-jobs.js';
import { SharedMemories } from './shared-memories.js';
import { Phase, SharedQueues } from './shared-queues.js';
import { TaskMemory } from './task-memory.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const shape = { threads: 2, slots: 32, ring: 64, slotWords: 32, queues: 1, counters: 1, tickets: 2 };

function open() {
  const memory = new TaskMemory(shape);
  const page = new SharedQueues(memory, 0);
  const worker = new SharedQueues(memory, 1);
  const owned = new OwnedJobs(page, new SharedMemories(0, () => {}));
  const ends: JobEnd['kind'][] = [];
  const publish = (args: unknown = null): number =>
    owned.publish({ module: 0, task: 0, begin: 0, end: 1, batch: 0, counter: 0, queue: 0, args }, (end) =>
      ends.push(end.kind),
    );
  /** A job that its worker dies of. */
  const lose = (): void => {
    publish();
    worker.claim([0]);
    page.reap(1);
    owned.collect();
  };
  return { page, worker, owned, ends, publish, lose };
}

it('T7: workers that die one soon after the other take no job of a later one along', () => {
  const { page, worker, owned, ends, publish, lose } = open();
  for (let death = 0; death < 5; death++) {
    lose();
    vi.advanceTimersByTime(300);
  }
  expect(ends).toEqual(Array(5).fill('lost'));
  const running = publish();
  expect(worker.claim([0])).toBe(running);
  vi.advanceTimersByTime(5000); // the slots of the lost ones are free again, each once
  expect(page.state(running) & 7).toBe(Phase.running);
  const slots = Array.from({ length: shape.slots - 1 }, () => publish());
  expect(new Set([running, ...slots]).size).toBe(shape.slots);
  expect(publish()).toBeLessThan(0);
  worker.complete(running, Phase.done);
  owned.collect();
  expect(ends.at(-1)).toBe('done');
});

it('arguments that throw while they are read take no slot, and are for a message', () => {
  const { publish } = open();
  const hostile = {
    get value() {
      throw new Error('Not to be read.');
    },
  };
  for (let call = 0; call < 2 * shape.slots; call++) expect(publish(hostile)).toBeLessThan(-1);
  expect(publish()).toBeGreaterThanOrEqual(0);
});
