import { grow } from '../../core/memory/grow.js';
import type { EdgeIndices } from '../geometry/edge-indices.js';
import { isTriangles } from '../keys/pipeline-key.js';
import type { DrawStateOrder } from './draw-state-order.js';
import type { MeshStores } from './mesh-pass.js';
import type { PassPolicy } from './pass-policy.js';
import { RANK_WORDS, RankWord } from './record-runs.js';

/** `RankWord.page` of a geometry's edges is this number plus the geometry's id. Page numbers are smaller. */
const FIRST_EDGES = 2 ** 31;

/**
 * State and geometry of the draws of each rank (see `DrawStateOrder`), in words, for `recordRuns`. The words
 * are written only when something has changed.
 */
export class DrawRanks {
  /** Words of the ranks, `RANK_WORDS` per rank; see `RankWord`. */
  words = new Uint32Array(0);
  count = 0;
  /** Increases with each change. */
  version = -1;
  /** Edges that the words name. */
  #edges: EdgeIndices | undefined;

  /**
   * Updates the words. Called before draws are recorded, after all pipelines and bind groups have been
   * created.
   */
  update(order: DrawStateOrder, policy: PassPolicy, { geometries, scene }: MeshStores): void {
    const sets = scene.materials.textures?.sets;
    const edges = policy.drawsEdges ? geometries.edges : undefined;
    // Each of these versions only increases, so their sum changes if one of them does.
    const version =
      scene.version + order.version + policy.version + (sets?.version ?? 0) + (edges?.version ?? 0);
    if (version === this.version && edges === this.#edges) return;
    this.version = version;
    this.#edges = edges;
    this.count = order.count;
    this.words = grow(this.words, order.count * RANK_WORDS);
    const { words } = this;
    const { key: keys, textureSet, geometry: drawn } = order;
    const { page: pages, indexCount, vertexCount, firstIndex, baseVertex } = geometries;
    // Neighbouring ranks mostly share pipeline, bind group and buffer. These are looked up only when they change,
    // because the lookups are the slowest part of the loop.
    let lastKey = -1;
    let lastSet = -1;
    let lastPage = -1;
    let pipeline = 0;
    let bindGroup = 0;
    let buffer = 0;
    let byteLength = 0;
    for (let rank = 0, at = 0; rank < order.count; rank++, at += RANK_WORDS) {
      const key = keys[rank] as number;
      const set = sets ? (textureSet[rank] as number) : 0;
      const geometry = drawn[rank] as number;
      const page = pages[geometry] as number;
      if (key !== lastKey) pipeline = policy.pipeline(key) as number;
      if (set !== lastSet) bindGroup = sets && set > 0 ? (sets.bindGroup(set) as number) : 0;
      if (page !== lastPage) {
        buffer = geometries.pageBuffer(page) as number;
        byteLength = geometries.pageByteLength(page);
      }
      lastKey = key;
      lastSet = set;
      lastPage = page;
      words[at + RankWord.key] = key;
      words[at + RankWord.pipeline] = pipeline;
      words[at + RankWord.set] = set;
      words[at + RankWord.bindGroup] = bindGroup;
      words[at + RankWord.page] = page;
      words[at + RankWord.indexBuffer] = buffer;
      words[at + RankWord.indexByteLength] = byteLength;
      words[at + RankWord.buffer] = buffer;
      words[at + RankWord.byteLength] = byteLength;
      words[at + RankWord.indexCount] = indexCount[geometry] as number;
      words[at + RankWord.vertexCount] = vertexCount[geometry] as number;
      words[at + RankWord.firstIndex] = firstIndex[geometry] as number;
      words[at + RankWord.baseVertex] = baseVertex[geometry] as number;
      const indices = edges && isTriangles(key) ? edges.indices(geometry) : undefined;
      if (!edges || indices === undefined) continue;
      const count = edges.count(geometry);
      words[at + RankWord.page] = FIRST_EDGES + geometry;
      words[at + RankWord.indexBuffer] = indices as number;
      words[at + RankWord.indexByteLength] = count * 4;
      words[at + RankWord.indexCount] = count;
      words[at + RankWord.firstIndex] = 0;
    }
  }
}
