import { describe, expect, it } from 'vitest';
import { ThreadError } from '../../core/errors.js';
import { ManualChannel } from '../../core/testing/manual-channel.js';
import type { FenceListening } from './fence-environment.js';
import { createFenceLink, ReceivedFences, sendFences, sendNote } from './fence-link.js';
import { PrivateFence } from './private-fence.js';

/** Creates a link. `settle` does the work of the receiver's event loop. */
function link(form: 'memory' | 'messages', sources: readonly PrivateFence[]) {
  const { port1, port2 } = new ManualChannel();
  const names = sources.map(({ name }) => name);
  const [{ memory }] = createFenceLink(names, form === 'memory');
  let listeners: { isRung: () => boolean; onChange: () => void }[] = [];
  let rings = 0;
  const listening: FenceListening = {
    atomics: Atomics,
    listen: (ints, index, expected, onChange) => {
      listeners.push({ isRung: () => Atomics.load(ints, index) !== expected, onChange });
    },
  };
  const named = Object.fromEntries(sources.map((source) => [source.name, source]));
  sendFences({ port: port1, memory, names }, named, listening);
  const received = new ReceivedFences({ port: port2, memory, names }, listening);
  const settle = (): void => {
    while (port2.inbox.length > 0) port2.deliver();
    for (
      let rung = listeners.find(({ isRung }) => isRung());
      rung;
      rung = listeners.find(({ isRung }) => isRung())
    ) {
      listeners = listeners.filter((listener) => listener !== rung);
      rings++;
      rung.onChange();
    }
  };
  return {
    received,
    copies: received.fences,
    settle,
    rings: () => rings,
    listeners: () => listeners.length,
    carrier: { port: port1, memory, names },
    port2,
  };
}

describe.each(['memory', 'messages'] as const)('F1 fence link, by %s', (form) => {
  const setUp = () => {
    const sources = [new PrivateFence('recorded', { value: 2 }), new PrivateFence('presented')];
    return { sources, ...link(form, sources) };
  };

  it('a note arrives before later signals', () => {
    const { sources, received, copies, carrier, settle } = setUp();
    settle();
    const seen: unknown[] = [];
    received.onNote = (note) => seen.push(note);
    copies[1].whenReached(1).then(() => seen.push('signal'));
    sendNote(carrier, { figures: 3 });
    sources[1].signal(1);
    settle();
    expect(seen).toEqual([{ figures: 3 }]);
    expect(copies[1].value).toBe(1);
  });

  it('the receiver follows every fence from its current value on, and is never ahead', () => {
    const { sources, copies, settle } = setUp();
    settle();
    expect(copies.map(({ value }) => value)).toEqual([2, 0]);
    sources[1].signal(2 ** 40 + 1);
    // In memory the receiver reads the value at once.
    expect(copies[1].value).toBe(form === 'memory' ? 2 ** 40 + 1 : 0);
    settle();
    expect(copies.map(({ value }) => value)).toEqual([2, 2 ** 40 + 1]);
  });

  it('the receiver calls listeners and releases waiters in the order of the values', async () => {
    const { sources, copies, settle } = setUp();
    settle();
    const seen: number[] = [];
    const unsubscribe = copies[0].subscribe(() => seen.push(copies[0].value));
    const wait = copies[1].whenReached(3).then(() => seen.push(-3));
    for (const value of [3, 4]) {
      sources[0].signal(value);
      settle();
    }
    sources[1].signal(3);
    settle();
    await wait;
    unsubscribe();
    sources[0].signal(5);
    settle();
    expect([seen, copies[0].value]).toEqual([[3, 4, -3], 5]);
  });

  it('the link forwards failures with class and code, even a failure before the link was created', async () => {
    const { sources, copies, settle } = setUp();
    const wait = copies[1].whenReached(1);
    sources[1].fail(new ThreadError('rhi-crashed', 'The RHI thread threw.'));
    settle();
    await expect(wait).rejects.toMatchObject({ name: 'ThreadError', code: 'rhi-crashed' });
    const later = link(form, [sources[1]]);
    later.settle();
    expect(later.copies[0].error?.code).toBe('rhi-crashed');
  });

  it('the receiver releases waiters of values that came before the failure', async () => {
    const { sources, copies, settle } = setUp();
    const waits = [1, 2].map((value) => copies[1].whenReached(value).catch((error) => error.code));
    sources[1].signal(1);
    sources[1].fail(new ThreadError('rhi-crashed', 'The RHI thread threw.'));
    settle();
    expect(await Promise.all(waits)).toEqual([undefined, 'rhi-crashed']);
    sources[1].signal(9);
    expect(copies[1].value).toBe(1);
  });
});

describe('F5 fence link in memory', () => {
  const setUp = () => {
    const source = new PrivateFence('recorded');
    return { source, ...link('memory', [source]) };
  };

  it('the sender rings the bell only for awaited values', async () => {
    const { source, copies, settle, rings } = setUp();
    for (let value = 1; value <= 50; value++) source.signal(value);
    settle();
    expect([copies[0].value, rings()]).toEqual([50, 0]);
    const waits = [60, 60, 55].map((value) => copies[0].whenReached(value));
    settle();
    const before = rings();
    for (let value = 51; value <= 60; value++) {
      source.signal(value);
      settle();
    }
    await Promise.all(waits);
    expect(rings() - before).toBe(2);
  });

  it('a closed link leaves no listener behind', () => {
    const { received, copies, settle, listeners } = setUp();
    void copies[0].whenReached(1);
    expect(listeners()).toBe(1);
    received.close();
    settle();
    expect(listeners()).toBe(0);
    void copies[0].whenReached(2);
    expect(listeners()).toBe(0);
  });
});
