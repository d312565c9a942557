import { grow } from '../../core/memory/grow.js';
import { countBits } from '../culling/cull-groups.js';
import type { CreateMeshPass, MeshPass, MeshStores } from '../draws/mesh-pass.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import type { SortView } from '../draws/sort-view.js';
import type { DrawnView } from './drawn-view.js';

/**
 * Draws the meshes of a view in a pass that leaves some of them out.
 *
 *   candidates ─► culling ─► primitives whose key the policy accepts ─► draws
 */
export class FilteredMeshes {
  readonly meshes: MeshPass;
  readonly #stores: MeshStores;
  readonly #policy: PassPolicy;
  /** One bit per primitive to draw. */
  #bits = new Uint32Array(0);
  /** Number of primitives to draw. */
  #count = 0;
  #sceneVersion = -1;
  #policyVersion = -1;

  /** @param policy policy of the pass; a negative `passKey` leaves a primitive out */
  constructor(stores: MeshStores, createPass: CreateMeshPass, policy: PassPolicy, label: string) {
    this.#stores = stores;
    this.#policy = policy;
    this.meshes = createPass(policy, label);
  }

  /** Whether the last `update` has found no primitive to draw. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Per frame, outside passes, after the view has been culled: finds the primitives, and prepares their draws. */
  update({ state, candidates }: DrawnView): void {
    this.updateWithin(state.view.planes, candidates, state.view);
  }

  /**
   * As `update`, for primitives within other planes than the view's.
   * @param candidates one bit per primitive that may be drawn
   * @param view view by which the draws are sorted
   */
  updateWithin(planes: Float64Array, candidates: Uint32Array, view: SortView): void {
    const { scene } = this.#stores;
    const { version } = this.#policy;
    const isSame = this.meshes.cull(planes, candidates);
    if (!isSame || scene.version !== this.#sceneVersion || version !== this.#policyVersion) this.#filter();
    this.#sceneVersion = scene.version;
    this.#policyVersion = version;
    this.meshes.narrow(this.#bits, this.#count);
    this.meshes.prepare(view);
  }

  dispose(): void {
    this.meshes.dispose();
  }

  /** Writes the bits of the visible primitives that the policy draws, and counts them. */
  #filter(): void {
    const { scene, drawStates } = this.#stores;
    const { drawState, length } = scene.primitives;
    const { visibleBits } = this.meshes;
    const words = (length + 31) >>> 5;
    this.#bits = grow(this.#bits, words);
    this.#count = 0;
    for (let word = 0; word < words; word++) {
      let drawn = visibleBits[word] as number;
      for (let rest = drawn; rest !== 0; rest &= rest - 1) {
        const lowest = rest & -rest;
        const state = drawState[(word << 5) + 31 - Math.clz32(lowest)] as number;
        if (this.#policy.passKey(drawStates.pipelineKey[state] as number) < 0) drawn ^= lowest;
      }
      this.#bits[word] = drawn;
      this.#count += countBits(drawn);
    }
  }
}
