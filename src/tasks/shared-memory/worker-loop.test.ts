import { expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { type TaskContext, ThreadLocals } from '../execution/task-context.js';
import type { JobEnd } from '../task-messages.js';
import { WorkerModules } from '../task-module.js';
import { QUEUE_ORDERS } from '../task-sets.js';
import { SharedMemories } from './argument-codec.js';
import { OwnedJobs } from './owned-jobs.js';
import { SharedQueues } from './shared-queues.js';
import { helpUntil } from './shared-starter.js';
import { SpareJobs } from './spare-jobs.js';
import { TaskMemory, Thread } from './task-memory.js';
import { WorkerLoop } from './worker-loop.js';

const module = { number: 0, url: 'test:tasks', tasks: {}, names: [] };
type Call = [args: unknown, begin: number, end: number, task: TaskContext];
const ORDER = QUEUE_ORDERS.normal;

/**
 * Creates a page and workers on this thread. The workers sleep in their event loops.
 * @param tasks tasks that the workers can load
 */
function open(tasks: Record<string, (...call: Call) => unknown> = {}, threads = [1, 2]) {
  const memory = new TaskMemory({
    threads: threads.length + 1,
    slots: 32,
    ring: 64,
    slotWords: 32,
    queues: 6,
    counters: 1,
    tickets: 2,
  });
  const page = new SharedQueues(memory, 0);
  const owned = new OwnedJobs(page, new SharedMemories(0, () => {}));
  const ends: string[] = [];
  const onEnd = ({ kind }: JobEnd): unknown => ends.push(kind);
  const workers = threads.map((thread) => {
    const queues = new SharedQueues(memory, thread);
    const memories = new SharedMemories(thread, () => {});
    const modules = new WorkerModules(async () => ({ default: tasks }));
    modules.add({ number: 0, url: 'test:tasks', names: Object.keys(tasks) });
    const loop = new WorkerLoop({
      ...{ queues, memories, owned: new OwnedJobs(queues, memories), spare: new SpareJobs(() => {}) },
      ...{ order: ORDER, sizes: { high: 0, normal: 2, background: 0 }, mayBlock: false, events: null },
      modules,
      locals: new ThreadLocals(() => {}),
      post: () => {},
      startByMessage: () => {},
      isBusyElsewhere: () => false,
    });
    void loop.serve();
    return { queues, loop };
  });
  const isAsleep = (thread: number): boolean => memory.words[memory.threadAt(thread) + Thread.asleep] !== 0;
  const bellOf = (thread: number): number => memory.words[memory.threadAt(thread) + Thread.bell] as number;
  const publish = (): void => {
    owned.publish(
      { module: 0, task: 0, begin: 0, end: 1, batch: 0, counter: 0, queue: 0, args: null },
      onEnd,
    );
    page.wakeOne(0);
  };
  const end = (): void => {
    for (const { loop } of workers) loop.end();
    page.shutDown();
  };
  return { memory, page, owned, ends, workers, isAsleep, bellOf, publish, end };
}

it('T3: a worker that a message keeps busy wakes another worker for pending jobs', () => {
  const { workers, isAsleep, publish, end } = open();
  expect([isAsleep(1), isAsleep(2)]).toEqual([true, true]);
  publish();
  expect([isAsleep(1), isAsleep(2)]).toEqual([false, true]);
  workers[0]?.loop.makeWayFor(module, 'normal', () => {});
  expect(isAsleep(2)).toBe(false);
  end();
});

it('T3: a worker that a message keeps busy is not woken for jobs that another worker can begin', () => {
  const { workers, isAsleep, publish, end } = open();
  workers[0]?.loop.makeWayFor(module, 'normal', () => {});
  expect([isAsleep(1), isAsleep(2)]).toEqual([false, true]);
  publish();
  expect(isAsleep(2)).toBe(false);
  end();
});

it('T5: after a task that has waited, a loop that slept meanwhile checks the queues again', () => {
  const { workers, bellOf, end } = open();
  const before = bellOf(1);
  const queues = workers[0]?.queues as SharedQueues;
  helpUntil(queues, { isOver: () => true, run: () => {}, order: ORDER });
  expect(bellOf(1)).toBe(before + 1);
  end();
});

it('T3: a task whose awaited job has ended continues while its thread counts as awake', async () => {
  const seen: boolean[] = [];
  const tasks = {
    async first(...[, , , task]: Call) {
      await task.run('second');
      seen.push(isAsleep(1));
    },
    second: () => {},
  };
  const { isAsleep, publish, owned, ends, end } = open(tasks, [1]);
  publish();
  await waitFor(() => {
    owned.collect();
    expect(ends).toEqual(['done']);
  });
  expect(seen).toEqual([false]);
  end();
});

it('T3: an idle sleeping worker is woken before a worker with awaiting tasks', () => {
  const { memory, page, isAsleep, end } = open();
  const [first, second] = [1, 2].map((thread) => new SharedQueues(memory, thread)) as [
    SharedQueues,
    SharedQueues,
  ];
  first.prepareSleep(ORDER, true);
  second.prepareSleep(ORDER);
  expect(page.wakeOne(0)).toBe(true);
  expect([isAsleep(1), isAsleep(2)]).toEqual([true, false]);
  expect(page.wakeOne(0)).toBe(true);
  expect(isAsleep(1)).toBe(false);
  end();
});
