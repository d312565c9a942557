/**
 * Weights of morph targets that clips give to the primitives of a node: the sum of the playbacks' values, each
 * multiplied by its weight. If the weights of the playbacks add up to less than 1, the game's weights fill the
 * difference (`restShare`). If the weights add up to more than 1, the sums are divided by the total weight. Additive
 * playbacks are added last.
 *
 *   begin ─► add, per track ─► finish ─► add, per additive track ─► sums, restShare
 */
export class DrivenWeights {
  /** Number of playback tracks that drive the weights. */
  tracks = 0;
  readonly node: number;
  #sums: Float32Array;
  #weight = 0;

  constructor(node: number, count: number) {
    this.node = node;
    this.#sums = new Float32Array(count);
  }

  get sums(): Float32Array {
    return this.#sums;
  }

  /** Share of the game's weights in the result, from 0 to 1. */
  get restShare(): number {
    return Math.max(1 - this.#weight, 0);
  }

  /** Adds a track. Called when a playback begins. @param count number of weights that the track drives */
  addTrack(count: number): void {
    if (this.#sums.length < count) this.#sums = new Float32Array(count);
    this.tracks++;
  }

  /** Per command list: clears the sums. */
  begin(): void {
    this.#sums.fill(0);
    this.#weight = 0;
  }

  /**
   * Per track and command list: adds sampled weights to the sums.
   * @param size number of weights that the track drives
   * @param first in additive playbacks: the clip's first values, which are subtracted from `value`; null:
   * `value` itself is added
   */
  add(size: number, value: Float32Array, first: Float32Array | null, weight: number): void {
    const sums = this.#sums;
    if (!first) this.#weight += weight;
    for (let index = 0; index < size; index++) {
      const difference = (value[index] as number) - (first ? (first[index] as number) : 0);
      sums[index] = (sums[index] as number) + difference * weight;
    }
  }

  /**
   * Per command list, after all tracks except the additive ones: normalises sums whose weights add up to more than 1.
   */
  finish(): void {
    const sums = this.#sums;
    const weight = this.#weight;
    if (weight <= 1) return;
    for (let index = 0; index < sums.length; index++) sums[index] = (sums[index] as number) / weight;
  }
}
