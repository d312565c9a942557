/**
 * A thread's part in a group of fences (SYSTEMS F5, F7, F11). It raises values and notifies other threads. It also
 * receives notifications and checks its fences. `Fences` keeps the handles and their waits.
 *
 *   signal    raise the value ─ log it ─ find slots that monitor less ─ name the fence in their mailboxes ─ ring
 *   on ring   take the names ─ check those fences ─ release waiters, update the monitored value, read again
 */

import { type FencepostError, StateError, type ThreadError } from '../../core/errors.js';
import type { PortLike } from '../../core/streams/carrier.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import { FenceCell } from './cells/fence-cell.js';
import type { FenceEnvironment } from './fence-environment.js';
import { FenceMailbox, FenceReceiver, type Notification } from './fence-mailbox.js';
import { CELL_BYTES, type FenceMemory, LogKind, MAXIMUM_THREADS, SLOTS } from './fence-memory.js';
import type { FenceProxy, FromGroup, ToGroup } from './fence-messages.js';
import { type FenceCounts, fenceGone } from './fence-options.js';
import { GroupRequests } from './group-requests.js';
import type { CellSignal, LocalFence } from './local-fence.js';
import { FenceLogReader } from './logs/fence-log.js';
import type { PlainFence } from './plain-fences.js';
import { endsOfBatches } from './signal-batches.js';

export interface Membership {
  readonly group: string;
  readonly memory: FenceMemory;
  readonly thread: number;
  readonly uplink: PortLike | null;
  /** The queue number that came with the invitation; −1 if the thread claims a queue itself. */
  readonly queue: number;
}

export class FenceThread {
  readonly name: string;
  readonly memory: FenceMemory;
  /** The thread's number in the group. */
  readonly thread: number;
  /** The port to this thread's proxy; `null` if this thread has the memory. */
  readonly uplink: PortLike | null;
  readonly environment: FenceEnvironment;
  readonly counts: FenceCounts = { notifications: 0, scans: 0, named: 0, rings: 0 };
  /** Fences that are open on this thread, by index. */
  readonly locals = new Map<number, LocalFence>();
  /** Indices of fences that this thread has closed; notifications that name them may still arrive. */
  readonly closedHere = new Set<number>();
  /** Plain fences of this thread that fences of the group follow; a scan checks them as well. */
  readonly plains = new Set<PlainFence>();
  /** Proxies of threads that take part by messages, by thread number. */
  readonly proxies = new Map<number, FenceProxy>();
  /** The error that ended this thread's part in the group, or `null`. */
  error: FencepostError | null = null;
  onFatal: (error: FencepostError) => void = () => {};
  /** Called when a message of the group, to or from this thread, was lost: the browser could not read it. */
  readonly onLoss: (error: ThreadError) => void;
  readonly #receiver: FenceReceiver;
  /** Copies of other threads' fences that have not received a value yet. */
  readonly #uncopied = new Map<LocalFence, { readonly copied: Promise<void>; resolve(): void }>();
  readonly #mailboxes: FenceMailbox[] = [];
  readonly #cells: FenceCell[] = [];
  readonly #logReaders: FenceLogReader[] = [];
  /** This thread's pending requests to its proxy. */
  readonly requests = new GroupRequests();

  constructor(
    { memory, thread, uplink }: Membership,
    name: string,
    environment: FenceEnvironment,
    onLoss: (error: ThreadError) => void,
  ) {
    this.name = name;
    this.memory = memory;
    this.thread = thread;
    this.uplink = uplink;
    this.environment = environment;
    this.onLoss = onLoss;
    this.#receiver = new FenceReceiver(memory, this.mailbox(thread));
    if (memory.namesQueues) {
      for (let queue = 0; queue < memory.queueCount; queue++) {
        this.#logReaders.push(new FenceLogReader(memory, queue, LogKind.signals, 'now'));
      }
    }
    if (!uplink) return;
    uplink.onmessage = ({ data }: MessageEvent<FromGroup>) => this.#receive(data);
    const ask = (error: ThreadError): void => {
      this.requests.end(error);
      this.post({ kind: 'lost' });
      onLoss(error);
    };
    hearLosses(
      uplink,
      `fences of ${name}`,
      ask,
      'Values were requested again; pending createShared() calls fail.',
    );
  }

  /** @throws FencepostError the error that ended this thread's part in the group */
  checkUsable(): void {
    if (this.error) throw this.error;
  }

  /** Posts to this thread's proxy; does nothing if this thread has the memory. */
  post(message: ToGroup): void {
    this.uplink?.postMessage(message);
  }

  /** Registers a copy of another thread's fence. It begins with the value that the fence had when it was shared. */
  openCopy(local: LocalFence): void {
    let resolve = (): void => {};
    const copied = new Promise<void>((done) => {
      resolve = done;
    });
    this.#uncopied.set(local, { copied, resolve });
  }

  /** Resolves when the copy has the value that the fence had at its opening, or a later one, or the fence is gone. */
  async whenCopied(local: LocalFence): Promise<void> {
    await this.#uncopied.get(local)?.copied;
  }

  /** Blocks until another thread rings this thread's mailbox, or until `milliseconds` have passed. */
  sleep(milliseconds: number): void {
    this.#receiver.sleep(milliseconds);
  }

  /** Returns the cell of the fence with this number in the group. */
  cell(index: number): FenceCell {
    this.#cells[index] ??= new FenceCell(this.memory, this.memory.cellOffset(index), SLOTS, CELL_BYTES);
    return this.#cells[index];
  }

  /** Creates a fence in the memory. @returns the fence's number; −1 if the memory is full */
  createCell(name: string, value: bigint, flags: number): number {
    for (let index = 0; index < this.memory.capacity; index++) {
      if (!this.cell(index).create(value, flags)) continue;
      this.memory.nameFence(index, name);
      return index;
    }
    return -1;
  }

  /** Requests a new fence from the thread that invited this thread. The index is −1 if the memory is full. */
  askToCreate(name: string, value: bigint, flags: number): ReturnType<GroupRequests['create']> {
    return this.requests.create((request) => this.post({ kind: 'create', request, name, value, flags }));
  }

  /** Begins or ends tracing, also for threads that take part by messages (SYSTEMS F13). */
  trace(isTracing: boolean): void {
    this.memory.isTracing = isTracing;
    for (const proxy of this.proxies.values()) proxy.sendTracing();
  }

  /**
   * Resolves when the memory has the log entries of all signals so far, also of threads that were invited by messages.
   */
  async flushLogs(): Promise<void> {
    const asked = endsOfBatches(this.memory, this.environment);
    for (const proxy of this.proxies.values()) asked.push(proxy.flush());
    if (this.uplink && !this.error)
      asked.push(this.requests.flush((request) => this.post({ kind: 'flush', request })));
    await Promise.all(asked);
  }

  mailbox(thread: number): FenceMailbox {
    this.#mailboxes[thread] ??= new FenceMailbox(this.memory, thread);
    return this.#mailboxes[thread];
  }

  /**
   * Carries out a signal: raises all values, logs the signals, then notifies all slots whose monitored value is
   * smaller.
   * @param queue the queue that executed the signal; −1 for a CPU signal
   * @throws StateError `fence-out-of-range` in 32-bit mode; waiters of the values raised before the error are still
   *   notified; nothing is logged
   */
  signalCells(signals: readonly CellSignal[], queue = -1, log?: () => void): void {
    const raised: CellSignal[] = [];
    if (log) this.memory.beginBatch(queue);
    try {
      for (const signal of signals) if (signal.cell.raise(signal.value, signal.name)) raised.push(signal);
      log?.();
    } finally {
      if (log) this.memory.endBatch(queue);
      this.#notifySlots(raised, queue);
    }
  }

  /**
   * Signals a fence without a handle, such as a queue's progress. Does nothing if this thread has closed the fence.
   */
  signalLocal(local: LocalFence, value: number | bigint): void {
    if (!local.isClosed) this.signalCells([local.signalOf(value)]);
  }

  /** Notifies every thread that has the fence open of its failure. */
  notifyFailure(index: number): void {
    const open = this.cell(index).openSlots;
    for (let slot = 0; slot < SLOTS; slot++) {
      if ((open & (1 << slot)) === 0) continue;
      const thread = this.memory.threadOfSlot(slot);
      if (thread === this.thread) {
        this.locals.get(index)?.check();
      } else {
        this.mailbox(thread).nameFence(index);
        this.#ring(thread);
      }
    }
  }

  /**
   * Wakes the waiters of values that are reached already, without signalling again (SYSTEMS F12). A signaller may have
   * died between raising a value and sending the notification.
   */
  wake(indices: Iterable<number>): void {
    const reached: CellSignal[] = [];
    for (const index of indices) {
      const cell = this.cell(index);
      if (!cell.isAlive) continue;
      reached.push({ cell, index, name: '', value: cell.current, local: this.locals.get(index) });
    }
    this.#notifySlots(reached, -1, true);
  }

  /** Frees the slots, references, queues and the number of a dead thread. */
  evict(thread: number): void {
    const { memory } = this;
    const queues = memory.queuesOf(thread);
    for (let index = 0; index < memory.capacity; index++) {
      const cell = this.cell(index);
      if (!cell.isAlive || (cell.openSlots & (1 << thread)) === 0) continue;
      cell.closeSlot(thread);
      for (const queue of queues) cell.closeSlot(MAXIMUM_THREADS + queue);
      cell.unreference();
    }
    for (const queue of queues) memory.releaseQueue(queue);
    memory.releaseThread(thread);
    // Wake the waiters of values that the dead thread has raised without a notification.
    this.wake(Array(memory.capacity).keys());
  }

  /** Listens for the next ring, if any fence of this thread has waiters. */
  listen(): void {
    if (!this.#isWaiting) return;
    this.#receiver.listen(this.environment, () => {
      this.handlePending();
      this.listen();
    });
  }

  /**
   * Handles a notification. If it names a destroyed fence that this thread has not closed, memory or messages are
   * damaged. This thread's part in the group then ends with an error.
   */
  notify({ fences, queues }: Notification): void {
    this.counts.notifications++;
    if (fences.length + queues.length === 0) {
      if (this.memory.namesQueues) this.#logReaders.forEach((_, queue) => void this.#readQueue(queue));
      else this.scan();
      return;
    }
    for (const index of fences) this.#named(index);
    for (const queue of queues) this.#readQueue(queue);
  }

  /**
   * Checks every fence of this thread. Needed after an empty notification, if notifications don't name queues, and
   * after a log has lost entries.
   */
  scan(): void {
    this.counts.scans++;
    for (const local of [...this.locals.values()]) local.check();
    for (const plain of this.plains) plain.look?.();
  }

  get #isWaiting(): boolean {
    for (const local of this.locals.values()) if (local.isWaiting) return true;
    return false;
  }

  /** Takes the pending notification, if there is one, and handles it. */
  handlePending(): void {
    const notification = this.error === null ? this.#receiver.receive() : null;
    if (notification) this.notify(notification);
  }

  #named(index: number): void {
    this.counts.named++;
    const local = this.locals.get(index);
    if (local) local.check();
    else if (!this.cell(index).isAlive && !this.closedHere.has(index)) this.#end(index);
  }

  #readQueue(queue: number): void {
    const reader = this.#logReaders[queue];
    const { entries } = reader.read();
    if (reader.hasGaps) {
      this.scan();
      return;
    }
    // The log also has entries of fences that this thread has closed or never opened.
    for (const index of new Set(entries.map(({ fence }) => fence))) {
      const local = this.locals.get(index);
      if (!local) continue;
      this.counts.named++;
      local.check();
    }
  }

  #end(index: number): void {
    const error = new StateError(
      'destroyed-fence-notified',
      `${this.name} was notified of fence ${index}, which is destroyed. The group's memory is damaged: begin a new group.`,
    );
    this.error = error;
    this.onFatal(error);
  }

  /**
   * Notifies the slots that monitor less than the raised values.
   * @param isKnown whether this thread's proxy, if it has one, has the values already
   */
  #notifySlots(raised: readonly CellSignal[], queue: number, isKnown = false): void {
    let toRing = 0;
    const own = new Set<LocalFence>();
    for (const { cell, value, index, local } of raised) {
      if (index < 0) {
        if (local) own.add(local);
        continue;
      }
      cell.forEachToNotify(value, (slot) => {
        const thread = this.memory.threadOfSlot(slot);
        if (thread === this.thread) {
          const here = local ?? this.locals.get(index);
          if (here) own.add(here);
          return;
        }
        if (queue >= 0 && this.memory.namesQueues) this.mailbox(thread).nameQueue(queue);
        else this.mailbox(thread).nameFence(index);
        toRing |= 1 << thread;
      });
    }
    if (this.uplink && queue < 0 && !isKnown) {
      const points = raised
        .filter(({ index }) => index >= 0)
        .map(({ index, value }) => [index, value] as const);
      if (points.length > 0) this.post({ kind: 'signal', points, queue });
    }
    for (let thread = 0; toRing >>> thread !== 0; thread++) if (toRing & (1 << thread)) this.#ring(thread);
    for (const local of own) local.check();
  }

  #ring(thread: number): void {
    this.counts.rings++;
    this.mailbox(thread).ring();
    this.proxies.get(thread)?.handlePending();
  }

  #receive(message: FromGroup): void {
    switch (message.kind) {
      case 'values':
        // Ignore values of an earlier fence with the same index.
        for (const [index, generation, value] of message.points) {
          const local = this.locals.get(index);
          if (local?.generation !== generation) continue;
          local.cell.raise(value, local.name);
          this.#endCopying(local);
        }
        for (const [index, generation, error] of message.failures) {
          const local = this.locals.get(index);
          if (local?.generation === generation) local.cell.fail(error);
        }
        if (message.named) this.notify({ fences: message.named, queues: [] });
        else for (const [index] of message.points) this.locals.get(index)?.check();
        break;
      case 'tracing':
        this.memory.isTracing = message.isTracing;
        break;
      case 'flush':
        this.post({ kind: 'flushed', request: message.request });
        break;
      case 'flushed':
        this.requests.flushed(message.request);
        break;
      case 'created':
        if (!this.requests.created(message.request, message) && message.index >= 0)
          this.post({ kind: 'close', index: message.index });
        break;
      case 'gone': {
        const local = this.locals.get(message.index);
        if (local?.fail(fenceGone(local.name))) local.check();
        if (local) this.#endCopying(local);
      }
    }
  }

  #endCopying(local: LocalFence): void {
    this.#uncopied.get(local)?.resolve();
    this.#uncopied.delete(local);
  }
}
