import { grow } from '../../core/memory/grow.js';
import type { EffectActors } from '../../proxy/effects.js';
import type { Scene } from '../scene/scene.js';

/**
 * Finds the primitives of actors, and of everything that is attached to the actors. The bits are computed again only
 * if the list of actors, the scene or the hierarchy of nodes has changed.
 *
 *   nodes of the actors ─► nodes beneath them ─► their primitives ─► one bit per primitive
 */
export class OutlinedPrimitives {
  /** One bit per primitive of the actors. */
  #bits = new Uint32Array(0);
  /** The result of `select`. */
  #candidates = new Uint32Array(0);
  #actors: EffectActors | undefined;
  #actorsVersion = -1;
  #sceneVersion = -1;
  #hierarchyVersion = -1;

  /**
   * Per frame: returns the primitives of the actors among the candidates, as one bit per primitive. The next call
   * overwrites the result.
   * @param candidates one bit per primitive that the view may show
   */
  select(scene: Scene, actors: EffectActors, candidates: Uint32Array): Uint32Array {
    const { nodes, primitives } = scene;
    const isSame =
      actors === this.#actors &&
      actors.version === this.#actorsVersion &&
      scene.version === this.#sceneVersion &&
      nodes.version === this.#hierarchyVersion;
    const words = (primitives.length + 31) >>> 5;
    if (!isSame) {
      this.#actors = actors;
      this.#actorsVersion = actors.version;
      this.#sceneVersion = scene.version;
      this.#hierarchyVersion = nodes.version;
      this.#bits = grow(this.#bits, words);
      this.#bits.fill(0);
      for (let pair = 0; pair < actors.pairs.length; pair += 2) {
        const node = actors.pairs[pair + 1] as number;
        if (actors.pairs[pair] === scene.number && nodes.has(node)) this.#addBeneath(scene, node);
      }
    }
    this.#candidates = grow(this.#candidates, words);
    for (let word = 0; word < words; word++) {
      this.#candidates[word] = (candidates[word] as number) & (this.#bits[word] as number);
    }
    return this.#candidates;
  }

  #addBeneath(scene: Scene, node: number): void {
    const { nodes, primitives } = scene;
    const bits = this.#bits;
    let primitive = primitives.firstOnNode[node] ?? -1;
    for (; primitive >= 0; primitive = primitives.nextOnNode[primitive] as number) {
      bits[primitive >>> 5] = (bits[primitive >>> 5] as number) | (1 << (primitive & 31));
    }
    let child = nodes.firstChild[node] as number;
    for (; child >= 0; child = nodes.nextSibling[child] as number) this.#addBeneath(scene, child);
  }
}
