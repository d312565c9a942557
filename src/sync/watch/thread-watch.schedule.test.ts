import { describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { explore, type Program, type VirtualThread, waitFor } from '../testing/schedule-explorer.js';
import { ThreadWatch } from './thread-watch.js';

interface Scenario {
  /** True: the watched thread was terminated and never answers. False: it answers after any delay. */
  readonly isGone?: boolean;
  /** Whether the observer is blocked for a minute in its third second. */
  readonly isBlocked?: boolean;
  /** A fault on purpose: the observer makes up for every missed tick before it receives messages. */
  readonly makesUpForMissedTicks?: boolean;
}

const SECONDS = 7;
/** Observed seconds without an answer after which a thread is dead: 1 s until the question, then the limit of 3 s. */
const DEAD_AFTER = 4;

/**
 * Returns a program of three virtual threads: `observer` runs its event loop once per second, `watched` answers
 * questions, and `messages` delivers the answers. Questions and answers may arrive before or after any of the
 * observer's seconds, or too late.
 */
function program(scenario: Scenario, ends: Set<string>): () => Program {
  return () => {
    const clock = new ManualClock();
    let questions = 0;
    let answers = 0;
    let observed = 0;
    let heardAt = 0;
    let diedAt: number | null = null;
    const watch = new ThreadWatch({
      thread: 'The thread',
      remedy: 'Start another.',
      awaited: () => 'frame 7',
      ask: () => questions++,
      onDead: () => {
        diedAt = observed;
      },
      limitMilliseconds: (DEAD_AFTER - 1) * 1000,
      clock,
    });

    function* observer(): VirtualThread {
      while (observed < SECONDS) {
        observed++;
        if (!scenario.isBlocked || observed !== 3) clock.advance(1000);
        else if (scenario.makesUpForMissedTicks) clock.advance(60_000);
        else {
          clock.block(60_000);
          clock.advance(0);
        }
        yield `second ${observed}`;
      }
      watch.stop();
    }
    function* watched(): VirtualThread {
      for (;;) {
        yield waitFor('a question', () => questions > 0 && !scenario.isGone);
        questions--;
        answers++;
      }
    }
    function* messages(): VirtualThread {
      for (;;) {
        yield waitFor('an answer', () => answers > 0);
        answers--;
        if (diedAt === null) heardAt = observed;
        watch.heard();
      }
    }
    return {
      threads: { observer: observer(), watched: watched(), messages: messages() },
      daemons: ['watched', 'messages'],
      fingerprint: () => [observed, heardAt, diedAt, questions, answers].join(),
      invariant: () => {
        if (diedAt !== null && diedAt - heardAt < DEAD_AFTER)
          throw new Error(`Called dead ${diedAt - heardAt} observed seconds after its last answer.`);
        if (diedAt === null && observed - heardAt >= DEAD_AFTER)
          throw new Error(`Silent for ${observed - heardAt} observed seconds, and not called dead.`);
      },
      atEnd: () => {
        ends.add(diedAt === null ? 'alive' : `dead after ${diedAt} s`);
      },
    };
  };
}

describe('R9 thread watch, every schedule', () => {
  it('a terminated thread counts as dead after the question and the limit, never before', () => {
    const ends = new Set<string>();
    explore(program({ isGone: true }, ends));
    expect([...ends]).toEqual(['dead after 4 s']);
  });

  it('a thread that answers within the limit is alive; a thread that answers too late is dead', () => {
    const ends = new Set<string>();
    const { states } = explore(program({}, ends));
    expect(states).toBeGreaterThan(50);
    expect([...ends].sort()).toEqual([
      'alive',
      'dead after 4 s',
      'dead after 5 s',
      'dead after 6 s',
      'dead after 7 s',
    ]);
  });

  it('a blocked observer declares no thread dead for answers that it could not receive', () => {
    const ends = new Set<string>();
    explore(program({ isBlocked: true }, ends));
    expect([...ends]).toContain('alive');
    expect([...ends]).not.toContain('dead after 3 s');
  });

  it('the explorer catches an observer that makes up for missed ticks', () => {
    const naive = program({ isBlocked: true, makesUpForMissedTicks: true }, new Set());
    expect(() => explore(naive)).toThrow(/Called dead 3 observed seconds/);
  });
});
