/**
 * A program for the schedule explorer with the real queues of a task system, interrupted before every atomic
 * operation. As in real threads, a worker waits only for its bell (a word of shared memory), and the page only for
 * messages. So a lost wake-up is a deadlock.
 *
 *   page     publish ─ wake ─ … ─ message ─ collect ─ … all ended ─ shut down
 *   worker   claim ─ run ─ complete ─ message        or: asleep ─ check ─ bell
 *
 * Test-only.
 */
import { replayThread, type Stepper, steppedAtomics } from '../../sync/testing/replay-thread.js';
import type { Program } from '../../sync/testing/schedule-explorer.js';
import { Phase, SharedQueues } from '../shared-memory/shared-queues.js';
import { Slot, type TaskAtomics, TaskMemory } from '../shared-memory/task-memory.js';

export type QueuesClass = new (memory: TaskMemory, thread: number, atomics: TaskAtomics) => SharedQueues;

export interface QueueProgramOptions {
  readonly jobs: number;
  readonly workers: number;
  /** Entries per queue. Default 4. */
  readonly ring?: number;
  /** Slots per thread. Default 2. */
  readonly slots?: number;
  /** Queues per thread; two if tasks start tasks. Default 1. */
  readonly queues?: 1 | 2;
  /** Queue of each job, in order. Default: the first queue for all. */
  readonly queueOfJob?: readonly number[];
  /** Queues that each worker takes jobs from, in order. Default: all queues. */
  readonly orders?: readonly (readonly number[])[];
  /** Replaces the real class by a class that breaks a rule. */
  readonly Queues?: QueuesClass;
  /** Work of a worker within a job. */
  readonly run?: (worker: WorkerSnapshot, slot: number) => void;
  /** Number of steps after which worker 1 dies. */
  readonly deathAfter?: number;
  /** Whether the page retracts the first job, if no worker has begun it. */
  readonly retracts?: boolean;
  /** Whether the page shuts down once it has published as many jobs as it has slots, without waiting for their ends. */
  readonly abandons?: boolean;
}

export interface WorkerSnapshot {
  readonly queues: SharedQueues;
  readonly stepper: Stepper;
  readonly post: () => void;
  /** Runs another job within the current job, without completing it. */
  readonly runNested: (slot: number) => void;
}

/**
 * Queues that workers take jobs from, by number of queues. Jobs of the page are in the first queue, unless `queueOfJob`
 * differs. Jobs that these jobs start are in the second queue.
 */
const ORDERS = { 1: [0], 2: [0, 1] };
/** Result of every job. */
const RESULT = 7;
/** Returns a small shape of the memory, so that all schedules can be explored. */
const shapeOf = (threads: number, { ring = 4, slots = 2, queues = 1 }: QueueProgramOptions) => ({
  ...{ threads, slots, ring, queues, counters: 1, tickets: 0, slotWords: 10 },
});

class Died extends Error {}

export function queueProgram(options: QueueProgramOptions): () => Program {
  const { queueOfJob = [], orders = [] } = options;
  const all = ORDERS[options.queues ?? 1];
  const { jobs, workers, Queues = SharedQueues, run, deathAfter, retracts, abandons } = options;
  return () => {
    const memory = new TaskMemory(shapeOf(workers + 1, options));
    const runs: string[] = [];
    let messages = 0;
    let isDead = false;
    let ended: string[] = [];
    const view = (thread: number, stepper: Stepper): WorkerSnapshot => {
      const me: WorkerSnapshot = {
        queues: new Queues(memory, thread, steppedAtomics(stepper) as TaskAtomics),
        stepper,
        post: () => stepper.act('post', () => messages++),
        runNested: (slot) => {
          // Record only jobs of the page. Slots of workers contain tasks that a task has started.
          if (memory.ownerOf(slot) === 0) stepper.act('runs', () => runs.push(`${slot} by ${thread}`));
          run?.(me, slot);
          stepper.act('result', () => {
            memory.words[memory.slotAt(slot) + Slot.payload] = RESULT;
          });
        },
      };
      return me;
    };

    const page = replayThread((stepper) => {
      const { queues } = view(0, stepper);
      const list: string[] = [];
      const names = new Map<number, number>();
      let left = jobs;
      let published = 0;
      let hasReaped = false;
      const publish = (): void => {
        while (published < jobs) {
          const slot = queues.allocate();
          if (slot < 0) return;
          names.set(slot, published);
          const queue = queueOfJob[published] ?? 0;
          if (!queues.publish(slot, queue)) throw new Error('The queue is full.');
          published++;
          queues.wakeOne(queue);
        }
      };
      publish();
      if (retracts && queues.retract(queues.memory.firstSlotOf(0))) {
        list.push('0 retracted');
        left--;
        publish();
      }
      while (left > 0 && !abandons) {
        stepper.wait('a message', () => messages > 0 || (isDead && !hasReaped));
        if (stepper.act('looks', () => isDead && !hasReaped)) {
          hasReaped = true;
          queues.reap(1);
        }
        stepper.act('hears', () => {
          messages = 0;
        });
        queues.collect((slot, phase) => {
          const name = names.get(slot);
          if (name === undefined) throw new Error(`Slot ${slot} ended twice.`);
          const result = stepper.act('result', () => memory.words[memory.slotAt(slot) + Slot.payload]);
          if (phase === Phase.done && result !== RESULT) throw new Error(`${name} completed early.`);
          names.delete(slot);
          stepper.act('clears', () => {
            memory.words[memory.slotAt(slot) + Slot.payload] = 0;
          });
          list.push(`${name} ${phase === Phase.done ? 'done' : 'lost'}`);
          left--;
          queues.free(slot);
        });
        publish();
      }
      queues.shutDown();
      ended = list;
    });

    const worker = (thread: number) =>
      replayThread((stepper) => {
        let steps = 0;
        const order = orders[thread - 1] ?? all;
        // Worker 1 can die before each of its operations, as in a browser.
        const mortal: Stepper = {
          wait: stepper.wait,
          act: (label, action) => {
            if (thread === 1 && deathAfter !== undefined && steps++ === deathAfter) throw new Died();
            return stepper.act(label, action);
          },
        };
        const me = view(thread, mortal);
        try {
          while (!me.queues.isShutDown) {
            const slot = me.queues.claim(order);
            if (slot >= 0) {
              me.runNested(slot);
              if (me.queues.complete(slot, Phase.done) === 'tell page') me.post();
              continue;
            }
            const bell = me.queues.prepareSleep(order);
            if (bell === null) continue;
            me.queues.wait(bell, 1000);
            me.queues.wakeUp();
          }
        } catch (error) {
          if (!(error instanceof Died)) throw error;
          stepper.act('is dead', () => {
            isDead = true;
          });
        }
      });

    return {
      threads: {
        page,
        ...Object.fromEntries(
          Array.from({ length: workers }, (_, index) => [`worker ${index + 1}`, worker(index + 1)]),
        ),
      },
      atEnd: () => {
        const done = ended.filter((each) => each.endsWith('done'));
        const lost = ended.filter((each) => each.endsWith('lost'));
        const retracted = ended.filter((each) => each.endsWith('retracted'));
        // The explorer checks that all threads have ended.
        if (!abandons && done.length + lost.length + retracted.length !== jobs)
          throw new Error(`Ended: ${ended.join(', ')}.`);
        if (lost.length > (deathAfter === undefined ? 0 : 1)) throw new Error(`Lost: ${lost.join(', ')}.`);
        const most = jobs - retracted.length;
        // With `abandons` no slot is used twice, so each run has a slot of its own.
        const jobsRun = abandons ? new Set(runs.map((each) => each.split(' ')[0])).size : runs.length;
        if (runs.length > most || runs.length < done.length || jobsRun < runs.length)
          throw new Error(`Runs: ${runs.join(', ')}.`);
      },
    };
  };
}
