/**
 * Weights of morph targets as clips give them, for the primitives of a node: the sum of the playbacks, each by its own weight. If
 * these add up to less than 1, the rest is the game's (`restShare`); more count as shares of it. Additive playbacks come behind that.
 *
 *   begin ─► add, per track ─► finish ─► add, per additive track ─► sums, restShare
 */
export class DrivenWeights {
  /** Tracks of playbacks that drive it. */
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

  /** From 0 to 1: how much of what the game has set shows. */
  get restShare(): number {
    return Math.max(1 - this.#weight, 0);
  }

  /** When a playback begins. @param count that it drives */
  addTrack(count: number): void {
    if (this.#sums.length < count) this.#sums = new Float32Array(count);
    this.tracks++;
  }

  /** Per list. */
  begin(): void {
    this.#sums.fill(0);
    this.#weight = 0;
  }

  /**
   * Per track and list.
   * @param first what the clip begins with, where the difference from it is added; null: the value itself is
   */
  add(value: Float32Array, first: Float32Array | null, weight: number): void {
    const sums = this.#sums;
    if (!first) this.#weight += weight;
    for (let index = 0; index < sums.length; index++) {
      const difference = (value[index] as number) - (first ? (first[index] as number) : 0);
      sums[index] = (sums[index] as number) + difference * weight;
    }
  }

  /** Per list, when all have been added but the additive ones. */
  finish(): void {
    const sums = this.#sums;
    const weight = this.#weight;
    if (weight <= 1) return;
    for (let index = 0; index < sums.length; index++) sums[index] = (sums[index] as number) / weight;
  }
}
