/**
 * Tracks the state of a pass, and checks that draws and dispatches have the state that they need. The executor
 * skips draws without their state, so WebGPU can't report them. Called per draw; allocates nothing.
 *
 *   bit     25 indices   24 … 9 vertex buffers   8 … 1 bind groups   0 pipeline
 *   set        0                0 … 0                  0101             1
 *   needed     0                0 … 1                  0001             1       ─► vertex-buffer-missing, slot 0
 */
import { MAXIMUM_GROUPS, MAXIMUM_VERTEX_BUFFERS } from '../webgpu/passes/pass-encoder.js';
import { type Model, nameOf, type ValidationState } from './state.js';

const FIRST_GROUP = 1;
const FIRST_BUFFER = FIRST_GROUP + MAXIMUM_GROUPS;
const INDICES = FIRST_BUFFER + MAXIMUM_VERTEX_BUFFERS;

/** Returns the bit of a bind group; 0 for an index that no executor supports. */
export const groupBit = (index: number): number => (index < MAXIMUM_GROUPS ? 1 << (FIRST_GROUP + index) : 0);
/** Returns the bit of a vertex buffer; 0 for a slot that no executor supports. */
export const vertexBufferBit = (slot: number): number =>
  slot < MAXIMUM_VERTEX_BUFFERS ? 1 << (FIRST_BUFFER + slot) : 0;
const PIPELINE_BIT = 1;
const INDEX_BUFFER_BIT = 1 << INDICES;

/** Returns the bits that a draw or dispatch needs with any pipeline. */
export const workNeeds = (name: string): number =>
  name.startsWith('drawIndexed') ? PIPELINE_BIT | INDEX_BUFFER_BIT : PIPELINE_BIT;

/**
 * Functions by the name of a state command. Each function returns the bit that a record of this command sets. The
 * argument is the record's first word: the slot of a vertex buffer, or the index of a bind group.
 */
export const stateBits: Readonly<Record<string, ((slot: number) => number) | undefined>> = {
  setGraphicsPipeline: () => PIPELINE_BIT,
  setComputePipeline: () => PIPELINE_BIT,
  setBindGroup: groupBit,
  setVertexBuffer: vertexBufferBit,
  setIndexBuffer: () => INDEX_BUFFER_BIT,
};

export class DrawState {
  #pipeline: Model | null = null;
  #set = 0;
  /** Bits whose state command was refused and reported. If the first missing bit is one of them, no report follows. */
  #refused = 0;

  /** Clears the state, because it does not outlive a pass or a bundle. */
  reset(): void {
    this.#pipeline = null;
    this.#set = this.#refused = 0;
  }

  /** Updates the state after the check of a state command. */
  noteState(bit: number, model: Model, isFine: boolean): void {
    if (bit === PIPELINE_BIT) this.#pipeline = model;
    this.#set = isFine ? this.#set | bit : this.#set & ~bit;
    this.#refused = isFine ? this.#refused & ~bit : this.#refused | bit;
  }

  /**
   * Returns whether the required state is set. Reports the first missing part. Called per draw and dispatch.
   * @param needs bits that the command needs with any pipeline
   */
  isComplete(state: ValidationState, needs: number): boolean {
    const pipeline = this.#pipeline;
    const missing = (pipeline === null ? needs : needs | pipeline.needs) & ~this.#set;
    return missing === 0 || this.#reportMissing(state, missing);
  }

  #reportMissing(state: ValidationState, missing: number): false {
    const first = missing & -missing;
    if ((first & this.#refused) !== 0) return false;
    if (this.#pipeline === null || first === PIPELINE_BIT) {
      return state.report('pipeline-missing', {});
    }
    const bit = 31 - Math.clz32(first);
    const pipeline = nameOf(this.#pipeline);
    if (bit === INDICES) return state.report('index-buffer-missing', { pipeline });
    if (bit < FIRST_BUFFER) {
      return state.report('bind-group-missing', { pipeline, index: bit - FIRST_GROUP });
    }
    return state.report('vertex-buffer-missing', { pipeline, slot: bit - FIRST_BUFFER });
  }
}
