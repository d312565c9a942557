/**
 * The loops of the render thread and the real sleep code of a pool's workers, interrupted before every atomic
 * operation. A sleeping worker wakes only when its bell changes, without a timeout. So after a lost wake-up, it never
 * sees the loop.
 *
 *   render   epoch ─ wakeAll ─ … ─ waits until every worker has seen the loop ─ shut down
 *   worker   hasNewLoop? ─ help        or: asleep ─ hasNewLoop? ─ bell
 */
import { expect, it } from 'vitest';
import { replayThread, steppedAtomics } from '../../sync/testing/replay-thread.js';
import { explore, type Program } from '../../sync/testing/schedule-explorer.js';
import { SharedQueues } from '../../tasks/shared-memory/shared-queues.js';
import { wakeAll } from '../../tasks/shared-memory/sleeping-threads.js';
import { type TaskAtomics, TaskMemory } from '../../tasks/shared-memory/task-memory.js';
import { RangeHelper } from './range-helper.js';
import { RangeLoop } from './range-loop.js';
import { RANGE_MEMORY_BYTES, type RangeAtomics } from './range-memory.js';

const LOOPS = 2;
const ORDER = [0];

interface Options {
  readonly workers: number;
  /** Whether a worker looks at the loop again after it has marked itself asleep. */
  readonly looksTwice?: boolean;
  /** Whether the render thread wakes sleeping workers before the loop writes its epoch. */
  readonly wakesFirst?: boolean;
}

function program({ workers, looksTwice = true, wakesFirst = false }: Options): () => Program {
  return () => {
    const words = new Int32Array(new SharedArrayBuffer(RANGE_MEMORY_BYTES));
    const shape = { slots: 1, ring: 1, slotWords: 9, queues: 1, counters: 0, tickets: 0 };
    const memory = new TaskMemory({ ...shape, threads: workers + 1 });
    const seen = Array.from({ length: workers + 1 }, () => 0);
    const threads: Record<string, Program['threads'][string]> = {
      render: replayThread((stepper) => {
        const atomics = steppedAtomics(stepper);
        const wake = (): void => wakeAll(memory, 0, atomics as TaskAtomics);
        const loop = new RangeLoop(words, wakesFirst ? () => {} : wake, atomics as RangeAtomics, 1);
        for (let each = 1; each <= LOOPS; each++) {
          if (wakesFirst) wake();
          loop.run(1, { run: () => {}, collect: () => {} });
          stepper.wait('all workers', () => seen.every((loops, worker) => worker === 0 || loops >= each));
        }
        new SharedQueues(memory, 0, atomics as TaskAtomics).shutDown();
      }),
    };
    for (let worker = 1; worker <= workers; worker++) {
      threads[`worker ${worker}`] = replayThread((stepper) => {
        const atomics = steppedAtomics(stepper);
        const queues = new SharedQueues(memory, worker, atomics as TaskAtomics);
        const helper = new RangeHelper(words, worker, atomics as RangeAtomics);
        while (!queues.isShutDown) {
          if (helper.hasNewLoop) {
            helper.help(() => () => {});
            stepper.act('saw it', () => {
              seen[worker] = (seen[worker] as number) + 1;
            });
            continue;
          }
          const bell = queues.prepareSleep(ORDER);
          if (bell === null) continue;
          if (looksTwice && helper.hasNewLoop) {
            queues.wakeUp();
            continue;
          }
          queues.wait(bell, 1000);
          queues.wakeUp();
        }
      });
    }
    return { threads };
  };
}

it('T14: every worker of the pool sees every loop, whenever it falls asleep', () => {
  const one = explore(program({ workers: 1 }), { maxDelays: 3 });
  const two = explore(program({ workers: 2 }), { maxDelays: 2 });
  console.log(
    `T14 two resident loops: ${one.schedules} schedules with one worker and at most 3 delays, ${two.schedules} with two workers and at most 2 delays.`,
  );
  expect(one.schedules).toBeGreaterThan(500);
});

it.each<[string, Partial<Options>]>([
  ['a worker that does not look at the loop after it has marked itself asleep', { looksTwice: false }],
  ['a loop that wakes sleepers before it writes its epoch', { wakesFirst: true }],
])('T14: %s is caught', (_, fault) => {
  expect(() => explore(program({ workers: 1, ...fault }), { maxDelays: 3 })).toThrow(/all workers/);
});
