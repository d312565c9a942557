import { grow } from '../../core/memory/grow.js';
import type { GeometryStore } from '../geometry/geometry-store.js';
import type { DrawStates } from '../keys/draw-states.js';
import type { MaterialStates } from '../keys/material-states.js';
import { FACE_BITS, KeyBit } from '../keys/pipeline-key.js';

/** A pass's policy: the differences between draw states that matter to the pass. */
export interface DrawStatePolicy {
  /**
   * Returns the bits of a pipeline key that distinguish the pass's pipelines. Returns -1 for a key that the
   * pass never draws, so that no pipeline is created for it. If the key's material state has texture slots,
   * draws bind the material's textures.
   */
  passKey(pipelineKey: number): number;
}

/**
 * The order in which a pass draws. Each draw state has a *rank*. Ranks are numbered without gaps, and ordered so that
 * draws of the next rank change as little state as possible. A counting sort over ranks orders the draws of a frame.
 * States that the pass draws alike share a rank.
 *
 *   draw state   { red, no texture, cube }  { glass …  }  { wood texture, cube }
 *   scene pass             0                      2                 1
 *   depth only             0                      –                 0              one draw for both
 */
export class DrawStateOrder {
  /** Rank of each draw state. */
  rank = new Uint32Array(64);
  /** Rank of the back faces of each draw state that draws them first; −1: it draws all faces at once. */
  backRank = new Int32Array(64);
  /** The pass's key, by rank. */
  key = new Uint32Array(64);
  /** Texture set that draws bind, by rank; 0: none. */
  textureSet = new Uint32Array(64);
  /** Geometry, by rank. */
  geometry = new Uint32Array(64);
  /** Number of ranks. */
  count = 0;
  /** Version of the draw states that were ordered last; -1: none yet. */
  version = -1;

  readonly #policy: DrawStatePolicy;

  constructor(policy: DrawStatePolicy) {
    this.#policy = policy;
  }

  /**
   * Per frame: orders the states again if their version has changed. The states are sorted by pipeline, then by page,
   * textures and geometry.
   * @returns whether the order was computed again
   */
  update(drawStates: DrawStates, { page }: GeometryStore, states: MaterialStates): boolean {
    if (drawStates.version === this.version) return false;
    this.version = drawStates.version;
    const policy = this.#policy;
    const drawn = drawStates.states().map((state) => {
      const key = policy.passKey(drawStates.pipelineKey[state] as number);
      const geometry = drawStates.geometry[state] as number;
      const set = key >= 0 && states.slotsOf(key) ? (drawStates.textureSet[state] as number) : 0;
      return { state, key, order: states.orderOf(key), set, geometry, page: page[geometry] as number };
    });
    for (const { key, ...rest } of [...drawn]) {
      if (key < 0 || (key & FACE_BITS) !== FACE_BITS) continue;
      drawn.push({ key: key & ~KeyBit.frontFaces, ...rest }, { key: key & ~KeyBit.backFaces, ...rest });
    }
    drawn.sort(
      (a, b) =>
        a.order - b.order || a.key - b.key || a.page - b.page || a.set - b.set || a.geometry - b.geometry,
    );
    this.rank = grow(this.rank, drawStates.capacity);
    this.backRank = grow(this.backRank, drawStates.capacity);
    this.backRank.fill(-1);
    this.key = grow(this.key, drawn.length);
    this.textureSet = grow(this.textureSet, drawn.length);
    this.geometry = grow(this.geometry, drawn.length);
    let rank = -1;
    for (const { state, key, set, geometry } of drawn) {
      if (key < 0 || (key & FACE_BITS) === FACE_BITS) continue;
      const isSame =
        rank >= 0 &&
        key === this.key[rank] &&
        set === this.textureSet[rank] &&
        geometry === this.geometry[rank];
      if (!isSame) {
        rank++;
        this.key[rank] = key;
        this.textureSet[rank] = set;
        this.geometry[rank] = geometry;
      }
      if (key & KeyBit.backFaces) this.backRank[state] = rank;
      else this.rank[state] = rank;
    }
    this.count = rank + 1;
    return true;
  }
}
