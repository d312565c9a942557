import { describe, expect, it } from 'vitest';
import { withDeadline } from './deadline.js';
import { PrivateFence } from './fences/private-fence.js';
import { ManualClock } from './testing/manual-clock.js';

describe('F3 deadlines', () => {
  it('a time-out is an error at the absolute deadline, which names the waiter and the awaited event', async () => {
    const clock = new ManualClock();
    const fence = new PrivateFence('recorded frames');
    const wait = withDeadline(fence.whenReached(4), {
      milliseconds: 100,
      waiter: 'The game thread',
      awaited: 'frame 4',
      clock,
    });
    const end = expect(wait).rejects.toMatchObject({
      name: 'ThreadError',
      code: 'wait-timed-out',
      message: expect.stringMatching(/^The game thread waited 100 ms in vain for frame 4/),
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

  it('a settled wait leaves no timer behind', async () => {
    const clock = new ManualClock();
    await withDeadline(Promise.resolve(5), { milliseconds: 10, waiter: 'A', awaited: 'B', clock });
    await Promise.resolve();
    expect(clock.timers.size).toBe(0);
  });

  it('withDeadline settles like its promise, or rejects with an error that names waiter and awaited event', async () => {
    const clock = new ManualClock();
    const options = { milliseconds: 50, waiter: 'createEngine', awaited: 'the render worker', clock };
    await expect(withDeadline(Promise.resolve('ready'), options)).resolves.toBe('ready');
    await expect(withDeadline(Promise.reject(new Error('no')), options)).rejects.toThrow('no');
    const late = expect(withDeadline(new Promise(() => {}), options)).rejects.toThrow(
      'createEngine waited 50 ms in vain for the render worker',
    );
    clock.advance(50);
    await late;
  });

  it('a wait longer than the longest timer uses several timers', async () => {
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
