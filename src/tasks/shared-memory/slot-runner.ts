/**
 * Runs claimed jobs in slots for a worker, and reports their ends.
 *
 *   run ─► module and memory loaded ─────► the task ─┬─ returned ─► finish ─┐
 *          └─ else: after loading                    ├─ a promise ─► await ─┼─► result in slot or message ─► complete
 *                                                    └─ thrown ────► fail ──┘
 */
import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { callTask, runBody } from '../execution/run-body.js';
import { splitRange, takeRanges } from '../execution/take-ranges.js';
import { TaskContext, type ThreadLocals } from '../execution/task-context.js';
import { awaitedBy, type StartedTask } from '../futures/started-task.js';
import { failureOf, isRefused, loadFailed, resultRefused } from '../task-errors.js';
import type { OutcomeMessage, StartOrder } from '../task-messages.js';
import type { WorkerModule, WorkerModules } from '../task-module.js';
import { taskNumberOf } from '../task-rings.js';
import { type SetSizes, setOf } from '../task-sets.js';
import { MemoryMissing, readValue, type SharedMemories, writeValue } from './argument-codec.js';
import { bitsAt, claimPiece, MERGED, type PieceEnd } from './merged-jobs.js';
import { type OwnedJobs, ResultSource } from './owned-jobs.js';
import { StartedCounts } from './shared-counters.js';
import { Phase, type SharedQueues } from './shared-queues.js';
import { SharedStarter } from './shared-starter.js';
import type { SpareJobs } from './spare-jobs.js';
import { Slot } from './task-memory.js';

export interface WorkerLoopHost {
  readonly queues: SharedQueues;
  readonly memories: SharedMemories;
  readonly owned: OwnedJobs;
  readonly spare: SpareJobs;
  readonly modules: WorkerModules;
  readonly locals: ThreadLocals;
  /** Queues that the worker takes jobs from, in this order. */
  readonly order: readonly number[];
  readonly sizes: SetSizes;
  readonly post: (message: unknown) => void;
  /** Starts a task by message, if it does not fit into shared memory. */
  readonly startByMessage: (order: StartOrder, started: StartedTask) => void;
  readonly mayBlock: boolean;
  /** Ring for this thread's events; `null` without a timeline. */
  readonly events: EventRing | null;
  /** Returns whether a task that arrived by message is running, so that the event loop is needed. */
  readonly isBusyElsewhere: () => boolean;
}

export class SlotRunner {
  readonly #host: WorkerLoopHost;
  /** Jobs that wait for memory of other threads. */
  readonly #waiting: (() => void)[] = [];
  /**
   * Slots of jobs that continue in the event loop. They have returned a promise, or await the error of a task. Jobs
   * that a blocked task runs are included while their module or memory is missing.
   */
  readonly #suspended = new Set<number>();
  /** Suspended slots of jobs that have failed, but whose error has not arrived yet. */
  readonly #failing = new Set<number>();
  readonly counts: StartedCounts;
  /**
   * Slots of tasks that tasks of this thread have started. A value below 0 means that the task has no slot
   * (codes in `shared-starter.ts` and `owned-jobs.ts`).
   */
  readonly slots = new WeakMap<StartedTask, number>();
  /** Number of tasks on this stack that block and wait for other tasks. */
  waits = 0;
  /** Number of tasks without a slot that have returned a promise on this thread. */
  awaiting = 0;

  constructor(host: WorkerLoopHost) {
    this.#host = host;
    const { memory, thread } = host.queues;
    this.counts = new StartedCounts(memory, thread);
  }

  /** True while tasks await something, so that the event loop must turn. */
  get isAwaiting(): boolean {
    return this.#suspended.size + this.awaiting > 0;
  }

  /** Runs jobs that were waiting for memory. Called when memory has arrived. */
  readAgain(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Returns whether the job continues in this thread's event loop. */
  isSuspended(slot: number): boolean {
    return this.#suspended.has(slot);
  }

  /** Returns whether the job has failed because an awaited task has failed. The error will arrive in the event loop. */
  isFailing(slot: number): boolean {
    return this.#failing.has(slot);
  }

  /** Runs a claimed job for a task that blocks until the job has ended. */
  runHeld(slot: number): void {
    if (this.run(slot)) this.#suspended.add(slot);
  }

  /**
   * Runs the claimed job in a slot, to its end or to its first promise.
   * @returns a promise if the module or memory is missing; it resolves when the job has begun or failed
   */
  run(slot: number): Promise<void> | undefined {
    const { queues, modules } = this.#host;
    const { memory } = queues;
    const at = memory.slotAt(slot);
    const number = memory.words[at + Slot.module] as number;
    const module = modules.get(number);
    if (module) return this.#runTask(slot, at, module);
    return modules.load(number).then(
      (loaded) => this.#runTask(slot, at, loaded),
      (cause) => {
        const isExplained = cause?.code === 'task-module-differs';
        this.#fail(slot, isExplained ? cause : loadFailed(modules.urlOf(number), 'a worker', cause));
      },
    );
  }

  #runTask(slot: number, at: number, module: WorkerModule): Promise<void> | undefined {
    this.#suspended.delete(slot);
    const { queues, memories } = this.#host;
    const { memory } = queues;
    let args: unknown;
    try {
      args = readValue(memory.payloadOf(slot), (number) => memories.find(number));
    } catch (error) {
      if (error instanceof MemoryMissing) {
        return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() =>
          this.#runTask(slot, at, module),
        );
      }
      this.#fail(slot, error);
      return undefined;
    }
    const name = module.names[memory.words[at + Slot.task] as number] as string;
    const task = module.tasks[name] as (...call: unknown[]) => unknown;
    const set = setOf(memory.words[at + Slot.queue] as number);
    const starter = new SharedStarter(this.#host, this, module, set, (fraction) => {
      this.#host.post({ kind: 'progress', slot, generation: queues.state(slot) >> 10, fraction });
    });
    const context = new TaskContext(name, starter, this.#host.locals);
    const begin = memory.words[at + Slot.begin] as number;
    const end = memory.words[at + Slot.end] as number;
    const batch = memory.words[at + Slot.batch] as number;
    if (begin === MERGED) {
      this.#runMerged(slot, at, module, name, args as unknown[]);
      return undefined;
    }
    const { events } = this.#host;
    const counterAt = memory.counterAt(memory.words[at + Slot.counter] as number);
    const counter = memory.words.subarray(counterAt, counterAt + 1);
    const call = (...of: [unknown, number, number]): unknown => {
      queues.beat(slot);
      return callTask(task, ...of, context);
    };
    const body = (): unknown => {
      const began = events?.begin(TimelineEvent.task, 0) ?? 0;
      try {
        if (batch === 0) return call(args, begin, end);
        if (batch > 0) return takeRanges(call, args, { counter, count: end, batch });
        return splitRange(call, args, begin, end, { counter, batch: -batch }, (from, to) =>
          starter.give(slot, name, args, from, to),
        );
      } finally {
        events?.end(TimelineEvent.task, taskNumberOf(module, name), began, batch === 0 ? end - begin : 0);
      }
    };
    void runBody(body, context, {
      suspend: () => {
        this.#suspended.add(slot);
        return () => void this.#suspended.delete(slot);
      },
      ran: () => {},
      done: (value, milliseconds) => {
        starter.leave();
        this.#finish(slot, value, milliseconds);
      },
      failed: (error) => {
        starter.leave();
        this.#fail(slot, error);
      },
    });
    return undefined;
  }

  /** Runs merged jobs one after the other (`merged-jobs.ts`). A piece that awaits something lets the next one begin. */
  #runMerged(slot: number, at: number, module: WorkerModule, name: string, args: readonly unknown[]): void {
    const { queues, locals, events } = this.#host;
    const { words } = queues.memory;
    const task = module.tasks[name] as (...call: unknown[]) => unknown;
    const set = setOf(words[at + Slot.queue] as number);
    const ends: PieceEnd[] = args.map(() => undefined);
    const began = performance.now();
    let left = 1;
    let hasAwaited = false;
    const endOne = (): void => {
      if (--left > 0) return;
      this.#finish(slot, ends, hasAwaited ? undefined : performance.now() - began, ends);
    };
    for (const [index, each] of args.entries()) {
      if (!claimPiece(words, bitsAt(queues.memory, slot), index)) continue;
      left++;
      queues.beat(slot);
      const starter = new SharedStarter(this.#host, this, module, set, () => {});
      const context = new TaskContext(name, starter, locals);
      const end = (outcome: PieceEnd): void => {
        ends[index] = outcome;
        starter.leave();
        endOne();
      };
      const began = events?.begin(TimelineEvent.task, 0) ?? 0;
      void runBody<void>(() => callTask(task, each, 0, 1, context), context, {
        suspend: () => {
          hasAwaited = true;
          this.awaiting++;
          return () => void this.awaiting--;
        },
        done: (value) => end([value]),
        failed: (thrown) => {
          const fail = (error: unknown): void => end(failureOf(error));
          const awaited = awaitedBy(thrown);
          if (awaited) awaited.then(() => fail(thrown), fail);
          else fail(thrown);
        },
      });
      events?.end(TimelineEvent.task, taskNumberOf(module, name), began, 1);
    }
    endOne();
  }

  /** @param pieces outcomes of merged jobs, each of which fails alone if it can't be cloned */
  #finish(slot: number, value: unknown, milliseconds?: number, pieces?: PieceEnd[]): void {
    const { queues, memories } = this.#host;
    const { memory } = queues;
    const at = memory.slotAt(slot);
    const isWritten = writeValue(value, memory.payloadOf(slot), memories);
    memory.words[at + Slot.begin] = isWritten ? ResultSource.slot : ResultSource.message;
    memory.words[at + Slot.end] = milliseconds === undefined ? -1 : Math.round(milliseconds * 1000);
    if (!isWritten) {
      try {
        this.#send(slot, { kind: 'done', value });
      } catch (refusal) {
        if (pieces && isRefused(refusal)) {
          for (const [index, end] of pieces.entries()) pieces[index] = this.#sendable(slot, end);
          this.#finish(slot, pieces, milliseconds);
          return;
        }
        this.#fail(slot, isRefused(refusal) ? resultRefused(this.#nameOf(slot), refusal) : refusal);
        return;
      }
    }
    this.#complete(slot, Phase.done);
  }

  #sendable(slot: number, end: PieceEnd): PieceEnd {
    try {
      return structuredClone(end);
    } catch (refusal) {
      return failureOf(resultRefused(this.#nameOf(slot), refusal));
    }
  }

  #fail(slot: number, thrown: unknown): void {
    const awaited = awaitedBy(thrown);
    if (!awaited) {
      this.#failWith(slot, thrown);
      return;
    }
    // Fail with the error of the awaited task, once that error has arrived.
    this.#suspended.add(slot);
    this.#failing.add(slot);
    const end = (error: unknown): void => {
      this.#suspended.delete(slot);
      this.#failing.delete(slot);
      this.#failWith(slot, error);
    };
    awaited.then(() => end(thrown), end);
  }

  #failWith(slot: number, thrown: unknown): void {
    const { memory } = this.#host.queues;
    memory.words[memory.slotAt(slot) + Slot.begin] = ResultSource.message;
    this.#send(slot, { kind: 'failed', ...failureOf(thrown) });
    this.#complete(slot, Phase.failed);
  }

  #nameOf(slot: number): string {
    const { queues, modules } = this.#host;
    const { words } = queues.memory;
    const at = queues.memory.slotAt(slot);
    const module = modules.get(words[at + Slot.module] as number);
    return `the task "${module?.names[words[at + Slot.task] as number]}" of ${module?.url}`;
  }

  #send(slot: number, end: OutcomeMessage['end']): void {
    const { queues, owned, post } = this.#host;
    const message: OutcomeMessage = { kind: 'outcome', slot, generation: queues.state(slot) >> 10, end };
    // Pass a copy to the owner, also if the owner is this thread.
    if (queues.memory.ownerOf(slot) === queues.thread) owned.hear(structuredClone(message));
    else post(message);
  }

  #complete(slot: number, phase: typeof Phase.done | typeof Phase.failed): void {
    this.counts.endJob(slot, phase === Phase.done);
    if (this.#host.queues.complete(slot, phase) === 'tell page') this.#host.post({ kind: 'ended' });
  }
}
