import type { EngineStats, ThreadingMode } from '../src/index.js';

/** Milliseconds per frame, smoothed over about the last second so that they can be read. */
export interface Averages {
  readonly gameThreadMs: number;
  readonly renderThreadMs: number;
  readonly rhiThreadMs: number;
  readonly gpuMs: number | null;
  readonly gameWaitMs: number;
}

/** How much a new sample counts; at 20 samples a second the last second decides. */
const WEIGHT = 0.12;

export function averageStats(before: Averages | null, stats: EngineStats): Averages {
  const mix = (old: number | null | undefined, now: number): number =>
    old === null || old === undefined || Number.isNaN(old) ? now : old + (now - old) * WEIGHT;
  return {
    gameThreadMs: mix(before?.gameThreadMs, stats.gameThreadMs),
    renderThreadMs: mix(before?.renderThreadMs, stats.renderThreadMs),
    rhiThreadMs: mix(before?.rhiThreadMs, stats.rhiThreadMs),
    gpuMs: stats.gpuMs === null ? null : mix(before?.gpuMs, stats.gpuMs),
    gameWaitMs: mix(before?.gameWaitMs, stats.gameWaitMs),
  };
}

/** What a frame costs the page's own thread. */
export function mainThreadMilliseconds(averages: Averages, threading: ThreadingMode): number {
  const { gameThreadMs, renderThreadMs, rhiThreadMs } = averages;
  return threading === 'single' ? gameThreadMs + renderThreadMs + rhiThreadMs : gameThreadMs;
}
