/**
 * Carries fences from the thread that signals them to a thread that waits. Both ends list the fences by name.
 *
 *   sender's fence ── signal ──► | bell | cell 0 | cell 1 | … ──► receiver's fence ──► waiters
 *                                  memory: the bell rings only if the receiver's monitored value is smaller
 *                  ── signal ──► [ port: one message per signal ] ──► receiver's copy ──► waiters
 *
 * In shared memory the receiver reads the value itself. A signal that the receiver does not wait for costs the receiver
 * nothing. By messages the receiver has a copy, which is never ahead of the fence. Each signal is then a message,
 * because requesting the next value would cost a round trip. A failure always travels as a message, and both ends keep
 * the first failure.
 */

import { type ErrorData, errorFromData, errorToData } from '../../core/errors.js';
import type { PortLike } from '../../core/streams/carrier.js';
import type { WaitableFence } from '../waitable.js';
import { CountCell } from './cells/count-cell.js';
import { canShareFences, type FenceListening, systemListening } from './fence-environment.js';
import { PrivateFence } from './private-fence.js';

/** One end of a link. Plain data: post it, with the port transferred. */
export interface FenceCarrier {
  readonly port: PortLike;
  /** `null` for a link by messages. */
  readonly memory: ArrayBufferLike | null;
  readonly names: readonly string[];
}

type LinkMessage = readonly [fence: number, value: number, error?: ErrorData];

/** The bell has a cache line of its own; the cells follow. */
const FIRST_CELL_BYTE = 64;
const CELL_BYTES = CountCell.bytesFor(1);
/** The cell's only slot. The receiver owns it. */
const RECEIVER = 0;

/**
 * Creates both ends of a link, in memory where threads can share it. One end is for `ReceivedFences`, the other for
 * `sendFences`.
 */
export function createFenceLink(
  names: readonly string[],
  isShared = canShareFences(),
): [FenceCarrier, FenceCarrier] {
  const { port1, port2 } = new MessageChannel();
  const memory = isShared ? new SharedArrayBuffer(FIRST_CELL_BYTE + names.length * CELL_BYTES) : null;
  return [
    { port: port1, memory, names },
    { port: port2, memory, names },
  ];
}

/** Sends every change of the fences over the link. */
export function sendFences<Name extends string>(
  { port, memory, names }: FenceCarrier,
  fences: Readonly<Record<Name, WaitableFence>>,
  { atomics }: FenceListening = systemListening,
): void {
  const post = (message: LinkMessage) => port.postMessage(message);
  const ints = memory && new Int32Array(memory);
  names.forEach((name, index) => {
    const fence = fences[name as Name];
    const cell = ints && cellAt(ints, index, atomics);
    let sent = 0;
    const forward = (): void => {
      const { value, error } = fence;
      if (error) {
        post([index, 0, errorToData(error)]);
      } else if (value !== sent) {
        sent = value;
        if (!cell) {
          post([index, value]);
        } else if (cell.raise(value, fence.name) && cell.mustNotify(RECEIVER, value)) {
          atomics.add(ints, 0, 1);
          atomics.notify(ints, 0);
        }
      }
    };
    forward();
    fence.subscribe(forward);
  });
}

/**
 * Sends other data over a link. Messages keep their order, so the data arrives before signals that are sent later as
 * messages.
 * @param note an object that is no array
 */
export const sendNote = ({ port }: FenceCarrier, note: object): void => port.postMessage(note);

/** The receiving end of a link: copies of the fences that the other end sends. `close` ends the link. */
export class ReceivedFences {
  readonly fences: readonly PrivateFence[];
  /** Receives the sender's other messages (`sendNote`). */
  onNote: ((note: unknown) => void) | null = null;
  readonly #port: PortLike;
  readonly #ints: Int32Array | null;
  readonly #listening: FenceListening;
  /** The bell's count when a ring was last handled. It is read before the waiters read the fences. */
  #rings = 0;
  #isListening = false;
  #isClosed = false;

  constructor({ port, memory, names }: FenceCarrier, listening = systemListening) {
    this.#port = port;
    this.#ints = memory && new Int32Array(memory);
    this.#listening = listening;
    this.fences = names.map((name, index) =>
      this.#ints
        ? new PrivateFence(name, {
            cell: cellAt(this.#ints, index, listening.atomics),
            onWait: () => this.#listen(),
          })
        : new PrivateFence(name),
    );
    port.onmessage = (event) => {
      if (!Array.isArray(event.data)) {
        this.onNote?.(event.data);
        return;
      }
      const [index, value, error]: LinkMessage = event.data as never;
      if (error) this.fences[index].fail(errorFromData(error));
      else this.fences[index].signal(value);
    };
  }

  /** Ends the link. The fences keep their values. */
  close(): void {
    this.#isClosed = true;
    this.#port.close();
    const ints = this.#ints;
    if (!ints) return;
    // Ring, so that the pending listener ends: otherwise it would keep this object alive for ever.
    this.#listening.atomics.add(ints, 0, 1);
    this.#listening.atomics.notify(ints, 0);
  }

  /** Listens for the next ring, if any fence of this end has waiters. */
  #listen(): void {
    if (!this.#ints || this.#isListening || this.#isClosed) return;
    if (!this.fences.some((fence) => fence.isWaiting)) return;
    this.#isListening = true;
    this.#listening.listen(this.#ints, 0, this.#rings, this.#onRing);
  }

  readonly #onRing = (): void => {
    this.#isListening = false;
    if (!this.#ints || this.#isClosed) return;
    this.#rings = this.#listening.atomics.load(this.#ints, 0);
    for (const fence of this.fences) fence.look();
    this.#listen();
  };
}

function cellAt(ints: Int32Array, index: number, atomics: FenceListening['atomics']): CountCell {
  return new CountCell(ints, FIRST_CELL_BYTE + index * CELL_BYTES, atomics);
}
