import { expect, it } from 'vitest';
import { FenceThreads } from '../testing/fence-threads.js';
import { joinFences } from './fences.js';

/**
 * Frees the place of a terminated thread that a signal has woken, and lets the next thread wait in that place. A place
 * is a thread's number in the group, with its monitored value of each fence.
 * @param hasEnded whether the first thread has ended before its place is freed
 * @returns whether the wait of the next thread ends
 */
async function waitAtFreedPlace(hasEnded: boolean): Promise<boolean> {
  const threads = new FenceThreads('memory');
  const { home } = threads;
  const fence = home.create('done');
  const join = () => {
    const { invitation } = home.invite();
    const fences = joinFences(invitation, { name: 'worker', environment: threads.environment });
    return { invitation, fences, opened: fences.open(fence.share()) };
  };
  const dying = join();
  void dying.opened.whenReached(3);
  fence.signal(3);
  // The thread has been told to terminate. It may still handle the signal before it ends.
  if (hasEnded) threads.settle();
  home.evict(dying.invitation);
  const next = join();
  expect(next.fences.core.thread).toBe(dying.fences.core.thread);
  let isReached = false;
  void next.opened.whenReached(5).then(() => {
    isReached = true;
  });
  threads.settle();
  fence.signal(5);
  threads.settle();
  await new Promise((resolve) => setTimeout(resolve));
  return isReached;
}

it('F7: a place is freed once its thread has ended; if it were freed earlier, the next thread could wait for ever', async () => {
  expect(await waitAtFreedPlace(true)).toBe(true);
  // The dying thread overwrites the monitored value of the next thread.
  expect(await waitAtFreedPlace(false)).toBe(false);
});
