import { describe, expect, it } from 'vitest';
import { replayThread } from './replay-thread.js';
import { explore, replay, ScheduleFailure, type VirtualThread, waitFor } from './schedule-explorer.js';

/** Returns a program of two threads that increment a counter: with a lost update, unless `isAtomic`. */
function counterProgram(isAtomic: boolean) {
  let value = 0;
  function* increment(): VirtualThread {
    if (isAtomic) {
      value++;
    } else {
      const read = value;
      yield `read ${read}`;
      value = read + 1;
    }
    yield;
  }
  return {
    threads: { one: increment(), two: increment() },
    atEnd: () => {
      if (value !== 2) throw new Error(`lost update: ${value}`);
    },
  };
}

function caught(run: () => void): ScheduleFailure {
  try {
    run();
  } catch (error) {
    if (error instanceof ScheduleFailure) return error;
    throw error;
  }
  throw new Error('nothing was caught');
}

describe('schedule explorer', () => {
  it('tries every interleaving exactly once', () => {
    const seen = new Set<string>();
    const result = explore(() => {
      let trace = '';
      function* thread(name: string): VirtualThread {
        trace += name;
        yield;
        trace += name;
      }
      return { threads: { a: thread('a'), b: thread('b') }, atEnd: () => void seen.add(trace) };
    });
    expect([...seen].sort()).toEqual(['aabb', 'abab', 'abba', 'baab', 'baba', 'bbaa']);
    expect(result.schedules).toBe(6);
  });

  it('finds a lost update, prints the schedule, and replays it', () => {
    const failure = caught(() => explore(() => counterProgram(false)));
    expect(failure.message).toContain('lost update: 1');
    expect(failure.message).toMatch(/Schedule:\n {2}1\. one: read 0\n/);
    expect(() => replay(() => counterProgram(false), failure.schedule)).toThrow('lost update: 1');
    expect(explore(() => counterProgram(true)).schedules).toBe(6);
  });

  it('finds the lost update with one preemption, and nothing without preemptions', () => {
    expect(() => explore(() => counterProgram(false), { maxPreemptions: 0 })).not.toThrow();
    expect(() => explore(() => counterProgram(false), { maxPreemptions: 1 })).toThrow('lost update');
  });

  it('reports a deadlock with each thread and what it waits for', () => {
    const program = () => {
      let left = false;
      let right = false;
      function* one(): VirtualThread {
        yield waitFor('the right', () => right);
        left = true;
      }
      function* two(): VirtualThread {
        yield waitFor('the left', () => left);
        right = true;
      }
      return { threads: { one: one(), two: two() } };
    };
    expect(() => explore(program)).toThrow('Deadlock: one waits for the right, two waits for the left.');
  });

  it('throws at the bound of schedules, and reports a livelock', () => {
    expect(() => explore(() => counterProgram(true), { maxSchedules: 5 })).toThrow('more than 5 schedules');
    const spin = () => {
      function* thread(): VirtualThread {
        for (;;) yield;
      }
      return { threads: { spinner: thread() } };
    };
    expect(() => explore(spin, { maxSteps: 20 })).toThrow('Livelock');
  });

  it('interrupts real synchronous code before every action', () => {
    const program = (isAtomic: boolean) => () => {
      const shared = { value: 0 };
      const body = () =>
        replayThread((stepper) => {
          if (isAtomic) {
            stepper.act('add', () => ++shared.value);
            return;
          }
          const read = stepper.act('read', () => shared.value);
          stepper.act('write', () => {
            shared.value = read + 1;
          });
        });
      return {
        threads: { one: body(), two: body() },
        atEnd: () => {
          if (shared.value !== 2) throw new Error(`lost update: ${shared.value}`);
        },
      };
    };
    expect(() => explore(program(false))).toThrow('lost update: 1');
    expect(() => explore(program(true))).not.toThrow();
  });
});
