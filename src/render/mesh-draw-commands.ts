import type { GeometryStore } from './geometry-store.js';
import { grow } from './grow.js';
import { PIPELINE_KEY_BITS } from './pipeline-cache.js';

/**
 * Mesh draw commands (SYSTEMS R14): all that a draw of a primitive needs besides its slot in the GPU scene is a
 * *draw state*: pipeline key, texture set, geometry. States are interned and counted, so a primitive caches
 * one number, and equal numbers can be drawn as instances of one draw. Each state has a dense *rank*, in the
 * order in which draws change least state; sorting a frame is counting ranks.
 *
 *   primitive ─► draw state 7 { pipeline, textures, geometry }      rank 3 of 12
 *                     ▲ interned: same three numbers, same state
 */
const GEOMETRY_RANGE = 2 ** 22;
const TEXTURE_SET_RANGE = 2 ** (53 - 22 - PIPELINE_KEY_BITS);

export class MeshDrawCommands {
  pipelineKey = new Uint16Array(64);
  textureSet = new Uint32Array(64);
  geometry = new Uint32Array(64);
  /** Draw state → rank, valid after `updateRanks`. */
  rank = new Uint32Array(64);
  /** Rank → draw state. */
  stateOfRank = new Uint32Array(64);
  /** Draw states in use. */
  count = 0;
  /** Rises whenever ranks change. */
  version = 0;
  #users = new Uint32Array(64);
  #length = 0;
  readonly #free: number[] = [];
  readonly #stateByKey = new Map<number, number>();
  #areRanksStale = false;

  /** Per changed primitive: the draw state for three numbers, counted as used once more. */
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
      this.#areRanksStale = true;
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
    this.#areRanksStale = true;
  }

  /** Per frame: orders the states anew when one came or went, by pipeline, then page, textures, geometry. */
  updateRanks(geometries: GeometryStore): void {
    if (!this.#areRanksStale) return;
    this.#areRanksStale = false;
    this.version++;
    const states = [...this.#stateByKey.values()];
    const { pipelineKey, textureSet, geometry } = this;
    const { page } = geometries;
    states.sort((a, b) => {
      const geometryA = geometry[a] as number;
      const geometryB = geometry[b] as number;
      return (
        (pipelineKey[a] as number) - (pipelineKey[b] as number) ||
        (page[geometryA] as number) - (page[geometryB] as number) ||
        (textureSet[a] as number) - (textureSet[b] as number) ||
        geometryA - geometryB
      );
    });
    this.stateOfRank = grow(this.stateOfRank, states.length);
    for (let rank = 0; rank < states.length; rank++) {
      const state = states[rank] as number;
      this.rank[state] = rank;
      this.stateOfRank[rank] = state;
    }
  }

  #key(pipelineKey: number, textureSet: number, geometry: number): number {
    return (pipelineKey * TEXTURE_SET_RANGE + textureSet) * GEOMETRY_RANGE + geometry;
  }

  #reserve(length: number): void {
    if (length <= this.pipelineKey.length) return;
    this.textureSet = grow(this.textureSet, length);
    this.geometry = grow(this.geometry, length);
    this.rank = grow(this.rank, length);
    this.#users = grow(this.#users, length);
    this.pipelineKey = grow(this.pipelineKey, length);
  }
}
