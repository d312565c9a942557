import { describe, expect, it } from 'vitest';
import { ThreadError } from '../../core/errors.js';
import { CountCell } from './cells/count-cell.js';
import { PrivateFence } from './private-fence.js';

describe('F1 private fence', () => {
  it('the value only grows, and listeners are called for every change', () => {
    const fence = new PrivateFence('frames', { value: 5 });
    const seen: number[] = [];
    const unsubscribe = fence.subscribe(() => seen.push(fence.value));
    fence.signal(7);
    fence.signal(6);
    fence.signal(7);
    fence.signal(9);
    unsubscribe();
    fence.signal(10);
    expect(seen).toEqual([7, 9]);
    expect(fence.value).toBe(10);
    expect([fence.isReached(10), fence.isReached(11)]).toEqual([true, false]);
    expect(() => fence.signal(1.5)).toThrow(expect.objectContaining({ code: 'bad-fence-value' }));
    expect(() => fence.signal(Number.NaN)).toThrow();
  });

  it('waiters resolve when their value is reached, not before', async () => {
    const fence = new PrivateFence('frames');
    const order: string[] = [];
    const waits = [2, 1, 3].map((value) =>
      fence.whenReached(value).then(() => order.push(`reached ${value}`)),
    );
    fence.signal(2);
    await Promise.all(waits.slice(0, 2));
    expect(order).toEqual(['reached 2', 'reached 1']);
    fence.signal(8);
    await waits[2];
    await fence.whenReached(8);
  });

  it('earlier waiters are released first, even before this thread is notified of the value', async () => {
    const words = new Int32Array(new SharedArrayBuffer(CountCell.bytesFor(1)));
    const here = new PrivateFence('frames', { cell: new CountCell(words, 0) });
    const order: string[] = [];
    const first = here.whenReached(1).then(() => order.push('first'));
    new PrivateFence('frames', { cell: new CountCell(words, 0) }).signal(1);
    await here.whenReached(1);
    expect(order).toEqual(['first']);
    await first;
  });

  it('a failure is sticky: waiters and later waits get the first error', async () => {
    const fence = new PrivateFence('frames');
    fence.signal(3);
    const error = new ThreadError('render-crashed', 'The render thread threw.');
    const waiting = fence.whenReached(4);
    fence.fail(error);
    fence.fail(new Error('another'));
    await expect(waiting).rejects.toBe(error);
    await expect(fence.whenReached(5)).rejects.toBe(error);
    fence.signal(6);
    expect(fence.value).toBe(3);
    await fence.whenReached(3); // was reached before
  });

  it('fail wraps foreign errors', () => {
    const fence = new PrivateFence('frames');
    fence.fail(new TypeError('x is undefined'));
    expect(fence.error).toMatchObject({ code: 'internal', message: 'x is undefined' });
  });
});
