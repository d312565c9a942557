/**
 * Fences by messages (SYSTEMS F1): a thread without the memory has a replica of it, and its proxy, on a thread that
 * has the memory, writes there what the replica's thread asks for. The protocol is the one of memory, with a message
 * for each write; ports keep their order.
 *
 *   replica   add waiter 7: monitor 6 ──────────►  proxy   writes monitored 6, reads current: 7? answers at once
 *             signal 3 (its copy rises at once) ─►         raises current, tells all slots
 *             looks, never ahead ◄── values ──────         rung, as a thread would be
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

/** From the replica's thread. */
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
      /** −1: a CPU. */
      readonly queue: number;
      readonly logged?: readonly LoggedOperation[];
    }
  /** Its queue has this name from now on. */
  | { readonly kind: 'queue'; readonly name: string }
  /** Its queue's log goes on; signals travel with their entries. */
  | { readonly kind: 'logged'; readonly log: LogKind; readonly logged: LoggedOperation }
  | { readonly kind: 'flush' | 'flushed'; readonly request: number }
  | { readonly kind: 'fail'; readonly index: number; readonly error: ErrorData }
  /** It could not read a message: values are sent again. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'leave' };

/** To it. */
export type FromGroup =
  | {
      readonly kind: 'values';
      /** What the notification named; nothing: look at everything. Null: it is the answer to an opening. */
      readonly named: readonly number[] | null;
      readonly points: readonly (readonly [index: number, generation: number, value: bigint])[];
      readonly failures: readonly (readonly [index: number, generation: number, error: Uint8Array])[];
    }
  | { readonly kind: 'gone'; readonly index: number }
  /** Verbose logging has begun or ended. */
  | { readonly kind: 'tracing'; readonly isTracing: boolean }
  | { readonly kind: 'flush' | 'flushed'; readonly request: number }
  /** The index is −1 where there is no room. */
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
  /** What the thread has open. */
  readonly #open = new Map<number, FenceCell>();
  /** Of the thread's queue, by `LogKind`. */
  readonly #logs: readonly FenceLog[] = [];
  readonly #readers: FenceLogReader[] = [];
  readonly #receiver: FenceReceiver;
  /** By request: who waits for what is under way from the thread. */
  readonly #flushes = new Map<number, () => void>();
  #requests = 0;
  /** What the thread was told of verbose logging. */
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
    this.tellTracing();
  }

  /** Announces verbose logging, or its end, to the thread whose queue writes. */
  tellTracing(): void {
    const { isTracing } = this.#group.memory;
    if (isTracing === this.#isTracing || this.#isClosed) return;
    this.#isTracing = isTracing;
    this.#post({ kind: 'tracing', isTracing });
  }

  /** Resolves when everything that the thread had logged by now is in the memory, or never will be. */
  flush(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const request = this.#requests++;
    this.#post({ kind: 'flush', request });
    return new Promise((resolve) => this.#flushes.set(request, resolve));
  }

  /** The thread's mailbox was rung. */
  hear(): void {
    this.tellTracing();
    const notification = this.#isClosed ? null : this.#receiver.hear();
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
        // Since it was shared its value may have grown.
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
        // Written first, read afterwards, as in memory.
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
          group.tellFailure(message.index);
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

  /** In shared memory other threads ring, too. */
  #listen(): void {
    this.#receiver.listen(this.#group.environment, () => {
      if (this.#isClosed) return;
      this.hear();
      this.#listen();
    });
  }
}
