import type { PortLike } from '../core/carrier.js';
import { type ErrorData, errorFromData, errorToData } from '../core/errors.js';
import type { SignallableFence, WaitableFence } from './waitable.js';

/**
 * Carries fences from the thread that signals them to threads that wait. Each end has a fence of its own; the
 * receiver's copy is never ahead of the sender's.
 *
 *   sender's fence ── signal ──► [ port: one message per signal ] ──► receiver's fence ──► waiters
 *
 * The message carries the value, so it never tears (SYSTEMS F1). A failure travels likewise, and is sticky at
 * both ends.
 */
type LinkMessage = readonly [fence: number, value: number, error?: ErrorData];

/** Sends what happens to `fences`, in their order; the receiver names them in the same order. */
export function sendFences(port: PortLike, fences: readonly WaitableFence[]): void {
  const post = (message: LinkMessage) => port.postMessage(message);
  fences.forEach((fence, index) => {
    let sent = 0;
    const forward = () => {
      if (fence.error) {
        post([index, 0, errorToData(fence.error)]);
      } else if (fence.value !== sent) {
        sent = fence.value;
        post([index, sent]);
      }
    };
    forward();
    fence.subscribe(forward);
  });
}

/**
 * Follows the fences that the other end of `port` sends; `fences` are this thread's own copies. The link ends with
 * its port.
 */
export function receiveFences(port: PortLike, fences: readonly SignallableFence[]): void {
  port.onmessage = (event) => {
    const [index, value, error]: LinkMessage = event.data;
    const fence = fences[index] as SignallableFence;
    if (error) fence.fail(errorFromData(error));
    else fence.signal(value);
  };
}
