import { describe, expect, it } from 'vitest';
import type { FenceListening } from '../../sync/fences/fence-environment.js';
import { createFenceLink, ReceivedFences, sendFences } from '../../sync/fences/fence-link.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { FollowedFence } from './followed-fence.js';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns a fence of another thread in shared memory. `rings` counts the notifications to the fence's receiver. */
function remote() {
  const sent = new PrivateFence('sent');
  const [here, there] = createFenceLink(['sent'], true);
  const listeners: { isRung: () => boolean; call: () => void }[] = [];
  const listening: FenceListening = {
    atomics: Atomics,
    listen: (ints, index, expected, call) => {
      listeners.push({ isRung: () => Atomics.load(ints, index) !== expected, call });
    },
  };
  const received = new ReceivedFences(here, listening);
  sendFences(there, { sent });
  const rings = (): number => new Int32Array(here.memory as ArrayBufferLike)[0] as number;
  const receive = async (): Promise<void> => {
    for (const { isRung, call } of listeners.splice(0)) if (isRung()) call();
    await settle();
  };
  return { sent, source: received.fences[0] as PrivateFence, rings, receive, close: () => received.close() };
}

describe('a fence that follows another fence', () => {
  it('F5: causes no notification for values without a waiter, and still reads the newest value', async () => {
    const { sent, source, rings, receive, close } = remote();
    const followed = new FollowedFence('followed');
    followed.follow(source);
    for (let value = 1; value <= 5; value++) sent.signal(value);
    expect([rings(), followed.fence.value]).toEqual([0, 5]);
    let reached = 0;
    void followed.fence.whenReached(9).then(() => {
      reached = followed.fence.value;
    });
    await settle();
    for (let value = 6; value <= 8; value++) sent.signal(value);
    expect(rings()).toBe(0);
    sent.signal(9);
    expect(rings()).toBe(1);
    await receive();
    expect(reached).toBe(9);
    sent.signal(10);
    expect(rings()).toBe(1);
    close();
  });

  it('moves waits to the next source, and its value never decreases', async () => {
    const [first, second] = [new PrivateFence('first'), new PrivateFence('second')];
    const followed = new FollowedFence('followed');
    const { fence } = followed;
    const reached: number[] = [];
    for (const value of [4, 8, 6]) void fence.whenReached(value).then(() => reached.push(value));
    followed.follow(first);
    first.signal(5);
    await settle();
    followed.follow(null);
    first.signal(8); // This signal no longer counts.
    await settle();
    expect([fence.value, reached]).toEqual([5, [4]]);
    followed.follow(second);
    second.signal(3);
    expect(fence.value).toBe(5);
    second.signal(6);
    await settle();
    expect(reached).toEqual([4, 6]);
    fence.signal(7);
    second.signal(8);
    await settle();
    expect(reached).toEqual([4, 6, 8]);
  });

  it('releases no waiter when its source fails, and all waiters when it fails itself', async () => {
    const source = new PrivateFence('source');
    const followed = new FollowedFence('followed');
    followed.follow(source);
    let outcome = 'waiting';
    followed.fence.whenReached(2).catch((error) => {
      outcome = error.message;
    });
    source.fail(new Error('lost'));
    await settle();
    expect(outcome).toBe('waiting');
    followed.follow(null);
    followed.fence.fail(new Error('ended'));
    await settle();
    expect(outcome).toBe('ended');
  });
});
