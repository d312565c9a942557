import { DEFAULT_ATTRIBUTES } from '../geometry/vertex-layouts.js';

/** Words of a rank: the state and geometry that its draws share. */
export enum RankWord {
  key = 0,
  pipeline = 1,
  /** The texture set; 0: none. */
  set = 2,
  bindGroup = 3,
  /** Number that two ranks share only if they bind the same buffers. */
  page = 4,
  /** The buffer of vertices. */
  buffer = 5,
  /** Length of the buffer, in bytes. */
  byteLength = 6,
  /** Number of indices; 0: drawn without indices. */
  indexCount = 7,
  vertexCount = 8,
  firstIndex = 9,
  baseVertex = 10,
  /** The buffer of indices. */
  indexBuffer = 11,
  /** Length of the buffer of indices, in bytes. */
  indexByteLength = 12,
}
export const RANK_WORDS = 13;

/** Words of a run, an instanced draw with the state of its rank. */
export enum RunWord {
  rank = 0,
  firstInstance = 1,
  instanceCount = 2,
}
export const RUN_WORDS = 3;

/** Bindings that all draws of a pass share. */
export interface PassBindings {
  /** Bind group 0. */
  frameGroup: number;
  /** The buffer of default values for attributes that vertices lack. */
  attributes: number;
}

/** The six commands that a mesh pass consists of. */
export interface RunCommands {
  setGraphicsPipeline(pipeline: number): void;
  setBindGroup(groupIndex: number, bindGroup: number): void;
  setVertexBuffer(slot: number, buffer: number, byteOffset: number, byteLength: number): void;
  setIndexBuffer(buffer: number, format: 'uint32', byteOffset: number, byteLength: number): void;
  draw(vertexCount: number, instanceCount: number, firstVertex: number, firstInstance: number): void;
  drawIndexed(
    indexCount: number,
    instanceCount: number,
    firstIndex: number,
    baseVertex: number,
    firstInstance: number,
  ): void;
}

/**
 * Records runs of a mesh pass. Each run becomes one instanced draw, after commands for the state that differs from the
 * previous run.
 *
 *   ranks   key, pipeline, texture set, buffer …     written when they change (`DrawRanks.update`)
 *   runs    rank, first instance, count              of each frame
 *
 * The function reads only these words. So helper threads can record pieces of a pass from shared memory. The
 * pieces together contain the same records as a pass that is recorded at once.
 */
export function recordRuns(
  rhi: RunCommands,
  ranks: Uint32Array,
  runs: Uint32Array,
  first: number,
  end: number,
  { frameGroup, attributes }: PassBindings,
): void {
  let boundKey = -1;
  let boundSet = -1;
  let boundPage = -1;
  if (first === 0) {
    if (end === 0) return;
    rhi.setBindGroup(0, frameGroup);
    rhi.setVertexBuffer(1, attributes, 0, DEFAULT_ATTRIBUTES.byteLength);
  } else {
    const before = (runs[(first - 1) * RUN_WORDS] as number) * RANK_WORDS;
    boundKey = ranks[before + RankWord.key] as number;
    boundSet = ranks[before + RankWord.set] as number;
    boundPage = ranks[before + RankWord.page] as number;
  }
  for (let run = first * RUN_WORDS; run < end * RUN_WORDS; run += RUN_WORDS) {
    const rank = (runs[run] as number) * RANK_WORDS;
    const firstInstance = runs[run + RunWord.firstInstance] as number;
    const count = runs[run + RunWord.instanceCount] as number;
    const key = ranks[rank + RankWord.key] as number;
    const set = ranks[rank + RankWord.set] as number;
    const page = ranks[rank + RankWord.page] as number;
    if (key !== boundKey) rhi.setGraphicsPipeline(ranks[rank + RankWord.pipeline] as number);
    if (set !== boundSet && set > 0) rhi.setBindGroup(1, ranks[rank + RankWord.bindGroup] as number);
    if (page !== boundPage) {
      const buffer = ranks[rank + RankWord.buffer] as number;
      const byteLength = ranks[rank + RankWord.byteLength] as number;
      rhi.setVertexBuffer(0, buffer, 0, byteLength);
      const indices = ranks[rank + RankWord.indexBuffer] as number;
      rhi.setIndexBuffer(indices, 'uint32', 0, ranks[rank + RankWord.indexByteLength] as number);
    }
    boundKey = key;
    boundSet = set;
    boundPage = page;
    const indexCount = ranks[rank + RankWord.indexCount] as number;
    const baseVertex = ranks[rank + RankWord.baseVertex] as number;
    if (indexCount > 0) {
      const firstIndex = ranks[rank + RankWord.firstIndex] as number;
      rhi.drawIndexed(indexCount, count, firstIndex, baseVertex, firstInstance);
    } else rhi.draw(ranks[rank + RankWord.vertexCount] as number, count, baseVertex, firstInstance);
  }
}
