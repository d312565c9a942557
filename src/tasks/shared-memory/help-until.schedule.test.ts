import { expect, it } from 'vitest';
import { type ExploreOptions, explore } from '../../sync/testing/schedule-explorer.js';
import { type QueueProgramOptions, queueProgram, type WorkerSnapshot } from '../testing/queue-program.js';
import { Phase, type SharedQueues } from './shared-queues.js';
import { type HelpedQueues, helpUntil } from './shared-starter.js';

type FindWork = (queues: SharedQueues, order: readonly number[]) => number;

const own: FindWork = (queues, order) => queues.claimOwn(order);
const none: FindWork = () => -1;
const any: FindWork = (queues) => queues.claim([0, 1]);

/** Returns the function of a page's job, which starts two empty tasks and waits for them. */
const startsTwo =
  (findWork: FindWork, awaitedFirst = false) =>
  ({ queues, post, runNested }: WorkerSnapshot, slot: number): void => {
    if (queues.memory.ownerOf(slot) !== 0) return;
    const mine = new Set<number>();
    for (let child = 0; child < 2; child++) {
      const started = queues.allocate();
      queues.publish(started, 1);
      mine.add(started);
      queues.wakeOne(1);
    }
    const helping: HelpedQueues = {
      thread: queues.thread,
      wake: (thread) => queues.wake(thread),
      get isShutDown() {
        return queues.isShutDown;
      },
      claimOwn: (order) => findWork(queues, order),
      prepareNap: () => queues.prepareNap(),
      wait: (bell, milliseconds) => queues.wait(bell, milliseconds),
      wakeUp: () => queues.wakeUp(),
    };
    const isOver = (): boolean => {
      queues.collect((ended) => {
        mine.delete(ended);
        queues.free(ended);
      });
      return mine.size === 0;
    };
    const run = (each: number): void => {
      runNested(each);
      if (queues.complete(each, Phase.done) === 'tell page') post();
    };
    const runAwaited = (): boolean => {
      const each = awaitedFirst ? [...mine].find((slot) => queues.claimExactly(slot)) : undefined;
      if (each !== undefined) run(each);
      return each !== undefined;
    };
    helpUntil(helping, { order: [1], isOver, run, runAwaited });
  };

it('T5: the waiting worker and other workers run awaited tasks, in every explored order', () => {
  const shape = { jobs: 1, queues: 2 } as const;
  const tryAll = (name: string, options: Omit<QueueProgramOptions, 'jobs'>, bound: ExploreOptions) => {
    const { schedules } = explore(queueProgram({ ...shape, ...options }), bound);
    console.log(`T5 a task that waits for two, ${name}: ${schedules} schedules of ${JSON.stringify(bound)}.`);
    return { schedules };
  };
  const one = tryAll('one worker', { workers: 1, run: startsTwo(own) }, { maxPreemptions: 1 });
  const two = tryAll('two workers', { workers: 2, run: startsTwo(own) }, { maxDelays: 1 });
  const first = tryAll(
    'two workers, awaited tasks first',
    { workers: 2, run: startsTwo(own, true) },
    { maxDelays: 1 },
  );
  const ended = tryAll(
    'a shutdown meanwhile',
    { workers: 1, run: startsTwo(own), abandons: true },
    { maxPreemptions: 1 },
  );
  expect(ended.schedules).toBeGreaterThan(20);
  expect(one.schedules).toBeGreaterThan(20);
  expect(two.schedules).toBeGreaterThan(50);
  expect(first.schedules).toBeGreaterThan(50);
});

it('T5: the explorer catches a deadlock: a waiting task that only sleeps', () => {
  const program = queueProgram({ jobs: 1, workers: 1, queues: 2, run: startsTwo(none) });
  expect(() => explore(program, { maxPreemptions: 1 })).toThrow('Deadlock');
});

it('T5: the explorer catches a deadlock: a waiting task that runs a job which needs the lock that the task holds', () => {
  const locking = (findWork: FindWork) => () => {
    let isLocked = false;
    const waits = startsTwo(findWork);
    return queueProgram({
      jobs: 2,
      workers: 1,
      queues: 2,
      run: (worker, slot) => {
        if (worker.queues.memory.ownerOf(slot) !== 0) return;
        worker.stepper.wait('the lock', () => !isLocked);
        worker.stepper.act('locks', () => {
          isLocked = true;
        });
        waits(worker, slot);
        worker.stepper.act('unlocks', () => {
          isLocked = false;
        });
      },
    })();
  };
  expect(explore(locking(own), { maxPreemptions: 0 }).schedules).toBeGreaterThan(0);
  // The waiting task runs the page's second job, which waits for the lock that the task holds.
  expect(() => explore(locking(any), { maxPreemptions: 0 })).toThrow('waits for the lock');
});
