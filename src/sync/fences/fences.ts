/**
 * The fences of one thread, which belongs to a group of threads that share fences (SYSTEMS F1–F9, F11). In shared
 * memory every thread reads and writes the same cells. By messages a thread has a replica of the memory, and a proxy
 * on the thread that invited it.
 *
 *   main  createFences() ─ invite() ─► worker  joinFences(invitation)        same memory, or a port
 *         create('done') ─ share() ──►         open(descriptor)
 */
import { errorToData, type FencepostError, StateError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { anything, optional } from '../../core/options/members.js';
import { shownValue } from '../../core/options/shown-value.js';
import { canShareFences, systemEnvironment } from './fence-environment.js';
import { FenceHandles } from './fence-handles.js';
import { evictThread, inviteThread } from './fence-invitations.js';
import { createFenceBuffer, FenceMemory, LOG_REGIONS, LogKind } from './fence-memory.js';
import {
  badOption,
  checkAdoption,
  checkCount,
  checkJoining,
  checkPoints,
  checkSignallable,
  FENCES_OPTIONS,
  type FenceCounts,
  type FenceInvitation,
  type FenceOptions,
  type FencesOptions,
  type InviteOptions,
  type JoinOptions,
  tooManyThreads,
  type WaitOptions,
} from './fence-options.js';
import { FENCE_QUEUE_OPTIONS, FenceQueue, type FenceQueueOptions } from './fence-queue.js';
import { FenceThread, type Membership } from './fence-thread.js';
import type { LocalFence } from './local-fence.js';
import { FenceLogReader, logCapacity, orderLog } from './logs/fence-log.js';
import type { FenceDescriptor, FenceOwner, FencePoint, MonitoredFence } from './monitored-fence.js';
import { joinPlain, type PlainFence } from './plain-fences.js';
import { ThreadWaits } from './thread-waits.js';

/** Options of `openQueue`. `connectFences` passes its own options, which include a name. */
const OPEN_QUEUE_OPTIONS = { ...FENCE_QUEUE_OPTIONS, name: optional(anything()) };

/**
 * Begins a group of fences.
 * @throws OptionError `bad-fence-option`, `option-unknown`, `option-invalid`
 */
export function createFences(options: FencesOptions = {}): Fences {
  checkOptions('createFences', options, FENCES_OPTIONS);
  const { capacity = 64, queues = 4, shared = canShareFences(), namesQueues = false } = options;
  const environment = options.environment ?? systemEnvironment;
  const buffer = createFenceBuffer({ capacity, queues }, shared);
  const memory = new FenceMemory(buffer, environment.atomics);
  memory.namesQueues = namesQueues;
  const group = Math.random().toString(36).slice(2);
  return new Fences({ group, memory, thread: memory.claimThread(), uplink: null, queue: -1 }, options);
}

/**
 * Joins the group that another thread has begun.
 * @throws OptionError `bad-fence-option`, `option-unknown`, `option-invalid`; StateError `too-many-fence-threads`
 */
export function joinFences(invitation: FenceInvitation, options: JoinOptions = {}): Fences {
  checkJoining(invitation, options);
  const { group, port, thread = -1, generation = 0, queue = -1, capacity = 0, queueCount = 0 } = invitation;
  const { atomics } = options.environment ?? systemEnvironment;
  const isReplica = port !== undefined;
  const buffer = invitation.memory ?? createFenceBuffer({ capacity, queues: queueCount }, false);
  const memory = new FenceMemory(buffer, atomics);
  // The first thread that joins gets the invitation's number; further threads claim numbers of their own.
  const isGiven = isReplica || (thread >= 0 && memory.join(thread, generation));
  const number = isGiven ? thread : memory.claimThread();
  if (number < 0) throw tooManyThreads();
  return new Fences({ group, memory, thread: number, uplink: port ?? null, queue }, options);
}

export class Fences implements FenceOwner {
  /** @internal */
  readonly core: FenceThread;
  readonly #group: string;
  readonly #waits: ThreadWaits;
  readonly #handles: FenceHandles;
  readonly #queues = new Set<FenceQueue>();
  #reservedQueue: number;

  /** @internal */
  constructor(membership: Membership, options: JoinOptions) {
    const { name = 'this thread', environment = systemEnvironment, onError = console.error } = options;
    this.core = new FenceThread(membership, name, environment, onError);
    this.#group = membership.group;
    this.#handles = new FenceHandles(this.core, membership.group, this);
    this.#waits = new ThreadWaits(this.core, {
      pendingOf: (fence) => this.#handles.pendingOf(fence),
      hasQueue: () => this.#queues.size > 0,
      mayBlock: options.mayBlock ?? false,
    });
    this.#reservedQueue = membership.queue;
    this.core.onFatal = (error) => {
      this.#handles.endWaits(error);
      for (const queue of this.#queues) queue.fail(error);
      onError(error);
    };
  }

  get name(): string {
    return this.core.name;
  }

  /** Counts of fence events on this thread. */
  get counts(): Readonly<FenceCounts> {
    return this.core.counts;
  }

  /** The error that ended this thread's part in the group, or `null`. */
  get error(): FencepostError | null {
    return this.core.error;
  }

  get mustPoll(): boolean {
    return this.core.uplink !== null;
  }

  /**
   * Whether tracing is on. While it is, full logs grow up to their largest size instead of overwriting old entries
   * (SYSTEMS F9), and queues also log the CPU's requests. Applies to all queues with logs in this thread's memory,
   * and to threads that this thread has invited by messages.
   */
  get isTracing(): boolean {
    return this.core.memory.isTracing;
  }

  set isTracing(isTracing: boolean) {
    this.core.trace(isTracing);
  }

  /**
   * Creates a fence.
   * @throws OptionError `bad-fence-option`, `option-unknown`, `option-invalid`; StateError `fence-memory-full`,
   * `fence-create-elsewhere`, `bad-fence-value`
   */
  create(name: string, options: FenceOptions = {}): MonitoredFence {
    return this.#handles.create(name, options);
  }

  /**
   * Creates a fence to share, on any thread. If this thread takes part by messages, the thread that invited it
   * creates the fence in its memory.
   * @throws (rejects) as `create`; ThreadError `message-lost` if the answer may have been lost
   */
  createShared(name: string, options: FenceOptions = {}): Promise<MonitoredFence> {
    return this.#handles.createShared(name, options);
  }

  /**
   * Returns this thread's own handle to a fence that another thread shares.
   * @throws OptionError `bad-fence-option`, `fence-of-another-group`; StateError `fence-gone`: all other handles were
   * closed before. On a thread that takes part by messages, the opened fence may fail with `fence-gone` later
   */
  open(descriptor: FenceDescriptor): MonitoredFence {
    return this.#handles.open(descriptor);
  }

  /**
   * Invites another thread to the group.
   * @returns `invitation`, to post to the thread, and `transfer`, the transfer list for that post
   * @throws OptionError `bad-fence-option`, `option-unknown`, `option-invalid`; StateError `too-many-fence-threads`,
   * `fence-create-elsewhere` on a thread that takes part by messages, or by `memory` without shared memory
   */
  invite(options: InviteOptions = {}): { invitation: FenceInvitation; transfer: Transferable[] } {
    this.core.checkUsable();
    return inviteThread(this.core, this.#group, options);
  }

  /**
   * Removes a terminated thread that could not leave by itself: frees its number in the group, its handles and queues.
   * Does nothing if the thread has left. Fail the fences that only the removed thread would have signalled, because
   * their waits would never end. Call this only after the thread has ended.
   * @param invitation the invitation that the thread joined with, as `invite` returned it
   * @throws OptionError `bad-fence-option`, `fence-of-another-group`; StateError `fence-evict-elsewhere`
   */
  evict(invitation: FenceInvitation): void {
    this.core.checkUsable();
    evictThread(this.core, this.#group, invitation);
  }

  /**
   * Opens a queue that signals fences and waits for them. This thread can't block while it has a queue.
   * @throws OptionError `option-unknown`, `option-invalid`; StateError `too-many-fence-queues`
   */
  openQueue(name: string, options: FenceQueueOptions = {}): FenceQueue {
    this.core.checkUsable();
    checkOptions('openQueue()', options, OPEN_QUEUE_OPTIONS);
    const number = this.core.uplink ? this.#reservedQueue : this.core.memory.claimQueue(this.core.thread);
    this.#reservedQueue = -1;
    if (number < 0) {
      throw new StateError(
        'too-many-fence-queues',
        `The queue "${name}" can't be opened on ${this.name}: no queue is left for this thread. Close one, or create the group with more queues.`,
      );
    }
    const queue = new FenceQueue(this, number, name, options);
    this.#queues.add(queue);
    return queue;
  }

  /**
   * Signals several fences: raises all values, then sends one notification per thread that names them all (SYSTEMS
   * F7).
   * @throws OptionError `bad-fence-option`, `fence-of-another-group`; StateError `bad-fence-value`, `fence-closed`,
   * `fence-of-queue`, `fence-out-of-range`
   */
  signal(points: readonly FencePoint[]): void {
    checkPoints(points);
    this.core.signalCells(
      points.map(({ fence, value }) => {
        this.#handles.pendingOf(fence);
        checkSignallable(fence);
        return fence.local.signalOf(value);
      }),
    );
  }

  /**
   * Wakes all waiters for values that the fences have reached, on all threads, without signalling again (SYSTEMS
   * F12). `signal` does this already. Call `wake` when a notification may be missing, because the signalling thread
   * was terminated after it raised the value.
   * @param fences default: all fences that are open on this thread
   * @throws StateError `fence-closed`; OptionError `fence-of-another-group`
   */
  wake(fences?: readonly MonitoredFence[]): void {
    for (const fence of fences ?? []) this.#handles.pendingOf(fence);
    const locals = fences?.map(({ local }) => local) ?? [...this.core.locals.values()];
    const indices = locals.map(({ index }) => index).filter((index) => index >= 0);
    this.core.post({ kind: 'wake', indices });
    this.core.wake(indices);
    for (const local of locals) local.check();
  }

  /**
   * Creates a fence of the group that follows a plain fence of this thread, such as `rhi.completed` (SYSTEMS
   * F12). Other threads can open the new fence. Closing this thread's last handle to it ends the connection; the
   * plain fence stays usable.
   * @param options `isMutual`, default false: the plain fence follows signals of the returned fence as well. Then
   * only this thread may signal the plain fence
   * @throws as `create`
   */
  adopt(plain: PlainFence, options: { readonly isMutual?: boolean } = {}): MonitoredFence {
    checkAdoption(options);
    const fence = this.create(plain.name, { initialValue: plain.value });
    joinPlain(this.core, fence, plain, options.isMutual ?? false);
    return fence;
  }

  /** Resolves when all points are reached. @throws (rejects) as `MonitoredFence.whenReached` */
  async whenAll(points: readonly FencePoint[], options: WaitOptions = {}): Promise<void> {
    await this.#waits.when(points, 'all', options);
  }

  /**
   * Resolves with the index of the point that was reached first.
   * @throws (rejects) as `MonitoredFence.whenReached`; OptionError `no-fences` for an empty list
   */
  whenAny(points: readonly FencePoint[], options: WaitOptions = {}): Promise<number> {
    return this.#waits.when(points, 'any', options);
  }

  /** Blocks until all points are reached. @throws as `MonitoredFence.block` */
  blockUntilAll(points: readonly FencePoint[], options: WaitOptions = {}): void {
    this.#waits.block(points, 'all', options);
  }

  /**
   * Blocks until one of the points is reached, and returns its index.
   * @throws as `MonitoredFence.block`; OptionError `no-fences` for an empty list
   */
  blockUntilAny(points: readonly FencePoint[], options: WaitOptions = {}): number {
    return this.#waits.block(points, 'any', options);
  }

  /**
   * Returns a reader of a queue's log. A thread with the memory can read the logs of all queues. A thread that takes
   * part by messages can read only the logs of its own queue.
   * @param queue the queue's number, `FenceQueue.index`
   * @throws OptionError `bad-fence-option` for an unknown queue or log
   */
  readLog(queue: number, kind: 'waits' | 'signals', from: 'start' | 'now' = 'start'): FenceLogReader {
    checkCount('queue', queue, 0, this.core.memory.queueCount - 1);
    if (kind !== 'waits' && kind !== 'signals')
      throw badOption(`The log that readLog() was given is ${shownValue(kind)}, not "waits" or "signals"`);
    return new FenceLogReader(this.core.memory, queue, LogKind[kind], from);
  }

  /**
   * Sets the size of a queue's logs, while the queue runs (SYSTEMS F13). A larger log keeps its entries. A smaller log
   * starts empty, and so does a log created after `null`. A queue without logs records nothing. A notification that
   * names such a queue makes receivers check all their fences.
   * @param queue the queue's number, `FenceQueue.index`
   * @param entries least number of entries, 1 to 2046; `null` destroys the logs
   * @throws OptionError `bad-fence-option`; StateError `fence-log-elsewhere` on a thread that takes part by messages
   */
  setLogs(queue: number, entries: number | null): void {
    const { memory, uplink, name } = this.core;
    checkCount('queue', queue, 0, memory.queueCount - 1);
    if (entries !== null) checkCount('entries', entries, 1, logCapacity(LOG_REGIONS - 1));
    if (uplink) {
      throw new StateError(
        'fence-log-elsewhere',
        `Logs can't be set by ${name}, which does not share the memory of the group. Set them on a thread that has the memory.`,
      );
    }
    for (const kind of Object.values(LogKind)) orderLog(memory, queue, kind, entries);
  }

  /**
   * Resolves when the logs in memory contain everything that queues have done so far (SYSTEMS F13). This
   * covers the queues of this thread, of threads that share the memory, and of threads that this thread has
   * invited by messages.
   */
  async flushLogs(): Promise<void> {
    await this.core.flushLogs();
  }

  /** Checks every fence of this thread and releases satisfied waiters, as after a log has lost entries. */
  scan(): void {
    this.core.scan();
  }

  /** @internal */
  listen(): void {
    this.core.listen();
  }

  /** Closes all handles and queues and leaves the group. */
  dispose(): void {
    for (const queue of [...this.#queues]) queue.close();
    this.#handles.closeAll();
    for (const proxy of this.core.proxies.values()) proxy.close();
    if (this.core.uplink) {
      this.core.post({ kind: 'leave' });
      this.core.uplink.close();
    } else if (this.core.error === null) {
      this.core.memory.releaseThread(this.core.thread);
    }
    this.core.error ??= new StateError(
      'fences-disposed',
      `The fences of ${this.name} were disposed of. Join the group again.`,
    );
    this.core.requests.end(null);
  }

  /** @internal */
  describe(local: LocalFence): FenceDescriptor {
    return this.#handles.describe(local);
  }

  /** @internal */
  closeHandle(handle: MonitoredFence): void {
    this.#handles.close(handle);
  }

  /** @internal */
  fail(local: LocalFence, error: Error): void {
    if (!local.fail(error)) return;
    if (local.index >= 0) {
      if (this.core.uplink)
        this.core.post({ kind: 'fail', index: local.index, error: errorToData(local.failure) });
      this.core.notifyFailure(local.index);
    }
    local.check();
  }

  /** @internal */
  queueClosed(queue: FenceQueue): void {
    this.#queues.delete(queue);
    if (this.core.uplink === null) this.core.memory.releaseQueue(queue.index);
  }
}
