/**
 * Runs tasks that a worker has received by message, on the copies of arrays in the message.
 *
 *   order ─► arguments, or views of copies ─► task(args, begin, end) ─┬─ returned: the answer
 *                                             ranges from a counter ──┘─ a promise: a promise of the answer
 *
 * The answer contains the task's changes to the copies, even if the task threw.
 */
import { StateError } from '../../core/errors.js';
import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { changesOf, unpackArguments } from '../arguments/task-arguments.js';
import { callTask, runBody } from '../execution/run-body.js';
import { type Turn, takeRanges, turnsOfLoop } from '../execution/take-ranges.js';
import { TaskContext, type TaskStarter, type ThreadLocals } from '../execution/task-context.js';
import { awaitedBy } from '../futures/started-task.js';
import type { NamedThread } from '../named-threads/thread-queues.js';
import type { WorkerLoop } from '../shared-memory/worker-loop.js';
import { failureOf, resultRefused } from '../task-errors.js';
import type { NumberedAnswer, RanTimes, TaskAnswer, TaskOrder, TaskTraces } from '../task-messages.js';
import { findTask, type WorkerModule } from '../task-module.js';
import { taskNumberOf } from '../task-rings.js';
import { MessageStarter, type StartsByMessage } from './message-starter.js';

type TaskCall = Exclude<TaskOrder, { kind: 'load' }>;

export class OrderRunner {
  readonly #starts: StartsByMessage;
  readonly #locals: ThreadLocals;
  readonly #thread: NamedThread | null;
  /** Loop over jobs in shared memory; `null` without shared memory. */
  #loop: WorkerLoop | null = null;
  /** Running loops over copies, by order. Each loop checks between two calls whether its order was withdrawn. */
  readonly #loops = new Map<number, { isOver: boolean }>();
  /**
   * Ring for this thread's events; `null` without a timeline, or if answers carry the tasks' times to the
   * page.
   */
  #events: EventRing | null;

  /**
   * @param thread handle of this named thread; `null` on a pool worker
   * @param events ring for this thread's events
   */
  constructor(
    starts: StartsByMessage,
    locals: ThreadLocals,
    thread: NamedThread | null,
    events: EventRing | null = null,
  ) {
    this.#starts = starts;
    this.#locals = locals;
    this.#thread = thread;
    this.#events = events;
  }

  /** Registers the loop with which this thread takes jobs from shared memory. */
  join(loop: WorkerLoop, events: EventRing | null): void {
    this.#loop = loop;
    this.#events = events;
  }

  /** Runs an order at once, up to the task's first promise. @throws TaskError `task-unknown` */
  run(order: TaskCall & { readonly number: number }, module: WorkerModule): TaskAnswer | Promise<TaskAnswer> {
    const task = findTask(module.tasks, order.name, module.url) as (...call: unknown[]) => unknown;
    const { set, number } = order;
    const starter: TaskStarter =
      this.#loop?.makeWayFor(module, set, (fraction) => this.#starts.tellProgress(number, fraction)) ??
      new MessageStarter(this.#starts, module, set, number);
    const context = new TaskContext(order.name, starter, this.#locals, this.#thread);
    const { packed } = order;
    const before = packed?.copies.map((copy) => copy.slice(0)) ?? [];
    if (packed) this.#starts.lend(packed, before);
    const args = packed ? unpackArguments(packed) : order.args;
    let ran: RanTimes | undefined;
    const traces = (): TaskTraces => ({ changes: packed ? changesOf(packed.copies, before) : [], ran });
    const done = (result: unknown, milliseconds?: number): TaskAnswer => {
      starter.leave?.();
      return { kind: 'done', result, milliseconds, ...traces() };
    };
    // Keep the changes of a failed task, as in shared memory.
    const failedWith = (thrown: unknown): TaskAnswer => ({
      kind: 'failed',
      ...failureOf(thrown),
      ...traces(),
    });
    // If an awaited task's error has not arrived yet, answer once it has arrived.
    const failed = (thrown: unknown): TaskAnswer | Promise<TaskAnswer> => {
      starter.leave?.();
      return awaitedBy(thrown)?.then(() => failedWith(thrown), failedWith) ?? failedWith(thrown);
    };
    const call = (...of: [unknown, number, number]): unknown => callTask(task, ...of, context);
    return runBody<TaskAnswer>(
      () =>
        order.kind === 'share'
          ? takeRanges(call, args, order, packed ? this.#turns(order.number) : undefined)
          : call(args, order.begin, order.end),
      context,
      {
        ran: (began, ended) => {
          ran = this.#noteRun(order, module, began, ended);
        },
        done,
        failed,
      },
    );
  }

  /** Ends the loop of a withdrawn order. */
  retract(number: number): void {
    const loop = this.#loops.get(number);
    if (loop) loop.isOver = true;
  }

  /** Forgets an order that has been answered. */
  forget(number: number): void {
    this.#loops.delete(number);
  }

  #turns(number: number): Turn {
    const loop = { isOver: false };
    this.#loops.set(number, loop);
    return turnsOfLoop(() => {
      if (loop.isOver)
        throw new StateError('task-over', 'The task has settled, so the rest of its range is not run.');
    });
  }

  /** Records the times of a task in this thread's ring. @returns the times for the answer, if the thread has no ring */
  #noteRun(order: TaskCall, module: WorkerModule, began: number, ended: number): RanTimes | undefined {
    const indices = order.kind === 'share' ? 0 : order.end - order.begin;
    this.#events?.add(TimelineEvent.task, taskNumberOf(module, order.name), began, ended, indices);
    const { timeOrigin } = performance;
    return this.#events ? undefined : [timeOrigin + began, timeOrigin + ended];
  }
}

/** The order to which an answer belongs. */
interface Answered {
  readonly number: number;
  /** Name of the task. */
  readonly name?: string;
}

/**
 * Sends a worker's answers, one per order, each with the number of its order. A result that can't be cloned becomes an
 * error.
 */
export class OrderAnswers {
  readonly #post: (message: unknown) => void;

  constructor(post: (message: unknown) => void) {
    this.#post = post;
  }

  give(message: TaskAnswer, { number, name }: Answered): void {
    try {
      this.#post({ ...message, number });
    } catch (refusal) {
      this.#post({
        kind: 'failed',
        ...failureOf(resultRefused(`the task "${name}"`, refusal)),
        ...{ changes: message.changes, ran: message.ran, number },
      } satisfies NumberedAnswer);
    }
  }

  /** Answers an order that has failed before it began, and so has changed nothing. */
  giveFailure(thrown: unknown, order: Answered): void {
    this.give({ ...{ kind: 'failed', ...failureOf(thrown) }, changes: [] }, order);
  }
}
