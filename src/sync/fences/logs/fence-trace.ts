/**
 * What a group's fences and queues do while somebody traces (SYSTEMS F9, F10): every queue's logs and the CPU's events,
 * and the values of every fence. It is made where the memory is, costs nothing before, and leaves nothing behind.
 *
 *   queue's thread   log: entry, entry …  ───────────┐ read a few times per second
 *   other threads    signals ── heard here at once ──┼─► FenceTraceReading ─► timeline
 *                                                    └ every fence is read again, so that an overflowed log hides no value
 *
 * All times are what a CPU has observed, in milliseconds since 1970: WebGPU gives none per fence.
 */

import { LogKind } from '../fence-memory.js';
import type { FenceThread } from '../fence-thread.js';
import type { LocalFence } from '../local-fence.js';
import { type FenceLogEntry, FenceLogReader, PRIVATE_FENCE } from './fence-log.js';

export interface TracedFence {
  /** Tells fences apart, those that had one's place before included. */
  readonly key: string;
  readonly index: number;
  readonly name: string;
}

/** What a queue did, or was asked to do. */
interface TracedOperation {
  readonly operation: FenceLogEntry['operation'];
  readonly fence: TracedFence;
  readonly value: bigint;
  /** When a wait was reached; else as `timeFinished`. */
  readonly timeObserved: number;
  readonly timeFinished: number;
}

export interface TracedQueue {
  /** Its number in the group. */
  readonly queue: number;
  readonly name: string;
  /** In the order of time. */
  readonly operations: readonly TracedOperation[];
  /** Entries that were overwritten before they were read: the trace is lossy. */
  readonly lost: number;
}

interface TracedValue {
  readonly fence: TracedFence;
  readonly value: bigint;
  /** By when a CPU had seen it. */
  readonly time: number;
}

export interface FenceTraceReading {
  /** Queues with news. */
  readonly queues: readonly TracedQueue[];
  /** In the order of time; a value that two have seen comes twice. */
  readonly values: readonly TracedValue[];
}

export class FenceTrace {
  readonly #core: FenceThread;
  /** By queue: of each of its logs. */
  readonly #readers: readonly (readonly FenceLogReader[])[];
  readonly #wasTracing: boolean;
  /** By index: what was known of the fence at the last reading. */
  readonly #known = new Map<
    number,
    { readonly fence: TracedFence; readonly generation: number; value: bigint }
  >();
  /** Fences that are open here, with what ends hearing of them. */
  readonly #heard = new Map<LocalFence, () => void>();
  #values: TracedValue[] = [];

  /** @param from whether what the logs hold by now counts */
  constructor(core: FenceThread, from: 'start' | 'now') {
    this.#core = core;
    this.#wasTracing = core.memory.isTracing;
    this.#readers = Array.from({ length: core.memory.queueCount }, (_, queue) =>
      Object.values(LogKind).map((kind) => new FenceLogReader(core.memory, queue, kind, from)),
    );
    core.trace(true);
    this.#readFences();
  }

  /** What has come since the last time. */
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
    for (const end of this.#heard.values()) end();
    this.#heard.clear();
    this.#core.trace(this.#wasTracing);
  }

  /** Whatever logs have lost, and whatever a CPU has signalled on a thread that is not heard here, shows in the fences. */
  #readFences(): void {
    const { memory, locals } = this.#core;
    for (let index = 0; index < memory.capacity; index++) {
      const cell = this.#core.cell(index);
      if (!cell.isAlive) continue;
      this.#note(index, cell.generation, cell.current);
    }
    for (const local of this.#heard.keys()) if (local.isClosed) this.#heard.delete(local);
    for (const local of locals.values()) {
      if (this.#heard.has(local)) continue;
      const note = (): void => this.#note(local.index, local.generation, local.value);
      this.#heard.set(local, local.waiters.subscribe(note));
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
    // The name in the memory is that of whichever fence has the place now.
    const isThere = this.#core.cell(index).generation === generation;
    const name = (isThere && this.#core.memory.fenceName(index)) || `${index}`;
    return { key: `${index}.${generation}`, index, name };
  }
}
