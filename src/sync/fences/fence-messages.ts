/**
 * Fences by messages (SYSTEMS F1). A thread without the memory has a replica of it, and a proxy on a thread that has
 * the memory. The proxy carries out the replica's requests in the memory. The protocol is the same as in memory, with
 * one message per write. Ports keep messages in order.
 *
 *   replica   add waiter 7: monitor 6 ──────────►  proxy   writes monitored 6, reads current: 7? answers at once
 *             signal 3 (its copy rises at once) ─►         raises current, notifies slots that monitor less
 *             checks its waiters ◄── values ──────         handles a ring of the thread's mailbox
 */

import { type ErrorData, errorFromData } from '../../core/errors.js';
import type { PortLike } from '../../core/streams/carrier.js';
import { hearLosses, messageLost } from '../../core/streams/port-messages.js';
import type { FenceValue } from '../waitable.js';
import type { FenceCell } from './cells/fence-cell.js';
import { FenceReceiver } from './fence-mailbox.js';
import { LogKind, MAXIMUM_THREADS } from './fence-memory.js';
import type { FenceThread } from './fence-thread.js';
import { encodeError } from './local-fence.js';
import { FenceLog, FenceLogReader, type LoggedOperation } from './logs/fence-log.js';

/** Messages from the replica's thread to its proxy. */
export type ToGroup =
  | { readonly kind: 'open'; readonly index: number; readonly generation: number }
  | {
      readonly kind: 'create';
      readonly request: number;
      readonly name: string;
      readonly value: bigint;
      readonly flags: number;
    }
  | { readonly kind: 'close'; readonly index: number }
  | { readonly kind: 'wake'; readonly indices: readonly number[] }
  | { readonly kind: 'monitor'; readonly slot: number; readonly index: number; readonly value: FenceValue }
  | {
      readonly kind: 'signal';
      readonly points: readonly (readonly [index: number, value: bigint])[];
      /** The queue that executed the signal; −1 for a CPU signal. */
      readonly queue: number;
      readonly logged?: readonly LoggedOperation[];
    }
  /** Names the thread's queue. */
  | { readonly kind: 'queue'; readonly name: string }
  /** An entry for the log of the thread's queue. Entries of signals travel with the signals instead. */
  | { readonly kind: 'logged'; readonly log: LogKind; readonly logged: LoggedOperation }
  | { readonly kind: 'flush' | 'flushed'; readonly request: number }
  | { readonly kind: 'fail'; readonly index: number; readonly error: ErrorData }
  /** Reports that the thread could not read a message; the proxy sends all values again. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'leave' };

/** Messages from the proxy to the replica's thread. */
export type FromGroup =
  | {
      readonly kind: 'values';
      /** Fences to check; all if the list is empty. `null` in the answer to `open`: the fences of `points`. */
      readonly named: readonly number[] | null;
      readonly points: readonly (readonly [index: number, generation: number, value: bigint])[];
      readonly failures: readonly (readonly [index: number, generation: number, error: Uint8Array])[];
    }
  | { readonly kind: 'gone'; readonly index: number }
  /** Reports that tracing has begun or ended. */
  | { readonly kind: 'tracing'; readonly isTracing: boolean }
  | { readonly kind: 'flush' | 'flushed'; readonly request: number }
  /** The index is −1 if the memory is full. */
  | {
      readonly kind: 'created';
      readonly request: number;
      readonly index: number;
      readonly generation: number;
    };

export class FenceProxy {
  readonly #group: FenceThread;
  readonly #port: PortLike;
  readonly #thread: number;
  readonly #queue: number;
  /** Fences that the thread has open, by index. */
  readonly #open = new Map<number, FenceCell>();
  /** Logs of the thread's queue, by `LogKind`. */
  readonly #logs: readonly FenceLog[] = [];
  readonly #readers: FenceLogReader[] = [];
  readonly #receiver: FenceReceiver;
  /** Resolvers of pending flushes, by request number. */
  readonly #flushes = new Map<number, () => void>();
  #requests = 0;
  /** Whether tracing was on when its state was last sent to the thread. */
  #isTracing = false;
  #isClosed = false;

  constructor(group: FenceThread, port: PortLike, thread: number, queue: number) {
    const { memory } = group;
    this.#group = group;
    this.#port = port;
    this.#thread = thread;
    this.#queue = queue;
    if (queue >= 0) {
      this.#logs = Object.values(LogKind).map((kind) => new FenceLog(memory, queue, kind));
    }
    if (memory.namesQueues) {
      for (let each = 0; each < memory.queueCount; each++) {
        this.#readers.push(new FenceLogReader(memory, each, LogKind.signals, 'now'));
      }
    }
    this.#receiver = new FenceReceiver(memory, group.mailbox(thread));
    port.onmessage = ({ data }: MessageEvent<ToGroup>) => this.#receive(data);
    hearLosses(port, `fence thread ${thread}`, group.onLoss);
    this.sendTracing();
  }

  /** Informs the thread if tracing has begun or ended since the last call. */
  sendTracing(): void {
    const { isTracing } = this.#group.memory;
    if (isTracing === this.#isTracing || this.#isClosed) return;
    this.#isTracing = isTracing;
    this.#post({ kind: 'tracing', isTracing });
  }

  /** Resolves when all entries that the thread has logged so far are in the memory, or when the proxy is closed. */
  flush(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const request = this.#requests++;
    this.#post({ kind: 'flush', request });
    return new Promise((resolve) => this.#flushes.set(request, resolve));
  }

  /** Handles a ring of the thread's mailbox. */
  handlePending(): void {
    this.sendTracing();
    const notification = this.#isClosed ? null : this.#receiver.receive();
    if (!notification) return;
    const { fences, queues } = notification;
    if (fences.length + queues.length === 0) {
      this.#send([...this.#open.keys()], []);
      return;
    }
    const named = new Set(fences);
    for (const queue of queues) {
      const reader = this.#readers[queue];
      const { entries } = reader.read();
      for (const index of reader.hasGaps ? this.#open.keys() : entries.map(({ fence }) => fence)) {
        if (this.#open.has(index)) named.add(index);
      }
    }
    this.#send([...named], [...named]);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const index of [...this.#open.keys()]) this.#close(index);
    for (const resolve of this.#flushes.values()) resolve();
    this.#port.onmessage = this.#port.onmessageerror = null;
    this.#port.close();
    if (this.#queue >= 0) this.#group.memory.releaseQueue(this.#queue);
    this.#group.proxies.delete(this.#thread);
    this.#group.memory.releaseThread(this.#thread);
  }

  #receive(message: ToGroup): void {
    const group = this.#group;
    switch (message.kind) {
      case 'open': {
        const cell = group.cell(message.index);
        if (!cell.reference(message.generation)) {
          this.#post({ kind: 'gone', index: message.index });
          return;
        }
        this.#open.set(message.index, cell);
        cell.openSlot(this.#thread);
        // The value may have grown since the fence was shared.
        this.#send([message.index], null);
        this.#listen();
        break;
      }
      case 'create':
        this.#create(message);
        break;
      case 'close':
        this.#close(message.index);
        break;
      case 'monitor': {
        const cell = this.#open.get(message.index);
        if (!cell) return;
        // Write the monitored value first, then read the current value, as in memory.
        cell.monitor(message.slot, message.value);
        cell.openSlot(message.slot);
        if (cell.current > message.value || cell.failure !== null)
          this.#send([message.index], [message.index]);
        break;
      }
      case 'signal': {
        const signals = message.points.map(([index, value]) => {
          return { cell: this.#open.get(index), index, value, name: `fence ${index}` };
        });
        const open = signals.filter((signal): signal is typeof signal & { cell: FenceCell } => !!signal.cell);
        const { logged, queue } = message;
        group.signalCells(open, queue, () => {
          for (const each of logged ?? []) this.#logs[LogKind.signals]?.append(each);
        });
        break;
      }
      case 'logged':
        this.#logs[message.log]?.append(message.logged);
        break;
      case 'queue':
        group.memory.nameQueue(this.#queue, message.name);
        break;
      case 'flush':
        this.#post({ kind: 'flushed', request: message.request });
        break;
      case 'flushed':
        this.#flushes.get(message.request)?.();
        this.#flushes.delete(message.request);
        break;
      case 'fail':
        if (this.#open.get(message.index)?.fail(encodeError(errorFromData(message.error)))) {
          group.notifyFailure(message.index);
        }
        break;
      case 'lost':
        this.#send([...this.#open.keys()], []);
        group.onLoss(messageLost(`values for fence thread ${this.#thread}`, 'They were sent again.'));
        break;
      case 'wake':
        group.wake(message.indices.filter((index) => this.#open.has(index)));
        break;
      case 'leave':
        this.close();
    }
  }

  #create({ request, name, value, flags }: ToGroup & { readonly kind: 'create' }): void {
    const index = this.#group.createCell(name, value, flags);
    if (index >= 0) {
      const cell = this.#group.cell(index);
      this.#open.set(index, cell);
      cell.openSlot(this.#thread);
      this.#listen();
    }
    const generation = index < 0 ? 0 : this.#group.cell(index).generation;
    this.#post({ kind: 'created', request, index, generation });
  }

  #close(index: number): void {
    const cell = this.#open.get(index);
    if (!cell) return;
    this.#open.delete(index);
    cell.closeSlot(this.#thread);
    if (this.#queue >= 0) cell.closeSlot(MAXIMUM_THREADS + this.#queue);
    cell.unreference();
  }

  #send(indices: readonly number[], named: readonly number[] | null): void {
    const points: (readonly [number, number, bigint])[] = [];
    const failures: (readonly [number, number, Uint8Array])[] = [];
    for (const index of indices) {
      const cell = this.#open.get(index);
      if (!cell) continue;
      const { generation } = cell;
      points.push([index, generation, cell.current]);
      const { failure } = cell;
      if (failure !== null) failures.push([index, generation, failure]);
    }
    this.#post({ kind: 'values', named, points, failures });
  }

  #post(message: FromGroup): void {
    this.#port.postMessage(message);
  }

  /** Listens for rings by other threads, which arrive through shared memory. */
  #listen(): void {
    this.#receiver.listen(this.#group.environment, () => {
      if (this.#isClosed) return;
      this.handlePending();
      this.#listen();
    });
  }
}
