import { describe, expect, it } from 'vitest';
import { ThreadError } from '../core/errors.js';
import { ManualChannel } from '../core/testing/manual-channel.js';
import { withDeadline } from './deadline.js';
import { Fence } from './fence.js';
import { receiveFences, sendFences } from './fence-link.js';
import { canSubmit } from './in-flight-limit.js';
import { RenderCommandFence } from './render-command-fence.js';
import { ManualClock } from './testing/manual-clock.js';

describe('F1 fence', () => {
  it('only grows, and tells its listeners of every change', () => {
    const fence = new Fence('frames', { value: 5 });
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

  it('resolves waiters when their value is reached, not before', async () => {
    const fence = new Fence('frames');
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

  it('a failure is sticky: waiters and later waits get the first error', async () => {
    const fence = new Fence('frames');
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

  it('wraps a foreign error', () => {
    const fence = new Fence('frames');
    fence.fail(new TypeError('x is undefined'));
    expect(fence.error).toMatchObject({ code: 'internal', message: 'x is undefined' });
  });
});

describe('F3 deadlines', () => {
  it('is an error that names both sides, at the absolute deadline', async () => {
    const clock = new ManualClock();
    const fence = new Fence('recorded frames');
    const wait = withDeadline(fence.whenReached(4), {
      milliseconds: 100,
      waiter: 'The game thread',
      awaited: 'frame 4',
      clock,
    });
    const end = expect(wait).rejects.toMatchObject({
      name: 'ThreadError',
      code: 'wait-timed-out',
      message: expect.stringMatching(/^The game thread waited 100 ms for frame 4/),
    });
    clock.advance(60);
    fence.signal(3);
    clock.fireEarly(); // a timer that fires early ends nothing
    clock.advance(39);
    expect(clock.timers.size).toBe(1);
    clock.advance(1);
    await end;
    fence.signal(4);
    await fence.whenReached(4);
  });

  it('leaves no timer behind', async () => {
    const clock = new ManualClock();
    await withDeadline(Promise.resolve(5), { milliseconds: 10, waiter: 'A', awaited: 'B', clock });
    await Promise.resolve();
    expect(clock.timers.size).toBe(0);
  });

  it('withDeadline: the promise, or an error that says who waited for what', async () => {
    const clock = new ManualClock();
    const options = { milliseconds: 50, waiter: 'createEngine', awaited: 'the render worker', clock };
    await expect(withDeadline(Promise.resolve('ready'), options)).resolves.toBe('ready');
    await expect(withDeadline(Promise.reject(new Error('no')), options)).rejects.toThrow('no');
    const late = expect(withDeadline(new Promise(() => {}), options)).rejects.toThrow(
      'createEngine waited 50 ms for the render worker',
    );
    clock.advance(50);
    await late;
  });

  it('splits a wait that is longer than the longest timer', async () => {
    const clock = new ManualClock();
    const wait = new Promise(() => {});
    const end = expect(
      withDeadline(wait, { milliseconds: 2 ** 32, waiter: 'A', awaited: 'B', clock }),
    ).rejects.toMatchObject({ code: 'wait-timed-out' });
    expect([...clock.timers.values()][0].at).toBe(2 ** 31 - 1);
    clock.advance(2 ** 32);
    await end;
  });
});

describe('F1 fence link', () => {
  function link() {
    const channel = new ManualChannel();
    const sources = [new Fence('recorded', { value: 2 }), new Fence('presented')];
    const copies = [new Fence('recorded copy'), new Fence('presented copy')];
    sendFences(channel.port1, sources);
    receiveFences(channel.port2, copies);
    return { channel, sources, copies };
  }

  it('follows every fence, from its present value on, and is never ahead', () => {
    const { channel, sources, copies } = link();
    expect(copies[0].value).toBe(0);
    channel.settle();
    expect(copies.map((fence) => fence.value)).toEqual([2, 0]);
    sources[1].signal(2 ** 40 + 1);
    expect(copies[1].value).toBe(0);
    channel.settle();
    expect(copies.map((fence) => fence.value)).toEqual([2, 2 ** 40 + 1]);
  });

  it('forwards a failure with its class and code, and the one that was there before', async () => {
    const { channel, sources, copies } = link();
    const wait = copies[1].whenReached(1);
    sources[1].fail(new ThreadError('rhi-crashed', 'The RHI thread threw.'));
    channel.settle();
    await expect(wait).rejects.toMatchObject({ name: 'ThreadError', code: 'rhi-crashed' });
    const later = new ManualChannel();
    const copy = new Fence('late');
    sendFences(later.port1, [sources[1]]);
    receiveFences(later.port2, [copy]);
    later.settle();
    expect(copy.error?.code).toBe('rhi-crashed');
  });
});

describe('R4 render command fence', () => {
  it('stands for recorded or presented, and many are answered by one signal', async () => {
    const fences = { recorded: new Fence('recorded'), presented: new Fence('presented') };
    const [record, present, early] = [0, 1, 2].map(() => new RenderCommandFence(fences));
    expect(early.isComplete).toBe(true);
    record.begin(3);
    present.begin(3, true);
    early.begin(2);
    expect([record, present, early].map((fence) => fence.isComplete)).toEqual([false, false, false]);
    fences.recorded.signal(3);
    expect([record, present, early].map((fence) => fence.isComplete)).toEqual([true, false, true]);
    await Promise.all([record.wait(), early.wait()]);
    const wait = present.wait();
    fences.presented.fail(new ThreadError('rhi-crashed', 'The RHI thread threw.'));
    await expect(wait).rejects.toThrow('The RHI thread threw.');
    expect(present.error?.code).toBe('rhi-crashed');
  });
});

describe('in-flight limit', () => {
  it('fills to exactly the limit, holds, and goes on after one completion', () => {
    const [submitted, completed] = [new Fence('submitted'), new Fence('completed')];
    expect(canSubmit(submitted, completed, 2)).toBe(true);
    submitted.signal(1);
    expect(canSubmit(submitted, completed, 2)).toBe(true);
    submitted.signal(2);
    expect(canSubmit(submitted, completed, 2)).toBe(false);
    completed.signal(1);
    expect(canSubmit(submitted, completed, 2)).toBe(true);
  });

  it('lets nothing through after the GPU has failed', () => {
    const [submitted, completed] = [new Fence('submitted'), new Fence('completed')];
    completed.fail(new ThreadError('rhi-crashed', 'Gone.'));
    expect(canSubmit(submitted, completed, 1)).toBe(false);
  });
});
