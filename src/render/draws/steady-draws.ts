import type { DrawBundleHandle } from '../../rhi/commands/descriptors.js';
import type { DrawRecorder } from '../../rhi/record/draw-bundle.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

/** Minimum number of draws for a bundle. Recording fewer draws costs about as much as executing a bundle. */
export const LEAST_DRAWS = 64;
/** Number of frames that draws must stay the same before their first bundle. */
const SHORTEST_TRIAL = 2;
/** Maximum number of unchanged frames before a later bundle. */
const LONGEST_TRIAL = 64;

/**
 * Turns draws that stay the same into a draw bundle. The bundle is recorded once and executed in every frame until the
 * draws change.
 *   frame     1    2    3    4    5    6    7    8
 *   draws     A    A    A    A    B    C    C    C
 *   recorded  A    A   [A] execute B    C    C  …           [ ]: as a bundle
 *
 * The *trial* is the number of frames before draws become a bundle. A bundle that is dropped within `LONGEST_TRIAL`
 * frames after its trial doubles the trial of the next bundle, up to `LONGEST_TRIAL`. A bundle that lives longer resets
 * the trial. The trial is counted in frames, not milliseconds, so that every threading mode records the same bytes.
 */
export class SteadyDraws {
  readonly #rhi: ImmediateContext;
  #bundle: DrawBundleHandle | undefined;
  #trial = SHORTEST_TRIAL;
  /** Number of frames in a row, before this one, with the same draws. */
  #sameFrames = 0;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /**
   * Per frame, outside passes, when all resources that the draws name exist: creates or destroys the bundle.
   * @param isSame whether the draws are the same as in the last frame
   * @param record records the draws
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

  /**
   * Executes the bundle in the open pass. Returns false if there is no bundle; the caller must then record
   * the draws.
   */
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
