import type { PortLike } from '../core/carrier.js';
import { type ErrorData, errorFromData, errorToData } from '../core/errors.js';
import type { Fence } from './fence.js';

/**
 * Carries fences from the thread that signals them to threads that wait. Each end has a `Fence` of its own; the
 * receiver's copy is never ahead of the sender's.
 *
 *   sender's fence ── signal ──► [ port: coalesced messages ] ──► receiver's fence ──► waiters
 *                           └──► [ cell in shared memory   ] ──► exact value, at any moment (`sync`)
 *
 * With shared memory a fence's value lies in one 64-bit cell, stored and loaded whole, so it never tears
 * (SYSTEMS F1); the message then only wakes the receiver. Without it the message carries the value. A failure
 * always travels as a message, and is sticky at both ends.
 */
type LinkMessage =
  /** Sender → receiver, first, when shared: one cell per fence. */
  | { readonly cells: BigInt64Array<SharedArrayBuffer> }
  | { readonly fence: number; readonly value: number }
  | { readonly fence: number; readonly error: ErrorData };

/**
 * Sends what happens to `fences`, in their order; the receiver names them in the same order.
 * @returns a function that ends the link and closes the port
 */
export function sendFences(
  port: PortLike,
  fences: readonly Fence[],
  options: { shared: boolean },
): () => void {
  const post = (message: LinkMessage) => port.postMessage(message);
  const cells = options.shared ? new BigInt64Array(new SharedArrayBuffer(fences.length * 8)) : undefined;
  if (cells) post({ cells });
  const unsubscribes = fences.map((fence, index) => {
    let sent = 0;
    const forward = () => {
      if (fence.error) {
        post({ fence: index, error: errorToData(fence.error) });
      } else if (fence.value !== sent) {
        sent = fence.value;
        if (cells) Atomics.store(cells, index, BigInt(sent));
        post({ fence: index, value: sent });
      }
    };
    forward();
    return fence.subscribe(forward);
  });
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe();
    port.onmessage = null;
    port.close();
  };
}

/** The receiving end: local fences that follow the sender's. */
export interface ReceivedFences {
  readonly fences: readonly Fence[];
  /** Takes over the exact values now, without waiting for messages. False when there is no shared memory. */
  sync(): boolean;
  close(): void;
}

/** Follows the fences that the other end of `port` sends; `fences` are this thread's own copies. */
export function receiveFences(port: PortLike, fences: readonly Fence[]): ReceivedFences {
  let cells: BigInt64Array<SharedArrayBuffer> | undefined;
  port.onmessage = (event) => {
    const message: LinkMessage = event.data;
    if ('cells' in message) cells = message.cells;
    else if ('error' in message) fences[message.fence].fail(errorFromData(message.error));
    else fences[message.fence].signal(message.value);
  };
  return {
    fences,
    sync: () => {
      if (!cells) return false;
      for (let index = 0; index < fences.length; index++) {
        fences[index].signal(Number(Atomics.load(cells, index)));
      }
      return true;
    },
    close: () => {
      port.onmessage = null;
      port.close();
    },
  };
}
