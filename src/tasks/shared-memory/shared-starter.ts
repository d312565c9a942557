import { StateError, ThreadError } from '../../core/errors.js';
import { TimelineEvent } from '../../core/events/event-ring.js';
import { callTask, runBody } from '../execution/run-body.js';
import { type StartedOrder, TaskContext, type TaskStarter } from '../execution/task-context.js';
import { awaitedBy, StartedTask } from '../futures/started-task.js';
import { argumentsRefused, failureOf, isRefused, resultRefused, thrownBy } from '../task-errors.js';
import type { JobEnd } from '../task-messages.js';
import { findTask, type WorkerModule } from '../task-module.js';
import { taskNumberOf } from '../task-rings.js';
import { queueOf, setOf, targetOf, type WorkerSet } from '../task-sets.js';
import { BY_MESSAGE, NO_ROOM } from './owned-jobs.js';
import type { SharedQueues } from './shared-queues.js';
import type { SlotRunner, WorkerLoopHost } from './slot-runner.js';
import { Slot } from './task-memory.js';

/**
 * Stored instead of a slot, for a task without a slot that awaits something in this thread's event loop. A blocking
 * wait for that task on this thread would never end, so `wait` throws.
 */
const HELD_HERE = -3;
/** Stored instead of a slot, for a task without a slot that has failed. Its error will arrive in the event loop. */
const FAILING_HERE = -4;

/**
 * Number of nested waits from which a thread runs only awaited jobs, because other jobs would make the stack deeper.
 */
const DEEP = 32;
/** Largest number of nested waits. Further waits throw, before the stack overflows within a task. */
const DEEPEST = 128;

/**
 * Starts tasks on behalf of a task on a worker with shared memory. The started tasks are jobs of this worker, and
 * other workers run them as well. The starting task itself may be in a slot, or have arrived by message.
 */
export class SharedStarter implements TaskStarter {
  readonly #host: WorkerLoopHost;
  readonly #runner: SlotRunner;
  readonly #module: WorkerModule;
  readonly #set: WorkerSet;
  readonly #tellProgress: (fraction: number) => void;
  /** True once the starting task has ended. */
  #isOver = false;

  /** @param set worker set of the starting task @param tellProgress reports the progress of that task */
  constructor(
    host: WorkerLoopHost,
    runner: SlotRunner,
    module: WorkerModule,
    set: WorkerSet,
    tellProgress: (fraction: number) => void,
  ) {
    this.#host = host;
    this.#runner = runner;
    this.#module = module;
    this.#set = set;
    this.#tellProgress = tellProgress;
  }

  get url(): string {
    return this.#module.url;
  }

  check(name: string): void {
    findTask(this.#module.tasks, name, this.#module.url);
  }

  begin(order: StartedOrder, started: StartedTask): void {
    const { name, args, priority, set, isTracked, thread, queue: threadQueue, loop } = order;
    const { owned, queues, post, startByMessage, sizes, spare } = this.#host;
    const { counts } = this.#runner;
    // Use the set of the order, or else the set of the starting task.
    const target = targetOf(set ?? this.#set, priority, sizes);
    const queue = queueOf(target);
    const task = this.#module.names.indexOf(name);
    const job = { module: this.#module.number, task, begin: 0, end: 1, batch: 0, counter: 0, queue, args };
    const publish = (): number => {
      const slot = owned.publish(job, (end) => settle(started, end, isTracked ? undefined : post));
      this.#runner.slots.set(started, slot >= 0 ? slot : NO_ROOM);
      if (slot >= 0) counts.begin();
      if (slot >= 0 && !queues.wakeOne(queue) && queues.mayGrow(queue))
        post({ kind: 'grow', set: target.set });
      return slot;
    };
    const send = (): void => {
      this.#runner.slots.set(started, BY_MESSAGE);
      const module = this.#module.number;
      // Count the task here until the page counts it.
      counts.beginSlotless();
      try {
        const queued = { thread, queue: threadQueue, loop };
        startByMessage({ module, name, args, ...target, isTracked, ...queued }, started);
      } catch (error) {
        counts.endSlotless();
        throw error;
      }
    };
    // The page passes tasks to named threads, and splits loops.
    if (thread !== undefined || loop) {
      send();
      return;
    }
    const slot = publish();
    if (slot === BY_MESSAGE) send();
    if (slot !== NO_ROOM) return;
    counts.beginSlotless();
    spare.add({
      started,
      mayStay: () => isTracked && !this.#isOver && this.#host.order.includes(queue),
      publish: () => {
        const later = publish();
        if (later >= 0) counts.endSlotless();
        return later;
      },
      send: () => {
        try {
          send();
        } catch (error) {
          started.fail(error);
        }
        counts.endSlotless();
      },
      runHere: () => this.#runHere(name, args, started, isTracked),
    });
  }

  /** Publishes a part of the range of the job in this slot. @returns `null` if no slot is free */
  give(slot: number, name: string, args: unknown, begin: number, end: number): StartedTask | null {
    const { owned, queues, post } = this.#host;
    const { memory } = queues;
    const at = memory.slotAt(slot);
    const [queue, task, batch, counter] = [Slot.queue, Slot.task, Slot.batch, Slot.counter].map(
      (word) => memory.words[at + word] as number,
    ) as [number, number, number, number];
    const started = new StartedTask(`"${name}"`);
    const job = { module: this.#module.number, task, begin, end, batch, counter, queue, args };
    if (owned.publish(job, (end) => settle(started, end, undefined)) < 0) return null;
    if (!queues.wakeOne(queue) && queues.mayGrow(queue)) post({ kind: 'grow', set: setOf(queue) });
    return started;
  }

  help(tasks: readonly StartedTask[]): void {
    const { queues, owned, order, mayBlock, spare } = this.#host;
    if (!mayBlock || tasks.some((task) => !task.isSettled && this.#runner.slots.get(task) === BY_MESSAGE)) {
      throw new StateError('wait-not-possible', 'This thread can’t wait for these tasks. Await them.');
    }
    const depth = this.#runner.waits;
    if (depth >= DEEPEST) {
      throw new StateError(
        'wait-not-possible',
        `${depth} tasks already wait on the stack of this thread, each for the next task. Await the tasks instead.`,
      );
    }
    const run = (slot: number): void => this.#runner.runHeld(slot);
    const isOver = (): boolean => {
      owned.collect();
      spare.publish();
      return tasks.every((task) => {
        const slot = this.#runner.slots.get(task) ?? NO_ROOM;
        if (task.isSettled || owned.isHeldUp(slot)) return true;
        if (slot === FAILING_HERE || this.#runner.isFailing(slot)) return true;
        if (slot === HELD_HERE || this.#runner.isSuspended(slot)) throw awaitsHere(task);
        return false;
      });
    };
    const runAwaited = (): boolean => {
      for (const task of tasks) {
        const slot = this.#runner.slots.get(task) ?? NO_ROOM;
        if (task.isSettled || slot < 0 || !queues.claimExactly(slot)) continue;
        run(slot);
        return true;
      }
      return spare.runOne(tasks);
    };
    const isDeep = depth >= DEEP;
    const runSpare = (): boolean => !isDeep && spare.runOne();
    this.#runner.waits++;
    try {
      const helping = { isOver, run, runAwaited, runSpare, order: isDeep ? [] : order };
      if (!helpUntil(queues, helping))
        throw new StateError('tasks-disposed', 'The task system was disposed of.');
    } finally {
      this.#runner.waits--;
    }
  }

  /** Runs a task without a slot on this thread: on the stack of a waiting task, or in the event loop. */
  #runHere(name: string, args: unknown, started: StartedTask, isTracked: boolean): void {
    const task = this.#module.tasks[name] as (...call: unknown[]) => unknown;
    // The progress of a started task can't be read, so ignore it.
    const starter = new SharedStarter(this.#host, this.#runner, this.#module, this.#set, () => {});
    const context = new TaskContext(name, starter, this.#host.locals);
    const { post } = this.#host;
    const { counts } = this.#runner;
    const fail = (thrown: unknown): void => {
      const awaited = awaitedBy(thrown);
      if (awaited) {
        this.#runner.slots.set(started, FAILING_HERE);
        awaited.then(() => failWith(thrown), failWith);
      } else failWith(thrown);
    };
    const failWith = (thrown: unknown): void => {
      starter.leave();
      counts.endHere(false);
      settle(started, { kind: 'failed', ...failureOf(thrown) }, isTracked ? undefined : post);
    };
    const end = (result: unknown): void => {
      const value = copyOf(result, (cause) => resultRefused(`the task ${started.name}`, cause));
      starter.leave();
      counts.endHere(true);
      started.resolve(value);
    };
    const body = (): unknown => {
      const given = copyOf(args, (cause) => argumentsRefused(started, cause));
      const { events } = this.#host;
      const began = events?.begin(TimelineEvent.task, 0) ?? 0;
      try {
        return callTask(task, given, 0, 1, context);
      } finally {
        events?.end(TimelineEvent.task, taskNumberOf(this.#module, name), began, 1);
      }
    };
    void runBody(body, context, {
      suspend: () => {
        this.#runner.slots.set(started, HELD_HERE);
        this.#runner.awaiting++;
        return () => void this.#runner.awaiting--;
      },
      done: end,
      failed: fail,
    });
  }

  progress(fraction: number): void {
    this.#tellProgress(fraction);
  }

  leave(): void {
    this.#isOver = true;
    this.#host.spare.sendOthers();
  }
}

/**
 * Returns a copy, as another thread would receive it.
 * @param refused creates the error for a value that can't be cloned
 */
function copyOf(value: unknown, refused: (cause: unknown) => unknown): unknown {
  try {
    return structuredClone(value);
  } catch (error) {
    throw isRefused(error) ? refused(error) : error;
  }
}

const awaitsHere = ({ name }: StartedTask): StateError =>
  new StateError(
    'wait-not-possible',
    `The task ${name} awaits something on this very thread, whose event loop can't turn during the wait. Await the task.`,
  );

/**
 * Settles a started task.
 * @param tell reports the failure of a task that no task waits for; undefined for other tasks
 */
export function settle(
  started: StartedTask,
  end: JobEnd,
  tell: ((message: unknown) => void) | undefined,
): void {
  if (end.kind === 'done') {
    started.resolve(end.value);
    return;
  }
  const error =
    end.kind === 'lost'
      ? new ThreadError(
          'task-worker-died',
          `The worker ${end.thread} died while it ran the task ${started.name}.`,
        )
      : thrownBy(end);
  started.fail(error);
  if (end.kind === 'failed' && tell) tell({ ...end, kind: 'untracked', task: started.name });
}

/** Longest sleep, in milliseconds. The worker then checks again, because some changes wake no thread. */
const LOOK = 1000;

/** The part of the queues that helping uses. */
export type HelpedQueues = Pick<
  SharedQueues,
  'thread' | 'isShutDown' | 'claimOwn' | 'prepareNap' | 'wait' | 'wake' | 'wakeUp'
>;

interface Helping {
  /** Collects jobs that have ended. @returns whether all awaited jobs have ended */
  readonly isOver: () => boolean;
  /** Runs a claimed job to its end. */
  readonly run: (slot: number) => void;
  /** Runs one of the awaited jobs that no worker has begun. @returns false if there is none */
  readonly runAwaited?: () => boolean;
  /** Runs one of the worker's own jobs that have no slot. @returns false if there is none */
  readonly runSpare?: () => boolean;
  /** Queues from which the worker also runs own jobs that the task does not await; empty on a deep stack. */
  readonly order: readonly number[];
}

/**
 * Helping: a task waits for tasks that it has started, without leaving the stack (SYSTEMS T5). Meanwhile its worker
 * runs the awaited tasks that no other worker has begun.
 *
 *   a task ─ starts b, c ─ wait(b, c) ─► runs c itself ─► sleeps until another worker has ended b ─► continues
 *
 * The worker runs only its own jobs: those that tasks on its stack have started. Any other job could wait for a lock
 * that a task below it on the stack holds, and so block for ever. The tasks on the stack wait for the worker's own
 * jobs anyway. Awaited jobs run first. A tree of tasks then needs a stack as deep as the tree, and not as
 * deep as its number of tasks. On a deep stack the worker runs only awaited jobs.
 *
 * Runs and awaits own jobs until `isOver`. @returns false if the task system was shut down meanwhile
 */
export function helpUntil(
  queues: HelpedQueues,
  { isOver, run, runAwaited, runSpare, order }: Helping,
): boolean {
  // If the event loop runs the task, the worker loop is marked as asleep. Wake the loop, so that it checks the queues
  // again after the task.
  queues.wake(queues.thread);
  while (!isOver()) {
    if (queues.isShutDown) return false;
    if (runAwaited?.()) continue;
    const slot = queues.claimOwn(order);
    if (slot >= 0) {
      run(slot);
      continue;
    }
    if (runSpare?.()) continue;
    const bell = queues.prepareNap();
    if (bell === null) continue;
    queues.wait(bell, LOOK);
    queues.wakeUp();
  }
  return true;
}
