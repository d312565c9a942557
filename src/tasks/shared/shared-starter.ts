import { errorFromData, StateError, ThreadError } from '../../core/errors.js';
import type { StartedTask } from '../started-task.js';
import type { TaskStarter } from '../task-context.js';
import { findTask } from '../task-module.js';
import type { TaskPriority } from '../task-queue.js';
import type { WorkerModule } from '../worker-modules.js';
import { helpUntil } from './help-until.js';
import type { JobEnd } from './owned-jobs.js';
import { Slot } from './task-memory.js';
import type { LoopParts, WorkerLoop } from './worker-loop.js';

/** How a task in a worker starts tasks where memory is shared: as jobs of its own worker, which others take as well. */
export class SharedStarter implements TaskStarter {
  readonly #parts: LoopParts;
  readonly #loop: WorkerLoop;
  readonly #module: WorkerModule;
  readonly #slot: number;
  /** Where the tasks are that it has started. */
  readonly #slots = new WeakMap<StartedTask, number>();

  /** @param slot of the task that starts others */
  constructor(parts: LoopParts, loop: WorkerLoop, module: WorkerModule, slot: number) {
    this.#parts = parts;
    this.#loop = loop;
    this.#module = module;
    this.#slot = slot;
  }

  check(name: string): void {
    findTask(this.#module.tasks, name, this.#module.url);
  }

  begin(name: string, args: unknown, priority: TaskPriority, started: StartedTask, isTracked: boolean): void {
    const { owned, queues, post, startByMessage } = this.#parts;
    const { memory } = queues;
    // The set of the task that starts it, and the priority that is asked for.
    const of = memory.words[memory.slotAt(this.#slot) + Slot.queue] as number;
    const queue = of - (of % 2) + (priority === 'high' ? 0 : 1);
    const task = this.#module.names.indexOf(name);
    const job = { module: this.#module.number, task, begin: 0, end: 1, batch: 0, counter: 0, queue, args };
    const slot = owned.publish(job, (end) => settle(started, end, isTracked ? undefined : post));
    if (slot < 0) startByMessage({ module: this.#module.number, name, args, priority, isTracked }, started);
    this.#slots.set(started, slot);
    if (slot >= 0 && !queues.wakeOne() && queues.mayGrow) post({ kind: 'grow' });
  }

  help(tasks: readonly StartedTask[]): void {
    const { queues, owned, order, mayBlock } = this.#parts;
    if (!mayBlock || tasks.some((task) => !task.isSettled && !((this.#slots.get(task) ?? -1) >= 0))) {
      throw new StateError('wait-not-possible', 'This thread can’t wait for these tasks. Await them.');
    }
    const isOver = (): boolean => {
      owned.collect();
      return tasks.every((task) => task.isSettled || owned.isHeldUp(this.#slots.get(task) ?? -1));
    };
    if (!helpUntil(queues, order, isOver, (slot) => this.#loop.run(slot))) {
      throw new StateError('tasks-disposed', 'The task system was disposed of.');
    }
  }

  progress(fraction: number): void {
    const { queues, post } = this.#parts;
    post({ kind: 'progress', slot: this.#slot, generation: queues.state(this.#slot) >> 10, fraction });
  }
}

/** @param tell where nobody waits for it: its failure is told */
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
      : end.thrown === undefined || end.error.code !== 'internal'
        ? errorFromData(end.error)
        : end.thrown;
  started.fail(error);
  if (end.kind === 'failed' && tell) tell({ ...end, kind: 'untracked' });
}
