import { describe, expect, it, vi } from 'vitest';
import { type Fault, framePipeline, type PipelineOptions } from './testing/frame-pipeline.js';
import { type ExploreOptions, explore } from './testing/schedule-explorer.js';

// Make pages small: every schedule creates streams of its own, and their pages hold only a few words.
vi.mock('../core/streams/stream.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../core/streams/stream.js')>();
  return { ...original, PAGE_BYTES: 256 };
});

// Thousands of schedules take many seconds on a busy machine, so raise the tests' time limit.
vi.setConfig({ testTimeout: 120_000 });

/**
 * The invariants of the frame protocol, in schedules of the real streams, fences, links and FrameEndSync. The explorer
 * covers each half of the pipeline completely, and the whole pipeline with a bound on delays. Monitored fences
 * by messages have that bound in each half, too. Each `Fault` breaks a rule on purpose; the explorer must catch it.
 */
const usual = { frames: 3, lag: true, maxFramesInFlight: 2, carrier: 'local' } as const;

const tryAll = (options: Partial<PipelineOptions> = {}, bounds: ExploreOptions = {}) =>
  explore(() => framePipeline({ ...usual, ...options }), { maxSchedules: 30_000, ...bounds });

describe.each(['local', 'shared', 'shared, posted'] as const)(
  'R5 frame end sync, %s stream, every schedule',
  (carrier) => {
    it.each([true, false])('keeps the game within its lead, lag %s', (lag) => {
      const result = tryAll({ part: 'front', carrier, lag });
      expect(result.states).toBeGreaterThan(500);
    });

    it.each([true, false])(
      'keeps the game within its lead when the lag is switched while running, from %s',
      (lag) => {
        tryAll({ part: 'front', carrier, lag, frames: 4, switchLagAfter: 2 });
      },
    );
  },
);

describe('frame protocol, RHI and GPU, every schedule', () => {
  it.each([1, 2, 3])('keeps at most %i lists in flight, and every list completes', (maxFramesInFlight) => {
    const result = tryAll({ part: 'back', frames: 4, maxFramesInFlight });
    expect(result.states).toBeGreaterThan(500);
  });
});

describe('frame protocol, whole pipeline', () => {
  it.each([
    ['local', true],
    ['local', false],
    ['shared', true],
    ['shared', false],
    ['shared, posted', true],
    ['shared, posted', false],
  ] as const)('keeps every invariant, %s stream, lag %s, up to 3 delays', (carrier, lag) => {
    const result = tryAll({ carrier, lag }, { maxDelays: 3 });
    expect(result.schedules).toBeGreaterThan(500);
  });

  it.each(['render', 'rhi'] as const)(
    'an exception on the %s thread is sticky and wakes all waiters with that error, in every schedule of few delays',
    (crash) => {
      expect(tryAll({ crash, frames: 4 }, { maxDelays: 3 }).schedules).toBeGreaterThan(500);
      expect(tryAll({ crash, frames: 4, carrier: 'shared' }, { maxDelays: 2 }).schedules).toBeGreaterThan(
        100,
      );
    },
  );
});

describe.each(['memory', 'messages'] as const)('R5 frame protocol on monitored fences, by %s', (fences) => {
  // Messages multiply the schedules, so bound the delays there; in memory try all schedules.
  const bounds: ExploreOptions = fences === 'memory' ? {} : { maxDelays: 3 };

  it.each([true, false])('keeps the game within its lead, lag %s', (lag) => {
    expect(tryAll({ part: 'front', fences, lag }, bounds).states).toBeGreaterThan(500);
  });

  it('keeps the game within its lead when the lag is switched while running', () => {
    tryAll({ part: 'front', fences, lag: true, frames: 4, switchLagAfter: 2 }, bounds);
  });

  it('keeps at most 2 lists in flight, and every list completes', () => {
    expect(tryAll({ part: 'back', fences, frames: 4 }, bounds).states).toBeGreaterThan(500);
  });

  it('keeps every invariant of the whole pipeline, up to 3 delays', () => {
    expect(tryAll({ fences, carrier: 'shared' }, { maxDelays: 3 }).schedules).toBeGreaterThan(500);
  });

  it.each(['render', 'rhi'] as const)('wakes all waiters with the error of the %s thread', (crash) => {
    expect(tryAll({ fences, crash, frames: 4 }, { maxDelays: 2 }).schedules).toBeGreaterThan(100);
  });

  it('the explorer catches a game that ignores the sync or listens too late', () => {
    expect(() => tryAll({ part: 'front', fences, fault: 'game-ignores-sync' })).toThrow(
      /The game runs frame 3 while 0 is through/,
    );
    // By messages, the fault would show only with more delays than these tests try.
    if (fences === 'messages') return;
    expect(() => tryAll({ part: 'front', fences, fault: 'game-misses-event' })).toThrow(
      /Deadlock: game waits for frame/,
    );
  });
});

describe('frame protocol, broken on purpose', () => {
  const broken: readonly [Fault, Partial<PipelineOptions>, RegExp][] = [
    ['game-ignores-sync', { part: 'front' }, /The game runs frame 3 while 0 is through/],
    ['game-ignores-sync', { part: 'front', lag: false }, /The game runs frame 2 while 0 is through/],
    ['game-misses-event', { part: 'front' }, /Deadlock: game waits for frame/],
    ['render-repeats', { part: 'front' }, /Render commands executed: 1, 2, 2/],
    ['render-skips', { part: 'front' }, /Render commands executed: 1, 3/],
    ['rhi-ignores-limit', { part: 'back' }, /3 lists are in flight/],
    ['rhi-numbers-first', { part: 'back' }, /published before submit returned/],
    ['crash-is-silent', { crash: 'render', frames: 4 }, /Deadlock: .*game waits for frame 2/],
    ['crash-is-silent', { crash: 'rhi', frames: 4 }, /did not reach the game|Deadlock/],
  ];

  it.each(broken)('the explorer catches %s, %o', (fault, options, message) => {
    expect(() => tryAll({ ...options, fault }, options.part ? {} : { maxDelays: 2 })).toThrow(message);
  });
});
