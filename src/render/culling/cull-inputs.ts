import { grow } from '../../core/memory/grow.js';

/**
 * Inputs of a view's last culling. If none of them has changed, the same primitives pass, and no primitive is
 * tested.
 *   planes ─┐
 *   candidates ─┼─► the same as last time? ─┬─ yes ─► the bits of last time
 *   changes of bounds ─┘                    └─ no ──► cull
 */
export class CullInputs {
  /** NaN equals nothing, so the first culling always runs. */
  readonly #planes = new Float64Array(24).fill(Number.NaN);
  #candidates = new Uint32Array(0);
  #words = 0;
  #changes = -1;

  /**
   * Per culling: stores the inputs.
   * @param words number of words of `candidates` in use
   * @param changes `PrimitiveStore.changes`
   * @returns whether the inputs equal the inputs of the last call
   */
  update(planes: Float64Array, candidates: Uint32Array, words: number, changes: number): boolean {
    let isSame = words === this.#words && changes === this.#changes;
    this.#words = words;
    this.#changes = changes;
    const planesBefore = this.#planes;
    for (let index = 0; index < planesBefore.length; index++) {
      isSame &&= planes[index] === planesBefore[index];
      planesBefore[index] = planes[index] as number;
    }
    this.#candidates = grow(this.#candidates, words);
    const candidatesBefore = this.#candidates;
    for (let word = 0; word < words; word++) {
      isSame &&= candidates[word] === candidatesBefore[word];
      candidatesBefore[word] = candidates[word] as number;
    }
    return isSame;
  }
}
