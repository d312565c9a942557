import { RhiError } from '../../core/errors.js';
import { grow } from '../../core/memory/grow.js';
import { PIPELINE_KEY_BITS } from './pipeline-key.js';

export const GEOMETRY_RANGE = 2 ** 22;
/** Exclusive upper limit of pair numbers. A pair is a pipeline key and a texture set. */
const PAIR_RANGE = 2 ** (53 - 22);
export const TEXTURE_SET_RANGE = 2 ** (53 - PIPELINE_KEY_BITS);

/**
 * Stores the draw states of meshes (SYSTEMS R14). A *draw state* is everything that a draw of a primitive
 * needs besides its slot in the GPU scene: pipeline key, texture set, geometry. States are interned and
 * counted. So a primitive caches one number, and primitives with equal numbers can be instances of one draw.
 * Each pass chooses its own order of states (`draw-state-order.ts`).
 *
 *   primitive ─► draw state 7 { pipeline, textures, geometry }
 *                     ▲ interned: same three numbers, same state
 */
export class DrawStates {
  pipelineKey = new Uint32Array(64);
  textureSet = new Uint32Array(64);
  geometry = new Uint32Array(64);
  /** Number of draw states in use. */
  count = 0;
  /** Pipeline keys of expected draws. Passes create the pipelines in advance. */
  readonly expectedKeys: number[] = [];
  /** Increases when a state is added or removed, or a key is expected. */
  version = 0;
  #users = new Uint32Array(64);
  #length = 0;
  readonly #free: number[] = [];
  readonly #stateByKey = new Map<number, number>();
  /** Pair numbers, in the order in which the pairs were first seen. */
  readonly #pairs = new Map<number, number>();

  /** Per changed primitive: returns the draw state of three numbers and counts one more user. */
  acquire(pipelineKey: number, textureSet: number, geometry: number): number {
    const key = this.#key(pipelineKey, textureSet, geometry);
    let state = this.#stateByKey.get(key);
    if (state === undefined) {
      state = this.#free.pop() ?? this.#length++;
      this.#reserve(state + 1);
      this.pipelineKey[state] = pipelineKey;
      this.textureSet[state] = textureSet;
      this.geometry[state] = geometry;
      this.#stateByKey.set(key, state);
      this.count++;
      this.version++;
    }
    this.#users[state] = (this.#users[state] as number) + 1;
    return state;
  }

  release(state: number): void {
    const users = (this.#users[state] as number) - 1;
    this.#users[state] = users;
    if (users > 0) return;
    this.#stateByKey.delete(
      this.#key(
        this.pipelineKey[state] as number,
        this.textureSet[state] as number,
        this.geometry[state] as number,
      ),
    );
    this.#free.push(state);
    this.count--;
    this.version++;
  }

  expect(pipelineKey: number): void {
    this.expectedKeys.push(pipelineKey);
    this.version++;
  }

  /** Returns the states in use. */
  states(): number[] {
    return [...this.#stateByKey.values()];
  }

  /** One more than the highest state number. */
  get capacity(): number {
    return this.#length;
  }

  /**
   * Returns a number for the three numbers. Together they do not fit into a double, so each pair of pipeline
   * key and texture set has its own number.
   */
  #key(pipelineKey: number, textureSet: number, geometry: number): number {
    const key = pipelineKey * TEXTURE_SET_RANGE + textureSet;
    let pair = this.#pairs.get(key);
    if (pair === undefined) {
      pair = this.#pairs.size;
      this.#pairs.set(key, pair);
    }
    if (textureSet >= TEXTURE_SET_RANGE || pair >= PAIR_RANGE || geometry >= GEOMETRY_RANGE) {
      throw new RhiError(
        'limit-exceeded',
        `The scene has too many combinations of pipelines and texture sets (${pair}), texture sets (${textureSet}) or geometries (${geometry}). Use fewer.`,
      );
    }
    return pair * GEOMETRY_RANGE + geometry;
  }

  #reserve(length: number): void {
    if (length <= this.pipelineKey.length) return;
    this.textureSet = grow(this.textureSet, length);
    this.geometry = grow(this.geometry, length);
    this.#users = grow(this.#users, length);
    this.pipelineKey = grow(this.pipelineKey, length);
  }
}
