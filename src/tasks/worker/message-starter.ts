/**
 * Starts tasks by message for a task on a worker. The page runs them as its own tasks, and reports their ends.
 * Messages are used without shared memory, on and for named threads, for loops, and for tasks that don't fit into
 * shared memory.
 *
 *   worker   start, with copies of its arrays ─► page ─► a worker … ─► result, changes ─► its own copies
 */
import { StateError } from '../../core/errors.js';
import { canShare } from '../arguments/shared-array.js';
import { applyChanges, type PackedArguments, packArguments } from '../arguments/task-arguments.js';
import type { StartedOrder, TaskStarter } from '../execution/task-context.js';
import type { StartedTask } from '../futures/started-task.js';
import { settle } from '../shared-memory/shared-starter.js';
import { argumentsRefused, isRefused } from '../task-errors.js';
import type { StartOrder, TaskNotice, WorkerNotice } from '../task-messages.js';
import { findTask, type WorkerModule } from '../task-module.js';
import type { WorkerSet } from '../task-sets.js';

interface Pending {
  readonly started: StartedTask;
  readonly originals: readonly ArrayBuffer[];
}

/** The tasks that were started from this worker by messages. */
export class StartsByMessage {
  readonly #post: (message: WorkerNotice) => void;
  readonly #pending = new Map<number, Pending>();
  /**
   * Contents of each copy when its task began. Changes by tasks that the task has started are written to the copy and
   * to these contents.
   */
  readonly #before = new WeakMap<ArrayBuffer, ArrayBuffer>();
  readonly #sources = new WeakMap<ArrayBuffer, number>();
  #next = 0;

  constructor(post: (message: WorkerNotice) => void) {
    this.#post = post;
  }

  /** Registers copies that a task on this thread has received. */
  lend({ copies, sources }: PackedArguments, before: readonly ArrayBuffer[]): void {
    for (const [index, copy] of copies.entries()) {
      this.#before.set(copy, before[index] as ArrayBuffer);
      const source = sources[index];
      if (source !== undefined && source !== null) this.#sources.set(copy, source);
    }
  }

  start(order: StartOrder, started: StartedTask): void {
    const originals: ArrayBuffer[] = [];
    const packed = canShare()
      ? null
      : packArguments(order.args, originals, (memory) => this.#sources.get(memory) ?? null);
    const args = packed ? undefined : order.args;
    const number = this.#next++;
    try {
      this.#post({ kind: 'start', started: number, ...order, args, packed });
    } catch (error) {
      throw isRefused(error) ? argumentsRefused(started, error) : error;
    }
    if (order.isTracked) this.#pending.set(number, { started, originals });
  }

  /** Reports the progress of the task that this order has begun. */
  tellProgress(order: number, fraction: number): void {
    this.#post({ kind: 'orderProgress', order, fraction });
  }

  hear({ started: number, changes, answer }: Extract<TaskNotice, { kind: 'startEnded' }>): void {
    const pending = this.#pending.get(number);
    if (!pending) return;
    this.#pending.delete(number);
    applyChanges(pending.originals, changes);
    // The page has these changes already, so they must not count as changes of the starting task.
    applyChanges(
      pending.originals.map((memory) => this.#before.get(memory) ?? memory),
      changes,
    );
    if (answer.kind === 'done') settle(pending.started, { kind: 'done', value: answer.result }, undefined);
    else settle(pending.started, answer, undefined);
  }
}

export class MessageStarter implements TaskStarter {
  readonly #starts: StartsByMessage;
  readonly #module: WorkerModule;
  readonly #set: WorkerSet;
  readonly #order: number;

  /** @param set worker set of the starting task @param order number of the order that has begun the starting task */
  constructor(starts: StartsByMessage, module: WorkerModule, set: WorkerSet, order: number) {
    this.#starts = starts;
    this.#order = order;
    this.#set = set;
    this.#module = module;
  }

  get url(): string {
    return this.#module.url;
  }

  check(name: string): void {
    findTask(this.#module.tasks, name, this.#module.url);
  }

  begin({ set = this.#set, ...order }: StartedOrder, started: StartedTask): void {
    this.#starts.start({ module: this.#module.number, set, ...order }, started);
  }

  help(): void {
    throw new StateError(
      'wait-not-possible',
      'Without shared memory, and on named threads, a task can’t wait without returning to its event loop. Await the tasks.',
    );
  }

  progress(fraction: number): void {
    this.#starts.tellProgress(this.#order, fraction);
  }
}
