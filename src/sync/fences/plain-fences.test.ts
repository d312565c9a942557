import { describe, expect, it } from 'vitest';
import { FenceThreads, FORMS, turn, watch } from '../testing/fence-threads.js';
import { createFenceLink, ReceivedFences, sendFences } from './fence-link.js';
import { PrivateFence } from './private-fence.js';

describe.each(FORMS)('F12 plain fences and native fences, by %s', (form) => {
  it('an adopted plain fence and its native fence follow each other until either ends', async () => {
    const threads = new FenceThreads(form);
    const plain = new PrivateFence('plain');
    plain.signal(3);
    const native = threads.home.adopt(plain, { isMutual: true });
    const there = threads.join('there').open(native.share());
    threads.settle();
    expect(there.value).toBe(3);
    const waits = [there.whenReached(4), plain.whenReached(5), native.whenReached(5)].map(watch);
    plain.signal(4);
    threads.settle();
    await turn();
    expect(waits.map(({ state }) => state)).toEqual(['reached', 'waiting', 'waiting']);
    const before = threads.home.counts.notifications;
    there.signal(5);
    threads.settle();
    await turn();
    expect(waits.map(({ state }) => state)).toEqual(['reached', 'reached', 'reached']);
    // One notification releases the waiters of both fences.
    if (form === 'memory') expect(threads.home.counts.notifications - before).toBe(1);
    plain.fail(new Error('the end'));
    threads.settle();
    expect(there.error?.message).toBe('the end');
  });

  it('closing the native fence does not affect the plain fence', () => {
    const threads = new FenceThreads(form);
    const plain = new PrivateFence('plain');
    const native = threads.home.adopt(plain);
    native.close();
    plain.signal(1);
    expect([plain.value, native.value]).toEqual([1, 0]);
  });

  it('a link carries a native fence like a plain fence', async () => {
    const threads = new FenceThreads(form);
    const native = threads.home.create('native');
    const [here, there] = createFenceLink(['native'], false);
    const received = new ReceivedFences(here);
    sendFences(there, { native });
    native.signal(2);
    await received.fences[0]?.whenReached(2);
    expect(received.fences[0]?.value).toBe(2);
    received.close();
  });
});

describe('F12 wakes without signals', () => {
  it('after a value was raised without a notification, wake releases the waiters for it on all threads', async () => {
    const threads = new FenceThreads('memory');
    const [inMemory, byMessages] = [
      threads.join('in memory'),
      threads.join('by messages', { by: 'messages' }),
    ];
    const fence = threads.home.create('fence');
    const other = threads.home.create('other');
    const opened = [inMemory, byMessages].map((thread) => thread.open(fence.share()));
    threads.settle();
    const waits = [fence, ...opened].map((each) => watch(each.whenReached(2)));
    const waitOther = watch(inMemory.open(other.share()).whenReached(1));
    threads.settle();
    fence.local.cell.raise(2n);
    threads.settle();
    await turn();
    expect(waits.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting']);
    threads.home.wake([fence]);
    threads.settle();
    await turn();
    expect(waits.map(({ state }) => state)).toEqual(['reached', 'reached', 'reached']);
    expect(waitOther.state).toBe('waiting');
    // A thread that takes part by messages can call `wake`, too.
    other.local.cell.raise(1n);
    byMessages.open(other.share());
    byMessages.wake();
    threads.settle();
    await turn();
    expect(waitOther.state).toBe('reached');
  });

  it('evicting a thread wakes the waiters of values that it raised without notifying', async () => {
    const threads = new FenceThreads('memory');
    const fence = threads.home.create('fence');
    const { invitation } = threads.home.invite();
    const waiter = threads.join('waiter');
    const wait = watch(waiter.open(fence.share()).whenReached(1));
    fence.local.cell.raise(1n);
    threads.settle();
    await turn();
    expect(wait.state).toBe('waiting');
    threads.home.evict(invitation);
    threads.settle();
    await turn();
    expect(wait.state).toBe('reached');
  });

  it('a scan, as after a notification that names no fence, checks plain fences as well as native fences', async () => {
    const threads = new FenceThreads('memory');
    const [here, there] = createFenceLink(['count'], true);
    const received = new ReceivedFences(here, threads.environment);
    const count = new PrivateFence('count');
    const plain = received.fences[0] as PrivateFence;
    threads.home.adopt(plain);
    const native = threads.home.create('native');
    const waits = [plain.whenReached(1), native.whenReached(1)].map(watch);
    sendFences(there, { count });
    // Both values are raised. But no listener has handled the wake-up for `plain` yet, and `native` was raised without
    // a wake-up.
    count.signal(1);
    native.local.cell.raise(1n);
    threads.home.scan();
    await turn();
    expect(waits.map(({ state }) => state)).toEqual(['reached', 'reached']);
    received.close();
  });
});
