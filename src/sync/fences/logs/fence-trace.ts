/**
 * A trace of a group's fences and queues (SYSTEMS F9, F10): every queue's logs, the CPU's requests, and the values of
 * every fence. Create it on a thread that has the memory. `close` ends the trace, and leaves tracing on only if it was
 * on before.
 *
 *   queue's thread   log: entry, entry …  ─────────┐ read a few times per second
 *   other threads    signals ── received at once ──┼─► FenceTraceReading ─► timeline
 *                                                  └ every fence is read again: an overflowed log hides no last value
 *
 * All times are observed by a CPU, in milliseconds since 1970: WebGPU gives no time per fence.
 */

import { LogKind } from '../fence-memory.js';
import type { FenceThread } from '../fence-thread.js';
import type { LocalFence } from '../local-fence.js';
import { type FenceLogEntry, FenceLogReader, PRIVATE_FENCE } from './fence-log.js';

export interface TracedFence {
  /** Key that distinguishes the fence from earlier fences with the same index. */
  readonly key: string;
  readonly index: number;
  readonly name: string;
}

/** An operation of a queue, or a request for one. */
interface TracedOperation {
  readonly operation: FenceLogEntry['operation'];
  readonly fence: TracedFence;
  readonly value: bigint;
  /** Time at which the queue reached a wait; equal to `timeFinished` for all other operations. */
  readonly timeObserved: number;
  readonly timeFinished: number;
}

export interface TracedQueue {
  /** The queue's number in the group. */
  readonly queue: number;
  readonly name: string;
  /** Operations in the order of time. */
  readonly operations: readonly TracedOperation[];
  /** Number of entries that were overwritten before they were read. If it is not 0, the trace is lossy. */
  readonly lost: number;
}

interface TracedValue {
  readonly fence: TracedFence;
  readonly value: bigint;
  /** Time at which a CPU observed the value. */
  readonly time: number;
}

export interface FenceTraceReading {
  /** Queues with operations or losses since the last reading. */
  readonly queues: readonly TracedQueue[];
  /** Values in the order of time. A value occurs twice if a log has it and this thread has also observed it. */
  readonly values: readonly TracedValue[];
}

export class FenceTrace {
  readonly #core: FenceThread;
  /** Readers of each queue's logs, by queue. */
  readonly #readers: readonly (readonly FenceLogReader[])[];
  readonly #wasTracing: boolean;
  /** Fences and the values that were noted last, by index. */
  readonly #known = new Map<
    number,
    { readonly fence: TracedFence; readonly generation: number; value: bigint }
  >();
  /** Fences that are open on this thread, with the functions that end their subscriptions. */
  readonly #subscriptions = new Map<LocalFence, () => void>();
  #values: TracedValue[] = [];

  /** @param from `start` includes entries that the logs contain already; `now` omits them */
  constructor(core: FenceThread, from: 'start' | 'now') {
    this.#core = core;
    this.#wasTracing = core.memory.isTracing;
    this.#readers = Array.from({ length: core.memory.queueCount }, (_, queue) =>
      Object.values(LogKind).map((kind) => new FenceLogReader(core.memory, queue, kind, from)),
    );
    core.trace(true);
    this.#readFences();
  }

  /** Returns everything since the last call. */
  read(): FenceTraceReading {
    const queues: TracedQueue[] = [];
    for (const [queue, readers] of this.#readers.entries()) {
      const readings = readers.map((reader) => reader.read());
      const lost = readings.reduce((sum, reading) => sum + reading.lost, 0);
      const operations = readings.flatMap(({ entries }) => entries.map((entry) => this.#operation(entry)));
      if (operations.length + lost === 0) continue;
      operations.sort((a, b) => a.timeFinished - b.timeFinished);
      const name = this.#core.memory.queueName(queue) || `${queue}`;
      queues.push({ queue, name, operations, lost });
    }
    const values: TracedValue[] = queues.flatMap(({ operations }) =>
      operations
        .filter(({ operation }) => operation === 'SIGNAL_EXECUTED')
        .map(({ fence, value, timeFinished }) => ({ fence, value, time: timeFinished })),
    );
    this.#readFences();
    values.push(...this.#values);
    this.#values = [];
    values.sort((a, b) => a.time - b.time);
    return { queues, values };
  }

  close(): void {
    for (const end of this.#subscriptions.values()) end();
    this.#subscriptions.clear();
    this.#core.trace(this.#wasTracing);
  }

  /**
   * Reads the values of all fences. They include signals whose log entries were lost, and CPU signals that this thread
   * was not notified of.
   */
  #readFences(): void {
    const { memory, locals } = this.#core;
    for (let index = 0; index < memory.capacity; index++) {
      const cell = this.#core.cell(index);
      if (!cell.isAlive) continue;
      this.#note(index, cell.generation, cell.current);
    }
    for (const local of this.#subscriptions.keys()) if (local.isClosed) this.#subscriptions.delete(local);
    for (const local of locals.values()) {
      if (this.#subscriptions.has(local)) continue;
      const note = (): void => this.#note(local.index, local.generation, local.value);
      this.#subscriptions.set(local, local.waiters.subscribe(note));
    }
    this.#core.listen();
  }

  #note(index: number, generation: number, value: bigint): void {
    let known = this.#known.get(index);
    if (known?.generation === generation && known.value === value) return;
    if (known?.generation !== generation) {
      known = { fence: this.#fence(index, generation), generation, value };
      this.#known.set(index, known);
    }
    known.value = value;
    this.#values.push({ fence: known.fence, value, time: this.#core.environment.now() });
  }

  #operation(entry: FenceLogEntry): TracedOperation {
    const { operation, value, timeFinished } = entry;
    const timeObserved = operation === 'WAIT_UNBLOCKED' ? entry.timeObserved : timeFinished;
    return {
      operation,
      fence: this.#fence(entry.fence, entry.generation),
      value,
      timeObserved,
      timeFinished,
    };
  }

  #fence(index: number, generation: number): TracedFence {
    if (index === PRIVATE_FENCE) return { key: 'private', index: -1, name: 'private' };
    const known = this.#known.get(index);
    if (known?.generation === generation) return known.fence;
    // The name in the memory belongs to the fence that has this index now.
    const isCurrent = this.#core.cell(index).generation === generation;
    const name = (isCurrent && this.#core.memory.fenceName(index)) || `${index}`;
    return { key: `${index}.${generation}`, index, name };
  }
}
