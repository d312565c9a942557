import { describe, expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { sharedArray } from '../arguments/shared-array.js';
import { createTestSystem } from '../testing/worker-bench.js';

/** Creates a task system whose tasks `hold` end when `open` is called. */
async function create(workers: number, isShared: boolean) {
  const begun: string[] = [];
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tasks = {
    async hold(label: string) {
      begun.push(label);
      await opened;
      return label;
    },
    fill({ values }: { values: Int32Array }, begin: number, end: number) {
      for (let index = begin; index < end; index++) values[index] = index + 1;
    },
  };
  return { ...(await createTestSystem({ 'test:tasks': tasks }, workers, isShared)), begun, open };
}

const outcome = (task: PromiseLike<unknown>) =>
  Promise.resolve(task).then(
    (value) => value,
    (error) => (error as Error).name,
  );

describe.each([
  ['shared memory', true, 1],
  ['copied memory', false, 1],
  ['no worker', true, 0],
] as const)('T8: retract: %s', (_, isShared, workers) => {
  it('takes back a waiting task, and lets a running task continue', async () => {
    const { module, begun, open } = await create(workers, isShared);
    const first = module.run('hold', 'first');
    const later = module.run('hold', 'later', { prerequisites: [first] });
    const gone = outcome(later);
    await waitFor(() => expect([begun, first.state]).toEqual([['first'], 'running']));
    expect([await later.retract(), await first.retract()]).toEqual([true, false]);
    open();
    expect([await first, await gone]).toEqual(['first', 'AbortError']);
    expect([await first.retract(), first.state, later.state]).toEqual([false, 'done', 'cancelled']);
    expect(begun).toEqual(['first']);
  });

  it('takes back a queued task in the turn that started it, with the reason of the caller', async () => {
    const { module, begun } = await create(workers, isShared);
    const task = module.run('hold', 'never');
    const gone = outcome(task);
    if (task.state === 'running') return; // A task counts as running once its order has been sent by message.
    expect(await task.retract(new RangeError('enough'))).toBe(true);
    expect([await gone, begun]).toEqual(['RangeError', []]);
  });

  it('resolves with false once the system has ended', async () => {
    const { system, module } = await create(workers, isShared);
    const task = module.run('hold', 'never');
    const gone = outcome(task);
    await system.dispose();
    expect([await task.retract(), await gone]).toEqual([false, 'StateError']);
  });
});

it('T8: a loop that a worker has begun is not taken back, and completes with the jobs that are left', async () => {
  const { module } = await create(3, true);
  const values = sharedArray(Int32Array, 64);
  const loop = module.parallelFor('fill', 64, { values }, { batch: 1 });
  await waitFor(() => expect(values[0]).toBe(1));
  const isTakenBack = await loop.retract();
  if (isTakenBack) return; // Every worker that had begun the loop had run out of ranges.
  await loop;
  expect([...values]).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
});
