import { describe, expect, it } from 'vitest';
import { atDeadline, withDeadline } from './deadline.js';
import { PrivateFence } from './fences/private-fence.js';
import { ManualClock } from './testing/manual-clock.js';
import {
  explore,
  exploreAsync,
  type Program,
  type VirtualThread,
  waitFor,
} from './testing/schedule-explorer.js';

type Wait = typeof withDeadline;

/**
 * Returns a program in which one thread waits for value 2 for at most 20 ms, and another thread signals 1 and 2. The
 * clock may move at any step.
 */
function program(waitUntil: Wait, ends: Set<string>): () => Program {
  return () => {
    const clock = new ManualClock();
    const fence = new PrivateFence('frames');
    let outcome = '';
    let [signalledAt, endedAt] = [Number.POSITIVE_INFINITY, 0];
    const end = (how: string): void => {
      outcome = how;
      endedAt = clock.now();
      ends.add(`${how} at ${clock.now()}`);
    };
    function* waiter(): VirtualThread {
      yield 'waits';
      const wait = { milliseconds: 20, waiter: 'the game', awaited: 'frame 2', clock };
      const late = clock.now() + 20;
      waitUntil(fence.whenReached(2), wait).then(
        () => end('complete'),
        (error: { code?: string }) => {
          end(error.code ?? 'an error');
          if (clock.now() < late) throw new Error('Timed out before the deadline.');
        },
      );
      yield waitFor('the fence, or the deadline', () => outcome !== '');
    }
    function* signaller(): VirtualThread {
      yield 'signals 1';
      fence.signal(1); // a spurious wake-up, which must not move the deadline
      yield 'signals 2';
      fence.signal(2);
      signalledAt = clock.now();
    }
    function* time(): VirtualThread {
      for (let step = 0; step < 4; step++) {
        yield `${clock.now()} ms`;
        clock.advance(10);
      }
    }
    return {
      threads: { waiter: waiter(), signaller: signaller(), time: time() },
      invariant: () => {
        if (outcome === 'complete' && !fence.isReached(2))
          throw new Error('A time-out was taken for completion.');
        if (outcome === 'wait-timed-out' && signalledAt < endedAt)
          throw new Error('Completion was taken for a time-out.');
      },
    };
  };
}

describe('deadlines, every schedule', () => {
  it('F3: a wait ends by completion or by an error at its absolute deadline, never by both or neither', async () => {
    const ends = new Set<string>();
    const { schedules } = await exploreAsync(program(withDeadline, ends));
    console.log(`withDeadline: all ${schedules} schedules`);
    expect(schedules).toBeGreaterThan(50);
    expect([...ends]).toEqual(
      expect.arrayContaining(['complete at 0', 'complete at 10', 'wait-timed-out at 20']),
    );
  });

  it('F3: the explorer catches waits that take a time-out for completion or lose the wake-up', async () => {
    const tolerant: Wait = (promise, options) =>
      withDeadline(promise, options).catch(() => undefined as never);
    await expect(exploreAsync(program(tolerant, new Set()))).rejects.toThrow(
      'A time-out was taken for completion.',
    );
    const deaf: Wait = (_, options) => withDeadline(new Promise<never>(() => {}), options);
    await expect(exploreAsync(program(deaf, new Set()))).rejects.toThrow(
      'Completion was taken for a time-out.',
    );
  });

  /** The signature of `atDeadline`, which checks the clock because a timer may fire early. */
  type Arm = typeof atDeadline;

  /** Returns a program of a clock and a browser, which fires timers early up to twice. */
  const earlyTimers = (arm: Arm) => (): Program => {
    const clock = new ManualClock();
    let timedOutAt: number | null = null;
    arm(20, clock, () => {
      timedOutAt = clock.now();
    });
    function* time(): VirtualThread {
      for (let step = 0; step < 3; step++) {
        yield `${clock.now()} ms`;
        clock.advance(10);
      }
    }
    function* browser(): VirtualThread {
      for (let timer = 0; timer < 2; timer++) {
        yield 'fires early';
        if (clock.timers.size > 0) clock.fireEarly();
      }
    }
    return {
      threads: { time: time(), browser: browser() },
      invariant: () => {
        if (timedOutAt !== null && timedOutAt < 20) throw new Error('Timed out before the deadline.');
        if (timedOutAt !== null && timedOutAt > 20) throw new Error('Timed out after the deadline.');
      },
      atEnd: () => {
        if (timedOutAt === null) throw new Error('The wait did not end.');
      },
    };
  };

  it('F3: a timer that fires early moves no deadline', () => {
    expect(explore(earlyTimers(atDeadline)).schedules).toBeGreaterThanOrEqual(10);
  });

  it('F3: the explorer catches deadlines that trust an early timer or start the whole wait again after it', () => {
    const believing: Arm = (deadline, clock, onTimeOut) => {
      const timer = clock.set(onTimeOut, deadline - clock.now());
      return () => clock.clear(timer);
    };
    expect(() => explore(earlyTimers(believing))).toThrow('Timed out before the deadline.');
    const beginningAnew: Arm = (deadline, clock, onTimeOut) => {
      const again = (): unknown =>
        clock.set(() => (clock.now() >= deadline ? onTimeOut() : again()), deadline);
      again();
      return () => {};
    };
    expect(() => explore(earlyTimers(beginningAnew))).toThrow(/after the deadline|did not end/);
  });
});
