import { expect, it } from 'vitest';
import { ThreadLocals } from '../thread-locals.js';
import { WorkerModules } from '../worker-modules.js';
import { helpUntil } from './help-until.js';
import { OwnedJobs } from './owned-jobs.js';
import { SharedMemories } from './shared-memories.js';
import { SharedQueues } from './shared-queues.js';
import { SpareJobs } from './spare-jobs.js';
import { TaskMemory, Thread } from './task-memory.js';
import { WorkerLoop } from './worker-loop.js';

const module = { number: 0, url: 'test:tasks', tasks: {}, names: [] };
const ORDER = [0];

/** A page and two workers on this thread, both asleep in their event loops. */
function open() {
  const memory = new TaskMemory({
    threads: 3,
    slots: 32,
    ring: 64,
    slotWords: 32,
    queues: 1,
    counters: 1,
    tickets: 2,
  });
  const page = new SharedQueues(memory, 0);
  const workers = [1, 2].map((thread) => {
    const queues = new SharedQueues(memory, thread);
    const memories = new SharedMemories(thread, () => {});
    const loop = new WorkerLoop({
      ...{ queues, memories, owned: new OwnedJobs(queues, memories), spare: new SpareJobs(() => {}) },
      ...{ order: ORDER, sizes: { high: 0, normal: 2, background: 0 }, mayBlock: false, events: null },
      modules: new WorkerModules(() => Promise.reject(new Error('No module is needed.'))),
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
    page.publish(page.allocate(), 0);
    page.wakeOne(0);
  };
  const end = (): void => {
    for (const { loop } of workers) loop.end();
    page.shutDown();
  };
  return { workers, isAsleep, bellOf, publish, end };
}

it('T3: a worker that a message keeps busy passes on the job that it was rung for', () => {
  const { workers, isAsleep, publish, end } = open();
  expect([isAsleep(1), isAsleep(2)]).toEqual([true, true]);
  publish();
  expect([isAsleep(1), isAsleep(2)]).toEqual([false, true]);
  workers[0]?.loop.makeWayFor(module, 'normal', () => {});
  expect(isAsleep(2)).toBe(false);
  end();
});

it('T3: a worker that a message keeps busy is not rung for jobs that another one could begin', () => {
  const { workers, isAsleep, publish, end } = open();
  workers[0]?.loop.makeWayFor(module, 'normal', () => {});
  expect([isAsleep(1), isAsleep(2)]).toEqual([false, true]);
  publish();
  expect(isAsleep(2)).toBe(false);
  end();
});

it('T5: behind a task that has waited, a loop which slept meanwhile looks again', () => {
  const { workers, bellOf, end } = open();
  const before = bellOf(1);
  const queues = workers[0]?.queues as SharedQueues;
  helpUntil(queues, { isOver: () => true, run: () => {}, order: ORDER });
  expect(bellOf(1)).toBe(before + 1);
  end();
});
