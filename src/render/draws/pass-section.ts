import { grow } from '../../core/memory/grow.js';
import type { BindGroupHandle, BufferHandle } from '../../rhi/commands/descriptors.js';
import type { DrawRecorder } from '../../rhi/record/draw-bundle.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { DrawRanks } from './draw-ranks.js';
import { type PassBindings, RUN_WORDS, type RunCommands, RunWord, recordRuns } from './record-runs.js';
import { SteadyDraws } from './steady-draws.js';

/** Records the draws of a pass on several threads. */
export interface PassRecorder {
  /**
   * Records the draws of a section.
   * @param runs words of the section's runs, see `RunWord`
   * @param runCount number of runs
   * @returns false if it has recorded nothing; the caller must then record the draws
   */
  record(
    rhi: ImmediateContext,
    ranks: DrawRanks,
    runs: Uint32Array,
    runCount: number,
    bindings: PassBindings,
  ): boolean;
}

/** A section of a mesh pass: draws that have a render pass of their own, and their bundle. */
export class PassSection {
  readonly #bindings = { frameGroup: 0, attributes: 0 };
  readonly #steadyDraws: SteadyDraws;
  readonly #rhi: ImmediateContext;
  readonly #ranks: DrawRanks;
  #runs = new Uint32Array(0);
  #runCount = 0;
  /** Runs of this section only. */
  #own = new Uint32Array(0);
  readonly #record = (draws: DrawRecorder): void =>
    recordRuns(draws as RunCommands, this.#ranks.words, this.#runs, 0, this.#runCount, this.#bindings);

  constructor(rhi: ImmediateContext, ranks: DrawRanks) {
    this.#rhi = rhi;
    this.#ranks = ranks;
    this.#steadyDraws = new SteadyDraws(rhi);
  }

  /** Per frame: selects the first `count` runs for drawing. Keeps a reference to `runs`. */
  take(runs: Uint32Array<ArrayBuffer>, count: number): void {
    this.#runs = runs;
    this.#runCount = count;
  }

  /** Per frame: copies the runs from `first` up to `end` that `isSelected` accepts, and selects them. Default: all. */
  copy(
    runs: Uint32Array<ArrayBuffer>,
    first: number,
    end: number,
    isSelected?: (rank: number) => boolean,
  ): void {
    this.#own = grow(this.#own, (end - first) * RUN_WORDS);
    const own = this.#own;
    let at = 0;
    for (let run = first * RUN_WORDS; run < end * RUN_WORDS; run += RUN_WORDS) {
      const rank = runs[run] as number;
      if (isSelected && !isSelected(rank)) continue;
      own[at] = rank;
      own[at + RunWord.firstInstance] = runs[run + RunWord.firstInstance] as number;
      own[at + RunWord.instanceCount] = runs[run + RunWord.instanceCount] as number;
      at += RUN_WORDS;
    }
    this.take(own, at / RUN_WORDS);
  }

  /**
   * Per frame, outside passes, when the runs are known: creates or destroys the bundle.
   * @param isSame whether the draws are those of the last frame
   * @param frameGroup bind group 0
   */
  prepare(isSame: boolean, frameGroup: BindGroupHandle, attributes: BufferHandle): void {
    this.#bindings.frameGroup = frameGroup as number;
    this.#bindings.attributes = attributes as number;
    this.#steadyDraws.prepare(isSame, this.#runCount, this.#record);
  }

  /** Records the draws in a render pass. */
  record(recorder: PassRecorder | null | undefined): void {
    if (this.#steadyDraws.execute()) return;
    const isDone = recorder?.record(this.#rhi, this.#ranks, this.#runs, this.#runCount, this.#bindings);
    if (!isDone) this.#record(this.#rhi);
  }

  /** Releases the bundle. */
  dispose(): void {
    this.#steadyDraws.dispose();
  }
}
