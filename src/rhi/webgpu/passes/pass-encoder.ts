/**
 * Tracks the state of the current pass for its draws (`draws.ts`). A command that sets the current value again makes no
 * WebGPU call. The state ends with the pass. A draw is executed only if all state that its pipeline needs is set.
 * Otherwise it is skipped and counted, so that a missing resource costs only the draws that use it.
 *
 *   validGroups   0b0101          needed by the pipeline   0b0001   → draws
 *   validBuffers  0b0000                                   0b0001   → skipped
 *
 * Called per draw; allocates nothing.
 */
import { RhiError } from '../../../core/errors.js';
import type { RenderPassDescriptor } from '../../commands/descriptors.js';
import type { Resource, ResourceTable } from '../../execute/resource-table.js';
import type { PipelineResource } from '../resources/gpu-resources.js';
import type { Resources } from '../resources/resources.js';
import type { StaleContents } from '../resources/stale-contents.js';

export const MAXIMUM_GROUPS = 8;
export const MAXIMUM_VERTEX_BUFFERS = 16;
/** Index of the index buffer, behind the vertex buffers. */
export const INDEX_SLOT = MAXIMUM_VERTEX_BUFFERS;
/** Maximum number of dynamic offsets remembered per bind group. A group with more offsets is set each time. */
export const KEPT_OFFSETS = 32;

export class PassEncoder {
  drawCalls = 0;
  instances = 0;
  skippedDraws = 0;

  readonly #resources: Resources;
  readonly #staleContents: StaleContents;
  readonly #report: (error: RhiError) => void;
  /** The open render pass. Null if no render pass is open, or if it had to be left out. */
  render: GPURenderPassEncoder | null = null;
  /** The open compute pass. Null if no compute pass is open, or if it had to be left out. */
  compute: GPUComputePassEncoder | null = null;
  /** Whether a pass is open, including a pass that had to be left out. */
  isOpen = false;

  /** Handle of the current pipeline; 0 if none is set. */
  pipeline = 0;
  #isPipelineReady = false;
  /**
   * The pipeline that was last set, ready or not, for reports. Undefined if its handle was stale or no pipeline was
   * set.
   */
  #missingPipeline: PipelineResource<unknown> | undefined;
  /** Whether a draw of this pass was left out. */
  #hasSkipped = false;
  /** Whether the list tried to set a failed or destroyed resource in this pass. That was reported. */
  #hasLostState = false;
  #neededGroups = 0;
  #neededBuffers = 0;
  #validGroups = 0;
  #validBuffers = 0;
  // The current state, which `renaming.ts` reads to set it again. The handle 0 means that a slot is empty.
  /** Handles of bind groups. */
  readonly groups = new Uint32Array(MAXIMUM_GROUPS);
  readonly offsetCounts = new Uint32Array(MAXIMUM_GROUPS);
  readonly offsets = new Uint32Array(MAXIMUM_GROUPS * KEPT_OFFSETS);
  /** Handles of vertex buffers by slot, and of the index buffer in `INDEX_SLOT`. */
  readonly buffers = new Uint32Array(INDEX_SLOT + 1);
  readonly bufferOffsets = new Uint32Array(INDEX_SLOT + 1);
  readonly bufferLengths = new Uint32Array(INDEX_SLOT + 1);
  indexFormat: GPUIndexFormat = 'uint16';
  /** Descriptor of the last render pass; null if it could not be translated, and once a compute pass has begun. */
  source: RenderPassDescriptor | null = null;

  constructor(resources: Resources, staleContents: StaleContents, report: (error: RhiError) => void) {
    this.#resources = resources;
    this.#staleContents = staleContents;
    this.#report = report;
  }

  get encoder(): GPURenderPassEncoder | GPUComputePassEncoder | null {
    return this.render ?? this.compute;
  }

  /** Begins a render pass. @param render null if the whole pass is left out */
  beginRender(render: GPURenderPassEncoder | null): void {
    this.#begin();
    this.render = render;
  }

  /** Begins a compute pass. @param compute null if the whole pass is left out */
  beginCompute(compute: GPUComputePassEncoder | null): void {
    this.#begin();
    this.compute = compute;
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { encoder } = this;
    this.render = null;
    this.compute = null;
    encoder?.end();
  }

  setGraphicsPipeline(handle: number): void {
    const gpu = this.usePipeline(this.#resources.graphicsPipelines, handle, this.render);
    if (gpu !== null) this.render?.setPipeline(gpu);
  }

  /**
   * Makes a pipeline the current pipeline.
   * @param pass the pass that uses it; null if the whole pass is left out
   * @returns the WebGPU pipeline that the caller has to set; null if it is already set, missing or not ready, or if
   *   the pass is left out
   */
  usePipeline<P>(table: ResourceTable<PipelineResource<P>>, handle: number, pass: object | null): P | null {
    if (handle === this.pipeline) return null;
    const pipeline = this.find(table, handle);
    const gpu = pipeline?.gpu ?? null;
    this.#isPipelineReady = false;
    this.#missingPipeline = pipeline;
    if (pipeline === undefined || gpu === null || pass === null) {
      this.pipeline = 0;
      return null;
    }
    this.pipeline = handle;
    this.#isPipelineReady = true;
    this.#neededGroups = pipeline.groupMask;
    this.#neededBuffers = pipeline.vertexMask;
    return gpu;
  }

  setBindGroup(words: Uint32Array, fields: number): void {
    const group = words[fields];
    const handle = words[fields + 1];
    const offsetCount = words[fields + 2];
    if (group >= MAXIMUM_GROUPS) return;
    if (this.groups[group] === handle && this.offsetCounts[group] === offsetCount) {
      if (offsetCount === 0 || this.#sameOffsets(group, words, fields + 3, offsetCount)) return;
    }
    const gpu = this.findBindGroup(handle);
    const render = this.render;
    if (!gpu || (render === null && this.compute === null)) {
      this.forgetBindGroup(group);
      return;
    }
    this.groups[group] = handle;
    this.#validGroups |= 1 << group;
    this.offsetCounts[group] = offsetCount;
    // Keep these call sites monomorphic: a second class of encoder makes browsers leave their fast path into WebGPU.
    if (offsetCount !== 0) this.#setOffsets(group, gpu, words, fields + 3, offsetCount);
    else if (render !== null) render.setBindGroup(group, gpu);
    else this.compute?.setBindGroup(group, gpu);
  }

  #setOffsets(group: number, gpu: GPUBindGroup, words: Uint32Array, first: number, count: number): void {
    const compared = Math.min(count, KEPT_OFFSETS);
    for (let i = 0; i < compared; i++) {
      this.offsets[group * KEPT_OFFSETS + i] = words[first + i];
    }
    if (this.render !== null) this.render.setBindGroup(group, gpu, words, first, count);
    else this.compute?.setBindGroup(group, gpu, words, first, count);
  }

  /** Empties a bind group's slot. Draws that need a group there are skipped until a group is set. */
  forgetBindGroup(group: number): void {
    this.groups[group] = 0;
    this.#validGroups &= ~(1 << group);
    this.#hasLostState = true;
  }

  setVertexBuffer(words: Uint32Array, fields: number): void {
    const slot = words[fields];
    const byteOffset = words[fields + 2];
    const byteLength = words[fields + 3];
    if (slot >= MAXIMUM_VERTEX_BUFFERS) return;
    const buffer = this.#bufferToSet(slot, words[fields + 1], byteOffset, byteLength);
    if (buffer !== null) this.render?.setVertexBuffer(slot, buffer, byteOffset, byteLength);
  }

  setIndexBuffer(words: Uint32Array, fields: number): void {
    const format = words[fields + 1] === 1 ? 'uint32' : 'uint16';
    const byteOffset = words[fields + 2];
    const byteLength = words[fields + 3];
    if (format !== this.indexFormat) this.buffers[INDEX_SLOT] = 0;
    this.indexFormat = format;
    const buffer = this.#bufferToSet(INDEX_SLOT, words[fields], byteOffset, byteLength);
    if (buffer !== null) this.render?.setIndexBuffer(buffer, format, byteOffset, byteLength);
  }

  /**
   * Returns the buffer that the caller has to set; null if it is already set or is missing. If it is missing, the slot
   * is emptied.
   */
  #bufferToSet(slot: number, handle: number, byteOffset: number, byteLength: number): GPUBuffer | null {
    const { buffers, bufferOffsets, bufferLengths } = this;
    const isSame = bufferOffsets[slot] === byteOffset && bufferLengths[slot] === byteLength;
    if (buffers[slot] === handle && isSame) return null;
    const buffer = this.find(this.#resources.buffers, handle)?.gpu ?? null;
    if (buffer === null || this.render === null) {
      buffers[slot] = 0;
      this.#validBuffers &= ~(1 << slot);
      this.#hasLostState = true;
      return null;
    }
    buffers[slot] = handle;
    bufferOffsets[slot] = byteOffset;
    bufferLengths[slot] = byteLength;
    this.#validBuffers |= 1 << slot;
    return buffer;
  }

  /**
   * Counts draws that are left out. The first skipped draw of a pass marks the attachments as stale, and reports
   * missing state.
   * @param isBundle whether the draws belong to a bundle, which sets its own state
   */
  skipDraws(count = 1, isBundle = false): void {
    this.skippedDraws += count;
    if (this.#hasSkipped || this.source === null || !this.isOpen) return;
    this.#hasSkipped = true;
    this.#staleContents.drawSkipped(this.source, this.#skipReason);
    if (!isBundle) this.#reportUnset(`A draw of the pass "${this.source.label}"`);
  }

  /** Counts a dispatch that is left out, marks its storage as stale, and reports missing state. */
  skipDispatch(): void {
    this.skippedDraws++;
    this.#staleContents.dispatchSkipped(this.groups, this.#skipReason);
    this.#reportUnset('A dispatch');
  }

  /**
   * Handles a draw or dispatch of the open pass that validation has refused. The pass's attachments, or the dispatch's
   * storage, become stale. Validation itself counts the command.
   */
  workRefused(): void {
    if (!this.isOpen) return;
    const why = 'validation refused it. An earlier error gives the reason.';
    if (this.compute !== null) this.#staleContents.dispatchSkipped(this.groups, why);
    else if (this.source !== null) this.#staleContents.drawSkipped(this.source, why);
  }

  /**
   * Reports state that the caller forgot to set. A pending pipeline is no fault, and failed or destroyed resources
   * have been reported before.
   */
  #reportUnset(left: string): void {
    if (this.encoder === null || this.#hasLostState || (this.#missingPipeline && !this.#isPipelineReady))
      return;
    this.#report(new RhiError('draw-incomplete', `${left} was left out, because ${this.#skipReason}`));
  }

  /** Reason why the current draw or dispatch is skipped. Completes a text that ends with "because". */
  get #skipReason(): string {
    if (this.encoder === null) return 'its pass could not be begun. An earlier error gives the reason.';
    const missing = this.#missingPipeline;
    if (this.#isPipelineReady)
      return 'a bind group, vertex or index buffer that its pipeline needs is not set.';
    if (missing === undefined) return 'no pipeline was set, or it was destroyed.';
    return missing.isFailed
      ? `its pipeline "${missing.label}" could not be created. An earlier error gives the reason.`
      : `its pipeline "${missing.label}" was still being created. Await whenPipelinesReady(), or begin the frame with FrameFlag.waitForPipelines.`;
  }

  /** Returns a bind group's object; null if the group has failed or was destroyed. Reports a destroyed group. */
  findBindGroup(handle: number): GPUBindGroup | null {
    const resource = this.find(this.#resources.bindGroups, handle);
    return resource ? this.#resources.bindGroupOf(resource) : null;
  }

  /** Whether a ready pipeline is set, and all bind groups and vertex buffers that it needs. */
  get canDraw(): boolean {
    return (
      this.#isPipelineReady &&
      (this.#validGroups & this.#neededGroups) === this.#neededGroups &&
      (this.#validBuffers & this.#neededBuffers) === this.#neededBuffers
    );
  }

  #sameOffsets(group: number, words: Uint32Array, first: number, count: number): boolean {
    if (count > KEPT_OFFSETS) return false;
    for (let i = 0; i < count; i++) {
      if (this.offsets[group * KEPT_OFFSETS + i] !== words[first + i]) return false;
    }
    return true;
  }

  /** Returns the resource of a handle, and reports a stale handle. */
  find<R extends Resource>(table: ResourceTable<R>, handle: number): R | undefined {
    const resource = table.find(handle);
    if (resource === undefined) {
      this.#hasLostState = true;
      this.#report(table.staleHandle(handle));
    }
    return resource;
  }

  #begin(): void {
    this.isOpen = true;
    this.pipeline = 0;
    this.#isPipelineReady = this.#hasSkipped = this.#hasLostState = false;
    this.#missingPipeline = undefined;
    this.#neededGroups = this.#neededBuffers = 0;
    this.#validGroups = this.#validBuffers = 0;
    this.groups.fill(0);
    this.buffers.fill(0);
  }
}
