/**
 * The page's side of the memory that it shares with the workers of the pool. The page publishes jobs of futures in
 * slots, and collects their results.
 *
 *   JobRunner ─ publish ─► OwnedJobs ─► slots and queues ─► workers
 *       ▲                                                     │
 *       └─ onEnd ◄─ collect ◄─ message "ended" (one for many) ┘
 */
import { StateError, ThreadError } from '../../core/errors.js';
import type { EventRing } from '../../core/events/event-ring.js';
import { type Clock, systemClock } from '../../sync/deadline.js';
import { nextIdentity, poisonHeld } from '../blocking/task-locks.js';
import type { TaskFuture } from '../futures/task-future.js';
import type { Job, JobRanges } from '../job.js';
import { reportSlow, thrownBy } from '../task-errors.js';
import type { JobEnd, MemoryMessage, OutcomeMessage, TaskNotice } from '../task-messages.js';
import type { ModuleAddress } from '../task-module.js';
import {
  QUEUE_ORDERS,
  queueOf,
  type SetSizes,
  servesHigh,
  totalOf,
  WORKER_SETS,
  type WorkerSet,
} from '../task-sets.js';
import { SharedMemories } from './argument-codec.js';
import { bitsAt, claimPiece, watchPieces } from './merged-jobs.js';
import { NO_ROOM, OrderTickets, OwnedJobs } from './owned-jobs.js';
import { countLost, RangeCounters, StartedCounts } from './shared-counters.js';
import { runnerOf, SharedQueues } from './shared-queues.js';
import { DEFAULT_SHAPE, Slot, TaskMemory } from './task-memory.js';
import type { ResidentLoopSource } from './worker-loop.js';

/** `later`: try again when another job has ended. `refused`: send the job by message instead. */
type Published = 'published' | 'later' | 'refused';

/** The page's view of a worker that shares this memory. */
interface JoinedWorker {
  readonly name: string;
  /** Number among the threads that share memory, from 1. */
  readonly threadNumber: number;
  readonly set: WorkerSet;
  /** Ring for the worker's events; `null` without a timeline. */
  readonly events: EventRing | null;
  tell(notice: TaskNotice): void;
}

interface PublishedJob {
  readonly job: Job;
  /** Time at which the job was first seen running, in milliseconds; `null` before. */
  since: number | null;
}

interface SharedPoolHost {
  readonly sizes: SetSizes;
  readonly onError: (error: unknown) => void;
  readonly reportSeconds?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Called when slots or tickets may have become free, so that other jobs may fit. */
  readonly onRoom: () => void;
  /** Queues a merged job's piece again that a dead worker had not begun. */
  readonly again: (job: Job) => void;
  /** Called when a worker has died while it ran a task with these arguments. */
  readonly onLost: (args: unknown) => void;
}

export class SharedPool {
  readonly queues: SharedQueues;
  readonly #host: SharedPoolHost;
  readonly #clock: Clock;
  readonly #memories: SharedMemories;
  readonly #owned: OwnedJobs;
  /** Jobs in slots that have not ended, by slot. */
  readonly #published = new Map<number, PublishedJob>();
  readonly #tickets: OrderTickets<Job>;
  readonly #workers = new Set<JoinedWorker>();
  readonly #modules = new Map<number, ModuleAddress>();
  readonly #counters: RangeCounters;
  /** Number of workers so far, by thread number. */
  readonly #incarnations = new Map<number, number>();
  /** Identity of the current worker in lock words, by thread number. */
  readonly #identities = new Map<number, number>();
  #resident: ResidentLoopSource | null = null;
  #watch: unknown;

  constructor(host: SharedPoolHost) {
    this.#host = host;
    this.#clock = host.clock ?? systemClock;
    this.queues = new SharedQueues(new TaskMemory({ ...DEFAULT_SHAPE, threads: totalOf(host.sizes) + 1 }), 0);
    this.#memories = new SharedMemories(0, (message) => this.#tellAll(message));
    this.#owned = new OwnedJobs(this.queues, this.#memories);
    this.#tickets = new OrderTickets(this.queues);
    this.#counters = new RangeCounters(this.queues.memory, (number) => {
      for (const { job } of this.#published.values()) if (job.ranges?.number === number) return true;
      return false;
    });
  }

  /** Number of the page's jobs that have not ended. Jobs whose orders workers have fetched are not counted. */
  get size(): number {
    return this.#owned.size + this.#tickets.size;
  }

  /** Returns the number of jobs in `size` that belong to one worker set. */
  sizeOf(set: WorkerSet): number {
    let size = 0;
    for (const { job } of this.#published.values()) if (job.target.set === set) size++;
    for (const job of this.#tickets.jobs) if (job.target.set === set) size++;
    return size;
  }

  /** Sends the shared memory to a worker that has started. */
  join(worker: JoinedWorker): void {
    const { shape, words } = this.queues.memory;
    const thread = worker.threadNumber;
    const incarnation = this.#incarnations.get(thread) ?? 0;
    this.#incarnations.set(thread, incarnation + 1);
    const identity = nextIdentity();
    this.#identities.set(thread, identity);
    const { buffer } = words;
    const { sizes } = this.#host;
    const order = QUEUE_ORDERS[worker.set];
    const events = worker.events?.buffer ?? null;
    worker.tell({ kind: 'join', buffer, shape, thread, identity, incarnation, order, sizes, events });
    for (const module of this.#modules.values()) worker.tell({ kind: 'module', ...module });
    this.tellMemories(worker);
    this.#workers.add(worker);
    this.#tellGrowing();
  }

  /** Sends all numbered memory, and the resident loop, to a worker that has joined or could not read a message. */
  tellMemories(worker: JoinedWorker): void {
    for (const memory of this.#memories.known()) worker.tell(memory);
    if (this.#resident) this.#tellResident(worker, this.#resident);
  }

  /**
   * Makes the workers that serve the high set take part in a loop of another thread.
   * @param source the loop; `null` ends the loop
   */
  reside(source: ResidentLoopSource | null): void {
    this.#resident = source;
    for (const worker of this.#workers) this.#tellResident(worker, source);
  }

  /** Forwards a message of the resident loop's thread to the workers that take part. */
  tellResidents(message: unknown): void {
    for (const worker of this.#workers)
      if (servesHigh(worker.set)) this.#send(worker, { kind: 'residentMessage', message });
  }

  #tellResident(worker: JoinedWorker, source: ResidentLoopSource | null): void {
    if (!servesHigh(worker.set)) return;
    worker.tell({ kind: 'resident', memory: source?.memory ?? null });
    for (const message of source?.messages() ?? []) worker.tell({ kind: 'residentMessage', message });
    this.announceMail(worker);
  }

  /** Removes a worker that has died or was ended. */
  leave(worker: JoinedWorker): void {
    if (!this.#workers.delete(worker)) return;
    this.#tellGrowing();
    countLost(this.queues, worker.threadNumber);
    this.queues.reap(worker.threadNumber);
    this.#poisonLocksOf(worker);
    this.collect();
  }

  /** Stores which sets may have more workers, so that workers can request them. */
  #tellGrowing(): void {
    let queues = 0;
    for (const [index, set] of WORKER_SETS.entries()) {
      const running = [...this.#workers].filter((worker) => worker.set === set).length;
      if (running >= this.#host.sizes[set]) continue;
      queues |= 3 << (2 * index);
      // Normal workers also run jobs of the high set.
      if (set === 'normal') queues |= 3;
    }
    this.queues.setGrowing(queues);
  }

  /** Poisons and reports the locks that a worker held when it ended. */
  #poisonLocksOf({ threadNumber, name }: JoinedWorker): void {
    const identity = this.#identities.get(threadNumber) ?? 0;
    const { memory } = this.queues;
    const find = (number: number): SharedArrayBuffer | undefined => this.#memories.find(number);
    for (const lock of poisonHeld(memory.words, memory.heldAt(threadNumber), identity, find)) {
      this.#host.onError(
        new StateError(
          'lock-poisoned',
          `${name} of the task system ended while it held ${lock}. The data that the lock protects may be half-written, and later attempts to lock it throw. Create the lock and its data again.`,
        ),
      );
    }
  }

  /** Publishes a job in a slot. Publishes a ticket instead if the job doesn't fit into a slot, or no slot is free. */
  publish(job: Job): Published {
    const { module, name, args, begin, end, ranges, target } = job;
    if ((ranges && ranges.number < 0) || job.ports.length > 0) return this.#offer(job);
    if (!this.#modules.has(module.number)) {
      const { number, url, names } = module;
      this.#modules.set(number, { number, url, names });
      this.#tellAll({ kind: 'module', number, url, names });
    }
    const queue = queueOf(target);
    const range = ranges
      ? {
          ...{ begin: 0, end: ranges.count, counter: ranges.number },
          batch: ranges.isRecursive ? -ranges.batch : ranges.batch,
        }
      : { begin, end, batch: 0, counter: 0 };
    const slot = this.#owned.publish(
      { module: module.number, task: module.names.indexOf(name), ...range, queue, args },
      (ended) => this.#onEnd(slot, job, ended),
    );
    if (slot < 0 && job.pieces) return slot === NO_ROOM ? 'later' : 'refused';
    if (slot < 0) return this.#offer(job);
    this.#published.set(slot, { job, since: null });
    const takeBack = (): boolean => {
      if (this.#published.get(slot)?.job !== job || !this.#owned.retract(slot)) return false;
      this.#drop(slot, job);
      return true;
    };
    const { memory } = this.queues;
    const isRunning = (): boolean => this.#owned.isRunning(slot);
    const isHere = (): boolean => this.#published.get(slot)?.job === job;
    if (job.pieces)
      watchPieces(job.pieces, { words: memory.words, at: bitsAt(memory, slot), isHere, isRunning });
    else {
      const skip = (): void => job.onDone(null);
      job.future.watch(job, { isRunning, retract: () => void takeBack(), takeBack, skip });
    }
    this.queues.wakeOne(queue);
    this.#watch ??= this.#startWatch();
    return 'published';
  }

  /** Queues a ticket. The job's order is sent by message to the worker that claims the ticket. */
  #offer(job: Job): Published {
    const ticket = this.#tickets.offer(job, queueOf(job.target));
    if (typeof ticket === 'string') return ticket;
    const takeBack = (): boolean => {
      if (!this.#tickets.withdraw(ticket, job)) return false;
      this.#host.onRoom();
      return true;
    };
    job.future.watch(job, {
      isRunning: () => false,
      retract: () => void takeBack(),
      takeBack,
      skip: () => job.onDone(null),
    });
    return 'published';
  }

  /** Takes the job of a ticket that a worker has claimed. @returns undefined if the job need not run any more */
  fetch(ticket: number): Job | undefined {
    const job = this.#tickets.take(ticket);
    return job?.isOver ? undefined : job;
  }

  collect(): void {
    this.#owned.collect();
    this.queues.enterAgain();
    this.#host.onRoom();
  }

  /** Handles the outcome of a job of the page, or forwards the outcome of a job of another worker. */
  hearOutcome(message: OutcomeMessage): void {
    const owner = this.queues.memory.ownerOf(message.slot);
    if (owner === 0) this.#owned.hear(message);
    else this.#tell(owner, message);
  }

  /** Removes a task that was started by message from the worker's counts. From now on the page counts it. */
  hearStart(worker: JoinedWorker): void {
    if (this.#workers.has(worker)) new StartedCounts(this.queues.memory, worker.threadNumber).endSlotless();
  }

  hearMemory(from: JoinedWorker, message: MemoryMessage): void {
    this.#memories.hear(message);
    for (const worker of this.#workers) if (worker !== from) this.#send(worker, message);
    this.#owned.readAgain();
  }

  /** Returns the name of the task that the worker with this number has called last, if it still runs. */
  taskAt(threadNumber: number): string | undefined {
    const { memory } = this.queues;
    const slot = this.queues.latestOf(threadNumber);
    if (slot < 0) return undefined;
    const name = this.#published.get(slot)?.job.future.name;
    if (name !== undefined) return name;
    // Another task has started this task, and the worker of that task has filled the slot.
    const at = memory.slotAt(slot);
    const module = this.#modules.get(memory.words[at + Slot.module] as number);
    const task = module?.names[memory.words[at + Slot.task] as number];
    return module && task && `"${task}" of ${module.url}`;
  }

  setProgress(slot: number, fraction: number): void {
    this.#published.get(slot)?.job.future.setProgress(fraction);
  }

  /** Returns a counter for a `parallelFor`, until its future has settled. */
  counterFor(future: TaskFuture<unknown>): Pick<JobRanges, 'counter' | 'number'> {
    return this.#counters.take(future);
  }

  #drop(slot: number, { ranges }: Job): void {
    this.#published.delete(slot);
    if (ranges) this.#counters.giveBack(ranges.number);
  }

  /** Takes back all jobs that no worker has begun, to run them in another way. */
  takeBack(): Job[] {
    const jobs: Job[] = [];
    for (const [slot, { job }] of this.#published) {
      if (!this.#owned.retract(slot)) continue;
      this.#drop(slot, job);
      jobs.push(...(job.pieces ?? [job]));
    }
    jobs.push(...this.#tickets.takeBack());
    return jobs;
  }

  announceMail(worker: JoinedWorker): void {
    if (this.#workers.has(worker)) this.queues.announceMail(worker.threadNumber);
  }

  dispose(): void {
    this.queues.shutDown();
    this.#clock.clear(this.#watch);
    this.#published.clear();
    this.#workers.clear();
  }

  #onEnd(slot: number, job: Job, end: JobEnd): void {
    this.#drop(slot, job);
    if (end.kind === 'done') {
      job.onDone(end.value, end.milliseconds);
      return;
    }
    const { pieces } = job;
    const { memory } = this.queues;
    for (const [index, each] of (pieces ?? [job]).entries()) {
      if (end.kind === 'failed') each.future.fail(thrownBy(end));
      // A piece that the dead worker had not begun runs on another worker.
      else if (pieces && claimPiece(memory.words, bitsAt(memory, slot), index)) this.#host.again(each);
      else {
        this.#host.onLost(each.args);
        each.future.fail(workerDied(end.thread, each.future));
      }
    }
  }

  /** Checks at intervals for slow tasks, as long as any jobs are published. */
  #startWatch(): unknown {
    const { reportSeconds = 5, onError } = this.#host;
    const look = (): void => {
      // Workers may have removed stale entries from full queues. No ended job reports that.
      this.queues.enterAgain();
      const now = this.#clock.now();
      for (const [slot, published] of this.#published) {
        const { job } = published;
        if (job.future.isReportedSlow || !this.#owned.isRunning(slot)) continue;
        published.since ??= now;
        if (now - published.since < reportSeconds * 1000) continue;
        reportSlow(job.future, reportSeconds, `Worker ${runnerOf(this.queues.state(slot))}`, onError);
      }
      this.#watch = this.#published.size > 0 ? this.#startWatch() : undefined;
    };
    return this.#clock.set(look, reportSeconds * 250);
  }

  #tellAll(notice: TaskNotice): void {
    for (const worker of this.#workers) this.#send(worker, notice);
  }

  #tell(threadNumber: number, notice: TaskNotice): void {
    for (const worker of this.#workers) if (worker.threadNumber === threadNumber) this.#send(worker, notice);
  }

  #send(worker: JoinedWorker, notice: TaskNotice): void {
    worker.tell(notice);
    this.announceMail(worker);
  }
}

const workerDied = (thread: number, { name }: TaskFuture<unknown>): ThreadError =>
  new ThreadError(
    'task-worker-died',
    `Worker ${thread} of the task system died while it ran the task ${name}. Queued tasks run on other workers; memory that this worker was writing may be half-written.`,
    { details: { thread: `Worker ${thread}`, task: name } },
  );
