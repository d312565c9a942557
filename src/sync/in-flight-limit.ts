import type { WaitableFence } from './waitable.js';

/**
 * Limits the lists in flight on the GPU. A list may be submitted only while fewer than `maximum` earlier lists are
 * incomplete. Both fences count lists; `submitted` is signalled after `submit` has returned.
 *
 *   submitted  1 2 3 4 ·         completed + maximum = 2 + 2: list 5 waits for list 3
 *   completed  1 2
 *
 * @returns true when one more list may be submitted now; always false once `completed` has failed
 */
export const canSubmit = (submitted: WaitableFence, completed: WaitableFence, maximum: number): boolean =>
  completed.error === null && submitted.value - completed.value < maximum;
