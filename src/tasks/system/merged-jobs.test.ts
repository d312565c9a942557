import { expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { sharedArray } from '../arguments/shared-array.js';
import type { TaskContext } from '../execution/task-context.js';
import { mostMerged } from '../shared-memory/merged-jobs.js';
import { OwnedJobs } from '../shared-memory/owned-jobs.js';
import { createTestSystem } from '../testing/worker-bench.js';

/** More tasks than the page has slots. */
const MANY = 600;

/** Returns the code of an error, or its name. */
const nameOf = (thrown: unknown): string => {
  const { code, name } = thrown as { code?: unknown; name: string };
  return typeof code === 'string' ? code : name;
};

/** Counts the slots that the page publishes. */
function countSlots() {
  const { publish } = OwnedJobs.prototype;
  const counted = {
    slots: 0,
    restore(): void {
      OwnedJobs.prototype.publish = publish;
    },
  };
  OwnedJobs.prototype.publish = function (...call) {
    const slot = publish.apply(this, call);
    if (slot >= 0) counted.slots++;
    return slot;
  };
  return counted;
}

const tasks = {
  small: ({ at }: { at: number }) => at * 2,
  write({ into, at }: { into: Int32Array; at: number }) {
    if (at === 400) throw new RangeError('Not this one.');
    if (at === 401) return () => {};
    Atomics.add(into, at, 1);
    return undefined;
  },
  aware: (_args: unknown, _begin: number, _end: number, _task: TaskContext) => 1,
};

async function create() {
  const test = await createTestSystem({ 'test:tasks': { default: tasks } }, 1);
  // The first calls measure the tasks.
  for (let time = 0; time < 4; time++) {
    await test.module.run('small', { at: 1 });
    await test.module.run('aware');
    await test.module.run('write', { into: sharedArray(Int32Array, 1), at: 0 });
  }
  return test;
}

it('T12: small tasks that wait behind each other share slots, and have their own results', async () => {
  const { module, system } = await create();
  const counted = countSlots();
  const futures = Array.from({ length: MANY }, (_, at) => module.run('small', { at }));
  expect(await Promise.all(futures)).toEqual(Array.from({ length: MANY }, (_, at) => at * 2));
  counted.restore();
  expect(counted.slots).toBeLessThan(MANY - 100);
  expect(system.stats()).toMatchObject({ pending: 0, done: MANY + 12, failed: 0 });
  expect(system.stats().merged).toBeGreaterThan(100);
});

it('T12: tasks that use their context have slots of their own', async () => {
  const { module } = await create();
  const counted = countSlots();
  await Promise.all(Array.from({ length: MANY }, () => module.run('aware')));
  counted.restore();
  expect(counted.slots).toBeGreaterThan(MANY - 100);
});

it('T12 T8: a merged task that fails or is taken back does not affect the tasks that share its slot', async () => {
  const { module } = await create();
  const into = sharedArray(Int32Array, MANY);
  const futures = Array.from({ length: MANY }, (_, at) => module.run('write', { into, at }));
  const gone = futures[599]!;
  gone.cancel();
  const codes: string[] = await Promise.all(futures.map((future) => future.then(() => 'done', nameOf)));
  expect([codes[400], codes[401], codes[599]]).toEqual(['RangeError', 'task-result-refused', 'AbortError']);
  expect(codes.filter((code) => code === 'done')).toHaveLength(MANY - 3);
  await waitFor(() => expect([...into.subarray(598)]).toEqual([1, 0]));
  expect(into.reduce((sum, each) => sum + each, 0)).toBe(MANY - 3);
});

it('T12 T8: a piece of a running slot is taken back until it begins, and runs again if the worker dies before', async () => {
  let onPiece = (_at: number): void => {};
  const steps = { step: ({ at }: { at: number }) => onPiece(at) };
  const { system, started } = await createTestSystem(
    { 'test:tasks': steps, 'test:steps': { default: steps } },
    1,
  );
  const module = await system.load('test:steps');
  for (let time = 0; time < 4; time++) await module.run('step', { at: 0 });
  const ran: number[] = [];
  let answer: Promise<boolean> | undefined;
  let back = -1;
  let died = -1;
  onPiece = (at) => {
    ran.push(at);
    // The last tasks are merged, because they have waited for slots.
    if (at === 400) {
      const next = futures.slice(401).find(({ state }) => state === 'queued');
      back = next ? futures.indexOf(next) : -1;
      answer = next?.retract();
    }
    if (at === 500 && died < 0) {
      died = at;
      started.at(-1)?.die();
    }
  };
  const futures = Array.from({ length: MANY }, (_, at) => module.run('step', { at }));
  const ends = await Promise.all(futures.map((future) => future.then(() => 'done', nameOf)));
  expect([await answer, ends[back], ran.includes(back)]).toEqual([true, 'AbortError', false]);
  expect(new Set(ran).size).toBe(MANY - 1);
  expect(ends.filter((end) => end === 'done').length).toBeGreaterThan(MANY - 40);
});

it('T12: tasks are merged only up to the amount of work that justifies another worker', () => {
  const most = (cost: number | undefined) => mostMerged({ cost, ranges: null, ports: [] } as never);
  expect([undefined, 1, 0.06, 0.05, 0.01, 0.001].map(most)).toEqual([1, 0, 1, 2, 10, 31]);
});
