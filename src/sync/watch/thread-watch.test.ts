import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { ThreadWatch } from './thread-watch.js';

function create({ isVisible, limit }: { isVisible?: () => boolean; limit?: number } = {}) {
  const clock = new ManualClock();
  const ask = vi.fn();
  const onDead = vi.fn();
  const state = { awaited: 'frame 7' as string | null };
  const watch = new ThreadWatch({
    thread: 'The render worker',
    remedy: 'Start another.',
    awaited: () => state.awaited,
    ask,
    onDead,
    isVisible,
    ...(limit === undefined ? {} : { limitMilliseconds: limit }),
    clock,
  });
  return { clock, ask, onDead, state, watch };
}

describe('R9 thread watch', () => {
  it('asks after 1 s; the error 10 s later names the thread and what was expected of it', () => {
    const { clock, ask, onDead } = create();
    clock.advance(999);
    expect(ask).not.toHaveBeenCalled();
    clock.advance(1);
    expect(ask).toHaveBeenCalledOnce();
    clock.advance(9999);
    expect(onDead).not.toHaveBeenCalled();
    clock.advance(1);
    expect(onDead).toHaveBeenCalledOnce();
    expect(onDead.mock.calls[0]?.[0]).toMatchObject({
      name: 'ThreadError',
      code: 'thread-not-answering',
      message: expect.stringMatching(
        /^The render worker has not answered for 10 s, and frame 7 was expected/,
      ),
    });
    clock.advance(60_000);
    expect(onDead).toHaveBeenCalledOnce();
    expect(clock.timers.size).toBe(0);
  });

  it('options set the silence before asking, the limit, and the limit of the first sign of life', () => {
    const clock = new ManualClock();
    const ask = vi.fn();
    const onDead = vi.fn();
    const watch = new ThreadWatch({
      thread: 'The asset worker',
      remedy: 'Load again.',
      awaited: () => 'a file',
      ask,
      onDead,
      silenceMilliseconds: 100,
      limitMilliseconds: 400,
      startLimitMilliseconds: 10_000,
      clock,
    });
    clock.advance(10_000);
    expect([ask.mock.calls.length, onDead.mock.calls.length]).toEqual([1, 0]);
    watch.heard();
    clock.advance(499);
    expect([ask.mock.calls.length, onDead.mock.calls.length]).toEqual([2, 0]);
    clock.advance(1);
    expect(onDead.mock.calls[0]?.[0].message).toMatch(/has not answered for 0.4 s/);
  });

  it('gives a starved thread more time for its answer; the error of a dead thread has the evidence', () => {
    const clock = new ManualClock();
    const onDead = vi.fn();
    let measured = 0;
    new ThreadWatch({
      thread: 'The asset worker',
      remedy: 'Load again.',
      awaited: () => 'a file',
      ask: () => {},
      onDead,
      limitMilliseconds: 4000,
      processorShare: () => {
        measured++;
        return 0.5;
      },
      clock,
    });
    clock.advance(1000);
    expect(measured).toBe(0); // no answer is pending yet
    clock.advance(7000);
    expect(onDead).not.toHaveBeenCalled();
    clock.advance(1000);
    expect(onDead.mock.calls[0]?.[0]).toMatchObject({
      code: 'thread-not-answering',
      details: { verdict: 'hung', silentSeconds: '9.0', processorShare: '0.56' },
    });
  });

  it('asks a slow thread again and again, and never declares it dead while it answers', () => {
    const { clock, ask, onDead, watch } = create({ limit: 3000 });
    for (let minute = 0; minute < 20; minute++) {
      clock.advance(3000);
      watch.heard();
    }
    expect(ask).toHaveBeenCalledTimes(20);
    expect(onDead).not.toHaveBeenCalled();
  });

  it('does not count while nothing is expected or the page is hidden', () => {
    let isVisible = true;
    const { clock, ask, onDead, state } = create({ isVisible: () => isVisible });
    state.awaited = null;
    clock.advance(60_000);
    expect(ask).not.toHaveBeenCalled();
    state.awaited = 'frame 8';
    clock.advance(9000);
    isVisible = false;
    clock.advance(60_000);
    isVisible = true;
    clock.advance(9000);
    expect(onDead).not.toHaveBeenCalled();
    clock.advance(2000);
    expect(onDead).toHaveBeenCalledOnce();
  });

  it('stop ends the watch', () => {
    const { clock, onDead, watch } = create();
    watch.stop();
    clock.advance(60_000);
    expect(onDead).not.toHaveBeenCalled();
  });
});
