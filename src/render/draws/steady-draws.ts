import type { DrawBundleHandle } from '../../rhi/commands/descriptors.js';
import type { DrawRecorder } from '../../rhi/record/draw-bundle.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

/** Below this many draws, recording them costs about what a bundle does. */
export const LEAST_DRAWS = 64;
/** Frames for which draws must have stayed the same before they become a bundle: at first, and at most. */
const SHORTEST_TRIAL = 2;
const LONGEST_TRIAL = 64;

/**
 * Draws that stay the same, said to the RHI as a draw bundle: recorded once, executed every frame while they last.
 *
 *   frame     1    2    3    4    5    6    7    8
 *   draws     A    A    A    A    B    C    C    C
 *   recorded  A    A   [A] execute B    C    C  …           [ ]: as a bundle
 *
 * A list that lasts only a little longer than its trial is not worth its bundle, so each bundle that dies young doubles
 * the trial of the next one, and one that lives long ends that. Frames are counted, never milliseconds: every threading
 * mode records the same bytes.
 */
export class SteadyDraws {
  readonly #rhi: ImmediateContext;
  #bundle: DrawBundleHandle | undefined;
  #trial = SHORTEST_TRIAL;
  /** Frames in a row before this one with the same draws. */
  #sameFrames = 0;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /**
   * Per frame, outside passes, with all that the draws name in place.
   * @param isSame the draws are those of the last frame
   * @param record records them
   */
  prepare(isSame: boolean, drawCount: number, record: (draws: DrawRecorder) => void): void {
    if (!isSame || drawCount < LEAST_DRAWS) {
      this.#drop();
      this.#sameFrames = 0;
      return;
    }
    const rhi = this.#rhi;
    this.#sameFrames++;
    if (this.#bundle === undefined && this.#sameFrames >= this.#trial) {
      this.#bundle = rhi.createDrawBundle({ label: 'steady draws' }, record);
    }
  }

  /** In the pass. False: the draws are to be recorded. */
  execute(): boolean {
    if (this.#bundle === undefined) return false;
    this.#rhi.executeDrawBundle(this.#bundle);
    return true;
  }

  dispose(): void {
    this.#rhi.destroy(this.#bundle);
    this.#bundle = undefined;
  }

  #drop(): void {
    if (this.#bundle === undefined) return;
    this.dispose();
    const lived = this.#sameFrames - this.#trial;
    this.#trial = lived < LONGEST_TRIAL ? Math.min(this.#trial * 2, LONGEST_TRIAL) : SHORTEST_TRIAL;
  }
}
