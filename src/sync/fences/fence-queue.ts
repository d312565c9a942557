/**
 * A device queue's signals and waits (SYSTEMS F2, F4, F8, F9). A signal is executed once the GPU has finished the
 * work before it. A wait holds back later submissions. The queue has a slot in each fence, logs, and a fence that
 * counts its progress.
 *
 *   submissions   1 │ signal f 3 │ 2 │ wait g 7 ░░░░░░░░░░░░ │ 3
 *   GPU             ██████│ f ← 3   ██████                   │ ████
 *   log             SIGNAL_EXECUTED f 3                      WAIT_UNBLOCKED g 7 (observed ····· finished)
 *   progress              1              2                          3
 */
import { type FencepostError, StateError } from '../../core/errors.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, func, optional } from '../../core/options/members.js';
import type { FenceValue, SignallableFence, WaitableFence } from '../waitable.js';
import { checkRange, FenceFlag, fenceValue } from './cells/fence-cell.js';
import { LogKind, MAXIMUM_THREADS } from './fence-memory.js';
import { FenceWait } from './fence-wait.js';
import { FenceWaiters } from './fence-waiters.js';
import type { Fences } from './fences.js';
import type { CellSignal, LocalFence } from './local-fence.js';
import {
  FenceLog,
  type FenceLogReader,
  FenceOperation,
  type LoggedOperation,
  PRIVATE_FENCE,
} from './logs/fence-log.js';
import type { MonitoredFence } from './monitored-fence.js';

/**
 * The interface of a fence for a queue's commands. Its additional methods record signals and waits in logs and traces.
 */
export interface QueuedFence extends SignallableFence {
  /**
   * Records that the queue has reached the signal, which is executed once the GPU has finished the work before it.
   * @throws StateError `bad-fence-value`, `fence-out-of-range` (32 bits)
   */
  signalQueued?(value: FenceValue): void;
  /** Records that the queue has reached the wait. @throws as `signalQueued` */
  waitQueued?(value: FenceValue): void;
  /** Records that the wait has ended, so that the queue executes the work after it. */
  waitUnblocked?(value: FenceValue): void;
  /** The fence's queue. It sends one notification for several signals (SYSTEMS F7). */
  readonly batch?: SignalBatch;
  /** Ends the queue's use of the fence. The fence itself may stay open. */
  detach?(error: FencepostError | null): void;
}

/** Collects signals from `begin` on. `end` raises all values, then sends one notification per thread. */
interface SignalBatch {
  begin(): void;
  end(): void;
}

/** A signal or wait that the CPU has requested. It is also logged while tracing is on. */
export interface FenceQueueEvent {
  readonly name: 'WAIT_QUEUED' | 'SIGNAL_QUEUED';
  readonly queue: string;
  readonly fence: string;
  readonly value: FenceValue;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export const FENCE_QUEUE_OPTIONS = {
  /**
   * Fence that counts the queue's progress, for example one that other threads have open (`isProgress`). Closing the
   * queue leaves this fence open. Default: a private fence, which closes with the queue.
   */
  progress: optional(anything<MonitoredFence>()),
  onEvent: optional(func<(event: FenceQueueEvent) => void>()),
  /**
   * Called when commands no longer use the fence. `error` is `null` if the commands have destroyed it. If the executor
   * has ended, `error` is the reason, and pending signals are never executed. Default: a fence with pending signals
   * fails with the error.
   */
  onDetached: optional(func<(fence: MonitoredFence, error: FencepostError | null) => void>()),
};

export type FenceQueueOptions = Shaped<typeof FENCE_QUEUE_OPTIONS>;

export class FenceQueue implements SignalBatch {
  readonly name: string;
  /** The queue's number in the group, for `Fences.readLog`. */
  readonly index: number;
  /** Counts the queue's progress. The queue's user defines the unit. */
  readonly progress: MonitoredFence;
  /** @internal */
  readonly group: Fences;
  readonly #waits: FenceLog;
  readonly #signals: FenceLog;
  readonly #requests: FenceLog;
  readonly #onEvent: ((event: FenceQueueEvent) => void) | undefined;
  readonly #onDetached: FenceQueueOptions['onDetached'];
  readonly #ownsProgress: boolean;
  #unfollow = (): void => {};
  /** Signals executed since `begin`; `null` outside of a batch. */
  #batch: { readonly signal: CellSignal; readonly logged: LoggedOperation }[] | null = null;
  readonly #fences = new Map<LocalFence, QueueFence>();

  /** @internal Made by `Fences.openQueue`. */
  constructor(group: Fences, index: number, name: string, options: FenceQueueOptions) {
    const { progress, onEvent, onDetached } = options;
    this.group = group;
    this.index = index;
    this.name = name;
    this.#onEvent = onEvent;
    this.#onDetached = onDetached;
    const { memory } = group.core;
    this.#waits = new FenceLog(memory, index, LogKind.waits);
    this.#signals = new FenceLog(memory, index, LogKind.signals);
    this.#requests = new FenceLog(memory, index, LogKind.requests);
    memory.nameQueue(index, name);
    group.core.post({ kind: 'queue', name });
    this.#ownsProgress = progress === undefined;
    this.progress = progress ?? group.create(`progress of ${name}`, { isPrivate: true });
  }

  /**
   * Returns the fence in the form that this queue's commands use.
   * @throws StateError `intra-device-fence` when another device's queue uses it
   */
  use(fence: MonitoredFence): QueuedFence {
    const { local } = fence;
    const known = this.#fences.get(local);
    if (known) return known;
    if (local.flags & FenceFlag.isIntraDevice && local.cell.openSlots >>> MAXIMUM_THREADS !== 0) {
      throw new StateError(
        'intra-device-fence',
        `The fence "${fence.name}" is for one device, and the queue of another device uses it. Create it with the type "default".`,
      );
    }
    const used = new QueueFence(this, fence, this.#waitersOf(fence));
    this.#fences.set(local, used);
    return used;
  }

  /** Returns a reader of one of this queue's logs. */
  readLog(kind: 'waits' | 'signals', from: 'start' | 'now' = 'start'): FenceLogReader {
    return this.group.readLog(this.index, kind, from);
  }

  /**
   * Makes the queue's progress follow this counter.
   * @param passesFailure whether the counter's failure ends the progress, too. Pass false if another queue continues to
   *   count with the same fence
   */
  follow(counter: WaitableFence, passesFailure = true): void {
    const { local } = this.progress;
    const copy = (): void => {
      if (counter.error === null) this.group.core.signalLocal(local, counter.value);
      else if (passesFailure) this.group.fail(local, counter.error);
    };
    this.#unfollow();
    this.#unfollow = counter.subscribe(copy);
    copy();
  }

  close(): void {
    this.#unfollow();
    this.fail(
      new StateError(
        'fence-queue-closed',
        `The queue "${this.name}" was closed. Open another queue to signal and wait.`,
      ),
    );
    if (this.#ownsProgress) this.progress.close();
    this.group.queueClosed(this);
  }

  /** @internal Ends the queue's waits with the error. Its fences neither wait nor log afterwards. */
  fail(error: FencepostError): void {
    for (const used of this.#fences.values()) used.close(error);
    this.#fences.clear();
  }

  /** @internal Executes the signal. Call it once the GPU has finished all work before it. */
  signalExecuted({ local }: MonitoredFence, value: FenceValue): void {
    const signal = local.signalOf(value);
    const logged = this.#logged(local, signal.value, FenceOperation.signalExecuted, 0);
    if (this.#batch) this.#batch.push({ signal, logged });
    else this.#signalAll([{ signal, logged }]);
  }

  begin(): void {
    this.#batch ??= [];
  }

  end(): void {
    const batch = this.#batch;
    this.#batch = null;
    if (batch?.length) this.#signalAll(batch);
  }

  #signalAll(batch: readonly { readonly signal: CellSignal; readonly logged: LoggedOperation }[]): void {
    const { core } = this.group;
    const log = (): void => {
      for (const { logged } of batch) this.#signals.append(logged);
    };
    const signals = batch.map(({ signal }) => signal);
    core.signalCells(signals, this.index, log);
    const shared = batch.filter(({ signal }) => signal.index >= 0);
    if (shared.length === 0) return;
    const points = shared.map(({ signal }) => [signal.index, signal.value] as const);
    core.post({ kind: 'signal', points, queue: this.index, logged: shared.map(({ logged }) => logged) });
  }

  /** @internal */
  waitUnblocked(fence: MonitoredFence, value: FenceValue, timeObserved: number): void {
    const { local } = fence;
    const awaited = fenceValue(value, local.name);
    const logged = this.#logged(local, awaited, FenceOperation.waitUnblocked, timeObserved);
    this.#waits.append(logged);
    this.group.core.post({ kind: 'logged', log: LogKind.waits, logged });
  }

  /** @internal */
  queued(name: FenceQueueEvent['name'], fence: MonitoredFence, value: FenceValue): number {
    const { core } = this.group;
    const time = core.environment.now();
    this.#onEvent?.({ name, queue: this.name, fence: fence.name, value, time });
    if (core.memory.isTracing) {
      const operation = name === 'WAIT_QUEUED' ? FenceOperation.waitQueued : FenceOperation.signalQueued;
      const logged = this.#logged(fence.local, fenceValue(value, fence.name), operation, 0);
      this.#requests.append(logged);
      core.post({ kind: 'logged', log: LogKind.requests, logged });
    }
    return time;
  }

  /** @internal Forgets the fence. @param isAwaited whether signals of the GPU are pending */
  detached(fence: MonitoredFence, error: FencepostError | null, isAwaited: boolean): void {
    this.#fences.delete(fence.local);
    if (this.#onDetached) this.#onDetached(fence, error);
    else if (error !== null && isAwaited) fence.fail(error);
  }

  #logged(
    { index, generation }: LocalFence,
    value: bigint,
    operation: number,
    timeObserved: number,
  ): LoggedOperation {
    const fence = index >= 0 ? index : PRIVATE_FENCE;
    const timeFinished = this.group.core.environment.now();
    return { fence, generation, value, operation, timeObserved, timeFinished };
  }

  #waitersOf(fence: MonitoredFence): FenceWaiters {
    const { local } = fence;
    if (fence.isPrivate) return local.waiters;
    const { index, cell } = local;
    const slot = MAXIMUM_THREADS + this.index;
    const onMonitored = this.group.core.uplink
      ? (value: FenceValue) => this.group.core.post({ kind: 'monitor', slot, index, value })
      : undefined;
    // Each device of a cross-device fence is notified of every signal (SYSTEMS F8).
    cell.openSlot(slot);
    const waiters = new FenceWaiters(cell, slot, () => local.failure, fence.isCrossDevice, onMonitored);
    local.queues.set(this.index, waiters);
    this.group.core.listen();
    return waiters;
  }
}

class QueueFence implements QueuedFence {
  readonly #queue: FenceQueue;
  readonly #fence: MonitoredFence;
  readonly #waiters: FenceWaiters;
  readonly #pending = new Set<FenceWait>();
  #observedAt = 0;
  #pendingSignals = 0;
  /** The error that ended the queue's use of the fence, or `null`. */
  #closedWith: FencepostError | null = null;

  constructor(queue: FenceQueue, fence: MonitoredFence, waiters: FenceWaiters) {
    this.#queue = queue;
    this.#fence = fence;
    this.#waiters = waiters;
  }

  get batch(): SignalBatch {
    return this.#queue;
  }

  get name(): string {
    return this.#fence.name;
  }

  get value(): number {
    return this.#fence.value;
  }

  get error(): FencepostError | null {
    return this.#fence.error ?? this.#closedWith ?? this.#waiters.closedWith;
  }

  isReached(value: FenceValue): boolean {
    return this.#fence.isReached(value);
  }

  subscribe(listener: () => void): () => void {
    return this.#fence.subscribe(listener);
  }

  signalQueued(value: FenceValue): void {
    this.#checkValue(value);
    this.#pendingSignals++;
    this.#queue.queued('SIGNAL_QUEUED', this.#fence, value);
  }

  signal(value: FenceValue): void {
    this.#pendingSignals = Math.max(0, this.#pendingSignals - 1);
    const { local } = this.#fence;
    if (local.isClosed) return;
    // The GPU still executes submissions of a closed queue. Don't log them: the log may belong to a new queue by now.
    if (this.#closedWith !== null) this.#queue.group.core.signalLocal(local, value);
    else this.#queue.signalExecuted(this.#fence, value);
  }

  waitQueued(value: FenceValue): void {
    this.#checkValue(value);
    this.#observedAt = this.#queue.queued('WAIT_QUEUED', this.#fence, value);
  }

  waitUnblocked(value: FenceValue): void {
    if (this.#closedWith === null) this.#queue.waitUnblocked(this.#fence, value, this.#observedAt);
  }

  /**
   * Checks the value when the command is queued, so that the recorder gets the error and no submission is held back
   * (SYSTEMS F6).
   */
  #checkValue(value: FenceValue): void {
    const { is32Bit, local, name } = this.#fence;
    const whole = fenceValue(value, name);
    if (is32Bit && !local.isClosed) checkRange(whole, local.cell.current, name);
  }

  whenReached(value: FenceValue): Promise<void> {
    if (this.#closedWith !== null) return Promise.reject(this.#closedWith);
    return new Promise((resolve, reject) => {
      const point = {
        waiters: this.#waiters,
        value: fenceValue(value, this.name),
        pending: this.#pending,
      };
      new FenceWait([point], 'all', ({ error }) => (error ? reject(error) : resolve()));
      this.#queue.group.core.listen();
    });
  }

  fail(error: Error): void {
    this.#fence.fail(error);
  }

  detach(error: FencepostError | null): void {
    // Pending signals are never executed, so their waiters must get the error.
    const isAwaited = this.#pendingSignals > 0;
    if (error !== null) this.close(error);
    this.#queue.detached(this.#fence, error, isAwaited);
  }

  close(error: FencepostError): void {
    this.#closedWith = error;
    for (const wait of [...this.#pending]) wait.end(error);
    if (this.#fence.isPrivate) return;
    this.#waiters.close(error);
    this.#fence.local.queues.delete(this.#queue.index);
  }
}
