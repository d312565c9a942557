import type { EngineStats, ThreadingMode } from '../src/index.js';

/** Median milliseconds per frame. A median ignores single frames in which the browser was busy. */
export interface TypicalFrame {
  readonly gameThreadMs: number;
  readonly renderThreadMs: number;
  readonly rhiThreadMs: number;
  readonly gpuMs: number | null;
  readonly gameWaitMs: number;
}

/** Number of a new thread's first frames that are omitted, because they include compilation and uploads. */
const WARM_UP_FRAMES = 6;
const KEPT_FRAMES = 41;

/** Medians over the latest frames. */
export class FrameFigures {
  readonly #frames: EngineStats[] = [];

  /** Number of the first frame that counts. Earlier frames are warm-up. */
  #first = WARM_UP_FRAMES + 1;
  #newest = 0;

  clear(): void {
    this.#frames.length = 0;
    this.#first = this.#newest + WARM_UP_FRAMES + 1;
  }

  add(stats: EngineStats): void {
    if (stats.frame === this.#newest) return;
    this.#newest = stats.frame;
    if (stats.frame < this.#first) return;
    this.#frames.push(stats);
    if (this.#frames.length > KEPT_FRAMES) this.#frames.shift();
  }

  /** Returns the typical frame, or `null` before the first frame. */
  typical(): TypicalFrame | null {
    if (this.#frames.length === 0) return null;
    return {
      gameThreadMs: this.#median('gameThreadMs') ?? 0,
      renderThreadMs: this.#median('renderThreadMs') ?? 0,
      rhiThreadMs: this.#median('rhiThreadMs') ?? 0,
      gpuMs: this.#median('gpuMs'),
      gameWaitMs: this.#median('gameWaitMs') ?? 0,
    };
  }

  #median(name: keyof TypicalFrame): number | null {
    const values = this.#frames
      .map((stats) => stats[name])
      .filter((value) => value !== null && !Number.isNaN(value));
    values.sort((a, b) => (a ?? 0) - (b ?? 0));
    return values[values.length >> 1] ?? null;
  }
}

/** Returns the milliseconds that a frame costs the page's own thread. */
export function mainThreadMilliseconds(frame: TypicalFrame, threading: ThreadingMode): number {
  const { gameThreadMs, renderThreadMs, rhiThreadMs } = frame;
  return threading === 'single' ? gameThreadMs + renderThreadMs + rhiThreadMs : gameThreadMs;
}
