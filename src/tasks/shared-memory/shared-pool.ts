/**
 * The page's side of the memory that it shares with the pool: jobs of futures go to slots, and their ends come back.
 *
 *   JobRunner ─ publish ─► OwnedJobs ─► slots and queues ─► workers
 *       ▲                                                     │
 *       └─ onEnd ◄─ collect ◄─ message "ended" (one for many) ┘
 */
import { StateError, ThreadError } from '../../core/errors.js';
import type { EventRing } from '../../core/events/event-ring.js';
import { type Clock, systemClock } from '../../sync/deadline.js';
import { nextIdentity, poisonHeld } from '../blocking/poison-held.js';
import { thrownBy } from '../failure.js';
import type { TaskFuture } from '../futures/task-future.js';
import type { Job, JobRanges } from '../job.js';
import { tellSlow } from '../task-errors.js';
import type { JobEnd, MemoryMessage, OutcomeMessage, TaskNotice } from '../task-messages.js';
import { QUEUE_ORDERS, queueOf, type SetSizes, totalOf, WORKER_SETS, type WorkerSet } from '../task-sets.js';
import type { ModuleAddress } from '../worker-modules.js';
import { OrderTickets } from './order-tickets.js';
import { OwnedJobs } from './owned-jobs.js';
import { RangeCounters } from './range-counters.js';
import { SharedMemories } from './shared-memories.js';
import { Phase, phaseOf, runnerOf, SharedQueues } from './shared-queues.js';
import { isStarted, StartedCounts } from './started-counts.js';
import { DEFAULT_SHAPE, TaskMemory } from './task-memory.js';

/** `later`: when there is room; `refused`: there may never be. */
type Published = 'published' | 'later' | 'refused';

/** A worker that shares this memory, as the page sees it. */
interface JoinedWorker {
  readonly name: string;
  /** Its number among the threads that share memory, from 1 on. */
  readonly threadNumber: number;
  readonly set: WorkerSet;
  /** The ring that it writes its events into; null: nobody looks at them. */
  readonly events: EventRing | null;
  tell(notice: TaskNotice): void;
}

interface Under {
  readonly job: Job;
  /** When it was first seen to run; null: not yet. Milliseconds. */
  since: number | null;
}

interface SharedPoolHost {
  readonly sizes: SetSizes;
  readonly onError: (error: unknown) => void;
  readonly reportSeconds?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Some have ended: there may be room for others. */
  readonly onRoom: () => void;
  /** A worker has died in the middle of a task with these arguments. */
  readonly onLost: (args: unknown) => void;
}

export class SharedPool {
  readonly queues: SharedQueues;
  readonly #host: SharedPoolHost;
  readonly #clock: Clock;
  readonly #memories: SharedMemories;
  readonly #owned: OwnedJobs;
  readonly #under = new Map<number, Under>();
  readonly #tickets: OrderTickets<Job>;
  readonly #workers = new Set<JoinedWorker>();
  readonly #modules = new Map<number, ModuleAddress>();
  readonly #counters: RangeCounters;
  /** Of workers, by number: how many have been there, and who holds locks in the name of which number. */
  readonly #incarnations = new Map<number, number>();
  readonly #identities = new Map<number, number>();
  #watch: unknown;

  constructor(host: SharedPoolHost) {
    this.#host = host;
    this.#clock = host.clock ?? systemClock;
    this.queues = new SharedQueues(new TaskMemory({ ...DEFAULT_SHAPE, threads: totalOf(host.sizes) + 1 }), 0);
    this.#memories = new SharedMemories(0, (message) => this.#tellAll(message));
    this.#owned = new OwnedJobs(this.queues, this.#memories);
    this.#tickets = new OrderTickets(this.queues);
    this.#counters = new RangeCounters(this.queues.memory, (number) => {
      for (const { job } of this.#under.values()) if (job.ranges?.number === number) return true;
      return false;
    });
  }

  /** Jobs of the page that have not ended, without those whose orders workers have fetched. */
  get size(): number {
    return this.#owned.size + this.#tickets.size;
  }

  /** The same, of one set. */
  sizeOf(set: WorkerSet): number {
    let size = 0;
    for (const { job } of this.#under.values()) if (job.target.set === set) size++;
    for (const job of this.#tickets.jobs) if (job.target.set === set) size++;
    return size;
  }

  /** A worker has started. */
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

  /** Sends what the worker does not know yet, or could not read. */
  tellMemories(worker: JoinedWorker): void {
    for (const memory of this.#memories.known()) worker.tell(memory);
  }

  /** A worker is gone: it has died, or was ended when there was nothing to do. */
  leave(worker: JoinedWorker): void {
    if (!this.#workers.delete(worker)) return;
    this.#tellGrowing();
    this.#countLost(worker.threadNumber);
    this.queues.reap(worker.threadNumber);
    this.#poisonLocksOf(worker);
    this.collect();
  }

  /** What tasks have started, and a dead worker was running, has failed. */
  #countLost(threadNumber: number): void {
    const { memory } = this.queues;
    new StartedCounts(memory, threadNumber).loseSlotless();
    const counts = new StartedCounts(memory, 0);
    for (let slot = memory.firstSlotOf(1); slot < memory.firstSlotOf(memory.shape.threads); slot++) {
      const state = this.queues.state(slot);
      const isLost = phaseOf(state) === Phase.running && runnerOf(state) === threadNumber;
      if (isLost && isStarted(memory, slot)) counts.end(false);
    }
  }

  /** Workers may ask for more of sets that are not complete. */
  #tellGrowing(): void {
    let queues = 0;
    for (const [index, set] of WORKER_SETS.entries()) {
      const running = [...this.#workers].filter((worker) => worker.set === set).length;
      if (running >= this.#host.sizes[set]) continue;
      queues |= 3 << (2 * index);
      // Normal workers help the high ones.
      if (set === 'normal') queues |= 3;
    }
    this.queues.setGrowing(queues);
  }

  /** What a worker held when it ended is poisoned, and reported. */
  #poisonLocksOf({ threadNumber, name }: JoinedWorker): void {
    const identity = this.#identities.get(threadNumber) ?? 0;
    const { memory } = this.queues;
    const find = (number: number): SharedArrayBuffer | undefined => this.#memories.find(number);
    for (const lock of poisonHeld(memory.words, memory.heldAt(threadNumber), identity, find)) {
      this.#host.onError(
        new StateError(
          'lock-poisoned',
          `${name} of the task system ended while it had ${lock}. What that protects may be half-written; whoever asks for the lock is refused. Make it anew.`,
        ),
      );
    }
  }

  /** Into a slot, or with a ticket where it finds none. */
  publish(job: Job): Published {
    const { module, name, args, begin, end, ranges, target, future } = job;
    if (ranges && ranges.number < 0) return this.#offer(job);
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
    if (slot < 0) return this.#offer(job);
    this.#under.set(slot, { job, since: null });
    future.watch(
      () => this.#owned.isRunning(slot),
      () => {
        if (this.#under.get(slot)?.job === job && this.#owned.retract(slot)) this.#drop(slot, job);
      },
    );
    this.queues.wakeOne(queue);
    this.#watch ??= this.#startWatch();
    return 'published';
  }

  /** Its order goes by message to a worker that fetches it. */
  #offer(job: Job): Published {
    const ticket = this.#tickets.offer(job, queueOf(job.target));
    if (typeof ticket === 'string') return ticket;
    job.future.watch(
      () => false,
      () => {
        if (this.#tickets.withdraw(ticket, job)) this.#host.onRoom();
      },
    );
    return 'published';
  }

  /** A worker has claimed this ticket. @returns undefined: nobody wants the job any more */
  fetch(ticket: number): Job | undefined {
    const job = this.#tickets.take(ticket);
    return job?.isOver ? undefined : job;
  }

  collect(): void {
    this.#owned.collect();
    this.queues.enterAgain();
    this.#host.onRoom();
  }

  /** Of a worker: for this thread or for another one's jobs. */
  hearOutcome(message: OutcomeMessage): void {
    const owner = this.queues.memory.ownerOf(message.slot);
    if (owner === 0) this.#owned.hear(message);
    else this.#tell(owner, message);
  }

  /** A task of this worker has started one by message: from now on the page counts it. */
  hearStart(worker: JoinedWorker): void {
    if (this.#workers.has(worker)) new StartedCounts(this.queues.memory, worker.threadNumber).endSlotless();
  }

  hearMemory(from: JoinedWorker, message: MemoryMessage): void {
    this.#memories.hear(message);
    for (const worker of this.#workers) if (worker !== from) this.#send(worker, message);
    this.#owned.readAgain();
  }

  /** The page's task that the worker of this number runs. */
  taskAt(threadNumber: number): string | undefined {
    for (const [slot, { job }] of this.#under) {
      if (this.#owned.isRunning(slot) && runnerOf(this.queues.state(slot)) === threadNumber)
        return job.future.name;
    }
    return undefined;
  }

  setProgress(slot: number, fraction: number): void {
    this.#under.get(slot)?.job.future.setProgress(fraction);
  }

  /** A counter for a `parallelFor`, until its future has settled. */
  counterFor(future: TaskFuture<unknown>): Pick<JobRanges, 'counter' | 'number'> {
    return this.#counters.take(future);
  }

  #drop(slot: number, { ranges }: Job): void {
    this.#under.delete(slot);
    if (ranges) this.#counters.giveBack(ranges.number);
  }

  /** All jobs that nobody has begun, for another way of running them. */
  takeBack(): Job[] {
    const jobs: Job[] = [];
    for (const [slot, { job }] of this.#under) {
      if (!this.#owned.retract(slot)) continue;
      this.#drop(slot, job);
      jobs.push(job);
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
    this.#under.clear();
    this.#workers.clear();
  }

  #onEnd(slot: number, job: Job, end: JobEnd): void {
    this.#drop(slot, job);
    const { future, onDone } = job;
    if (end.kind === 'done') onDone(end.value);
    else if (end.kind === 'failed') future.fail(thrownBy(end));
    else {
      this.#host.onLost(job.args);
      future.fail(
        new ThreadError(
          'task-worker-died',
          `Worker ${end.thread} of the task system died while it ran the task ${future.name}. Tasks that were queued go on in others; what this one was writing is not to be trusted.`,
        ),
      );
    }
  }

  /** Looks from time to time which tasks take long, as long as any are under way. */
  #startWatch(): unknown {
    const { reportSeconds = 5, onError } = this.#host;
    const look = (): void => {
      // Room that only entries left which claimed nothing: no end tells of it.
      this.queues.enterAgain();
      const now = this.#clock.now();
      for (const [slot, under] of this.#under) {
        if (under.job.future.isToldSlow || !this.#owned.isRunning(slot)) continue;
        under.since ??= now;
        if (now - under.since < reportSeconds * 1000) continue;
        tellSlow(under.job.future, reportSeconds, `Worker ${runnerOf(this.queues.state(slot))}`, onError);
      }
      this.#watch = this.#under.size > 0 ? this.#startWatch() : undefined;
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
