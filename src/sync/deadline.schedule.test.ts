import { describe, expect, it } from 'vitest';
import { atDeadline } from './deadline.js';
import { PrivateFence } from './monitored/private-fence.js';
import { ManualClock } from './testing/manual-clock.js';
import { explore, type Program, type VirtualThread, waitFor } from './testing/schedule-explorer.js';

/** Somebody waits for value 2 until 20 ms; somebody signals 1 and 2; the clock moves when it likes. */
function program(takesTimeOutForCompletion: boolean, ends: Set<string>): () => Program {
  return () => {
    const clock = new ManualClock();
    const fence = new PrivateFence('frames');
    let outcome = '';
    function* waiter(): VirtualThread {
      let isWoken = false;
      const unsubscribe = fence.subscribe(() => {
        isWoken = true;
      });
      let isLate = false;
      const cancel = atDeadline(20, clock, () => {
        isLate = true;
      });
      while (!fence.isReached(2) && !isLate) {
        isWoken = false; // value 1 is a spurious wake-up: it moves no deadline
        yield waitFor('the fence, or the deadline', () => isWoken || isLate);
      }
      unsubscribe();
      cancel();
      outcome = fence.isReached(2) || takesTimeOutForCompletion ? 'complete' : 'timed out';
      ends.add(`${outcome} at ${clock.now()}`);
    }
    function* signaller(): VirtualThread {
      yield 'signals 1';
      fence.signal(1);
      yield 'signals 2';
      fence.signal(2);
    }
    function* time(): VirtualThread {
      for (let step = 0; step < 3; step++) {
        yield `${clock.now()} ms`;
        clock.advance(10);
      }
    }
    return {
      threads: { waiter: waiter(), signaller: signaller(), time: time() },
      invariant: () => {
        if (outcome === 'complete' && !fence.isReached(2))
          throw new Error('A time-out was taken for completion.');
        if (outcome === 'timed out' && clock.now() < 20) throw new Error('Timed out before the deadline.');
      },
      atEnd: () => {
        if (outcome === '') throw new Error('The wait did not end.');
      },
    };
  };
}

describe('deadlines, every schedule', () => {
  it('F3: a wait ends by completion or by an error at its absolute deadline, never by both or neither', () => {
    const ends = new Set<string>();
    expect(explore(program(false, ends)).schedules).toBeGreaterThan(50);
    expect([...ends]).toEqual(expect.arrayContaining(['complete at 0', 'complete at 10', 'timed out at 20']));
  });

  it('F3: taking a time-out for completion is caught', () => {
    expect(() => explore(program(true, new Set()))).toThrow('A time-out was taken for completion.');
  });

  /** As `atDeadline`, which believes no timer: it may fire early. */
  type Arm = typeof atDeadline;

  /** Only the clock and a browser that fires timers when it likes, as often as twice before their time. */
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

  it('F3: believing a timer, and beginning the time anew after an early one, are caught', () => {
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
