import type { ShownResolutionScale } from './resolution-scale.js';

/** Distance between scales. Each change creates the targets of all views again, so scales are few. */
const STEP = 0.05;
/** Number of frames after a change whose GPU times are ignored, because they may belong to frames before the change. */
const SETTLING_FRAMES = 12;
/** Number of frames whose GPU times are averaged. */
const WINDOW = 12;
/** Share of the target below which the scale increases. The gap to 1 keeps the scale from going up and down. */
const ROOM = 0.8;

/**
 * The scale at which the scene is drawn. With limits, it follows the measured GPU time, which grows roughly with the
 * number of pixels:
 *
 *   frames   │ settle │ average ─┬─ above the target: scale × √(target ÷ time), at least one step down
 *                                ├─ below 80 % of the target: one step up
 *                                └─ between: the scale stays
 */
export class ResolutionFollower {
  /** Scale of the next frame of a running engine. */
  scale = 1;
  #setting: ShownResolutionScale | undefined;
  /** Number of frames since the last change. */
  #frames = 0;
  #sum = 0;

  /**
   * Per frame: returns the scale of the frame.
   * @param isRunning whether the engine runs. If it does not, frames with limits have the largest scale, so that steps
   *   are reproducible and pictures at rest are sharp
   * @param gpuMs returns the GPU time of an earlier frame in milliseconds; NaN: unknown
   */
  next(setting: ShownResolutionScale, isRunning: boolean, gpuMs: () => number): number {
    if (setting !== this.#setting) this.#begin(setting);
    if (typeof setting === 'number') return setting;
    if (!isRunning) return setting.maximum;
    const milliseconds = gpuMs();
    if (!(milliseconds > 0)) return this.scale;
    this.#frames++;
    if (this.#frames <= SETTLING_FRAMES) return this.scale;
    this.#sum += milliseconds;
    if (this.#frames < SETTLING_FRAMES + WINDOW) return this.scale;
    this.#follow(this.#sum / WINDOW, setting);
    return this.scale;
  }

  /** Ignores the GPU times of the next frames, because other work delays these frames. */
  settle(): void {
    this.#frames = this.#sum = 0;
  }

  #begin(setting: ShownResolutionScale): void {
    this.#setting = setting;
    this.settle();
    this.scale = typeof setting === 'number' ? setting : setting.maximum;
  }

  #follow(average: number, { targetMs, minimum, maximum }: Exclude<ShownResolutionScale, number>): void {
    const { scale } = this;
    // Frames have to settle only after a change of the scale. Otherwise the next average begins at once.
    this.#frames = SETTLING_FRAMES;
    this.#sum = 0;
    let wanted = scale;
    if (average > targetMs) {
      wanted = Math.min(stepBelow(scale * Math.sqrt(targetMs / average)), stepBelow(scale - STEP));
    } else if (average < targetMs * ROOM) wanted = stepBelow(scale + STEP);
    wanted = Math.min(maximum, Math.max(minimum, wanted));
    if (wanted === scale) return;
    this.scale = wanted;
    this.#frames = 0;
  }
}

/** Returns the largest multiple of `STEP` up to a scale. */
const stepBelow = (scale: number): number => Math.floor(scale / STEP + 1e-6) / Math.round(1 / STEP);
