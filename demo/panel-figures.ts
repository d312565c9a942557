import type { EngineStats, ThreadingMode } from '../src/index.js';

/** Milliseconds per frame: what is typical, without the odd frame that the browser was busy elsewhere. */
export interface TypicalFrame {
  readonly gameThreadMs: number;
  readonly renderThreadMs: number;
  readonly rhiThreadMs: number;
  readonly gpuMs: number | null;
  readonly gameWaitMs: number;
}

/** Frames of fresh threads that are left out: pipelines, uploads, code that is still being compiled. */
const WARM_UP_FRAMES = 6;
const KEPT_FRAMES = 41;

/** Medians over the frames that were looked at last. */
export class FrameFigures {
  readonly #frames: EngineStats[] = [];

  /** The first frame that counts; those before it are warm-up. */
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

  /** `null` before the first frame. */
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

/** What a frame costs the page's own thread. */
export function mainThreadMilliseconds(frame: TypicalFrame, threading: ThreadingMode): number {
  const { gameThreadMs, renderThreadMs, rhiThreadMs } = frame;
  return threading === 'single' ? gameThreadMs + renderThreadMs + rhiThreadMs : gameThreadMs;
}
