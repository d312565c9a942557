import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JobEnd } from '../task-messages.js';
import { SharedMemories } from './argument-codec.js';
import { ClaimRing } from './claim-ring.js';
import { OwnedJobs } from './owned-jobs.js';
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
  /** Publishes a job, and lets the worker that has claimed it die. */
  const lose = (): void => {
    publish();
    worker.claim([0]);
    page.reap(1);
    owned.collect();
  };
  return { page, worker, owned, ends, publish, lose };
}

it('T7: workers that die shortly after one another lose no job of a later worker', () => {
  const { page, worker, owned, ends, publish, lose } = open();
  for (let death = 0; death < 5; death++) {
    lose();
    vi.advanceTimersByTime(300);
  }
  expect(ends).toEqual(Array(5).fill('lost'));
  const running = publish();
  expect(worker.claim([0])).toBe(running);
  vi.advanceTimersByTime(5000); // frees the slot of each lost job, once
  expect(page.state(running) & 7).toBe(Phase.running);
  const slots = Array.from({ length: shape.slots - 1 }, () => publish());
  expect(new Set([running, ...slots]).size).toBe(shape.slots);
  expect(publish()).toBeLessThan(0);
  worker.complete(running, Phase.done);
  owned.collect();
  expect(ends.at(-1)).toBe('done');
});

it('arguments whose getters throw take no slot, and are sent by message', () => {
  const { publish } = open();
  const hostile = {
    get value() {
      throw new Error('Not to be read.');
    },
  };
  for (let call = 0; call < 2 * shape.slots; call++) expect(publish(hostile)).toBeLessThan(-1);
  expect(publish()).toBeGreaterThanOrEqual(0);
});

it('T3: after a death no job is lost, even if more are queued than the page’s queue can hold', () => {
  const memory = new TaskMemory({ ...shape, threads: 4 });
  const threads = [0, 1, 2, 3].map((thread) => new SharedQueues(memory, thread));
  const [page, , claims] = threads as [SharedQueues, SharedQueues, SharedQueues];
  for (const owner of threads) {
    for (let job = 0; job < shape.slots; job++) owner.publish(owner.allocate(), 0);
  }
  // Worker 1 takes an entry, and dies before it begins the job.
  new ClaimRing(memory.words, memory.ringAt(3, 0), shape.ring, Atomics).take();
  page.reap(1);
  const claimed = new Set<number>();
  for (let look = 0; look < 10; look++) {
    for (let slot = claims.claim([0]); slot >= 0; slot = claims.claim([0])) claimed.add(slot);
    page.enterAgain();
  }
  expect(claimed.size).toBe(4 * shape.slots);
});
