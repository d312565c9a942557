import { describe, expect, it } from 'vitest';
import type { ManualPort } from '../../core/testing/manual-channel.js';
import { FenceThreads, turn, watch } from '../testing/fence-threads.js';
import type { Fences } from './fences.js';

const uplinkOf = (thread: Fences): ManualPort => thread.core.uplink as ManualPort;

/** Delivers the oldest message to the port as one that the browser can't read. */
function lose(port: ManualPort): void {
  port.inbox.shift();
  port.onmessageerror?.(new MessageEvent('messageerror'));
}

describe('lost messages of a group of fences', () => {
  it('after a lost message the thread requests all values again, the home thread sends them, and both report the loss', async () => {
    const threads = new FenceThreads('messages');
    const fence = threads.home.create('done');
    const away = threads.join('away');
    const copy = away.open(fence.share());
    threads.settle();
    const waiting = watch(copy.whenReached(1));
    threads.settle();
    fence.signal(1);
    lose(uplinkOf(away));
    await turn();
    expect([waiting.state, threads.errors]).toEqual(['waiting', ['message-lost']]);
    threads.settle();
    await turn();
    expect([waiting.state, threads.errors]).toEqual(['reached', ['message-lost', 'message-lost']]);
  });

  it('a lost answer rejects pending createShared() calls, and the fences that they created are closed', async () => {
    const threads = new FenceThreads('messages', { capacity: 1 });
    const away = threads.join('away');
    threads.settle();
    const created = watch(away.createShared('first'));
    uplinkOf(away).onmessageerror?.(new MessageEvent('messageerror'));
    await turn();
    expect(created.state).toBe('message-lost');
    threads.settle();
    const second = away.createShared('second');
    threads.settle();
    await expect(second).resolves.toMatchObject({ name: 'second' });
  });

  it('the home thread, which holds the fences’ values, reports a lost message from another thread', () => {
    const threads = new FenceThreads('messages');
    const away = threads.join('away');
    lose(uplinkOf(away).other);
    expect(threads.errors).toEqual(['message-lost']);
  });
});
