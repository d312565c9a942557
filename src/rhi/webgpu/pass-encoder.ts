/**
 * What is set in the current pass, and the draws that use it. Setting what is set already costs no WebGPU call;
 * state does not outlive the pass. A draw is made only when all its pipeline asks for is there; else it is
 * skipped and counted, so that one missing resource costs one draw and not the frame.
 *
 *   validGroups   0b0101          needed by the pipeline   0b0001   → draws
 *   validBuffers  0b0000                                   0b0001   → skipped
 *
 * Per draw; allocates nothing.
 */
import type { RhiError } from '../../core/errors.js';
import { HEADER_ATTACHMENT_BIT, HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode } from '../commands.js';
import { handleIndex } from '../handles.js';
import type { Resource, ResourceTable } from '../resource-table.js';
import type { PipelineResource, Resources } from './resources.js';

// Constants of the module, because they are compared with for every record.
const SET_BIND_GROUP = RhiOpcode.setBindGroup;
const SET_VERTEX_BUFFER = RhiOpcode.setVertexBuffer;
const SET_INDEX_BUFFER = RhiOpcode.setIndexBuffer;
const DRAW = RhiOpcode.draw;
const DRAW_INDEXED = RhiOpcode.drawIndexed;
/** Opcode, and whether it names an attachment, which none of these does. */
const KIND_MASK = HEADER_ATTACHMENT_BIT | 0xff;

/** Records that lie one after the other: a page of the stream, or what was kept of one. */
export interface RecordRun {
  readonly words: Uint32Array;
  readonly ints: Int32Array;
  /** Index in `words` of the next record's header; `used` is where they end. */
  cursor: number;
  readonly used: number;
  /** Of the record being executed. */
  opcode: number;
}

const MAXIMUM_GROUPS = 8;
const MAXIMUM_VERTEX_BUFFERS = 16;
/** Dynamic offsets kept per group; a group with more is simply set again. */
export const KEPT_OFFSETS = 32;

export class PassEncoder {
  drawCalls = 0;
  instances = 0;
  skippedDraws = 0;

  readonly #resources: Resources;
  readonly #onStaleHandle: (error: RhiError) => void;
  #render: GPURenderPassEncoder | null = null;
  #compute: GPUComputePassEncoder | null = null;
  #isOpen = false;

  #pipeline = 0;
  #isPipelineReady = false;
  #neededGroups = 0;
  #neededBuffers = 0;
  #validGroups = 0;
  #validBuffers = 0;
  // What is set, for who must set it again (`complete/renaming.ts`). A handle of 0: nothing.
  readonly groups = new Uint32Array(MAXIMUM_GROUPS);
  readonly offsetCounts = new Uint32Array(MAXIMUM_GROUPS);
  readonly offsets = new Uint32Array(MAXIMUM_GROUPS * KEPT_OFFSETS);
  readonly buffers = new Uint32Array(MAXIMUM_VERTEX_BUFFERS);
  readonly bufferOffsets = new Uint32Array(MAXIMUM_VERTEX_BUFFERS);
  readonly bufferLengths = new Uint32Array(MAXIMUM_VERTEX_BUFFERS);
  indexBuffer = 0;
  indexFormat = 0;
  indexOffset = 0;
  indexLength = 0;

  // Bind groups by slot, as they were at an epoch. Most of what a draw costs here is memory's latency, and these lie
  // side by side.
  #foundHandles = new Uint32Array(0);
  #found: (GPUBindGroup | null)[] = [];
  #epoch = 0;

  constructor(resources: Resources, onStaleHandle: (error: RhiError) => void) {
    this.#resources = resources;
    this.#onStaleHandle = onStaleHandle;
  }

  /** True between begin and end, also when the pass itself had to be left out. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get encoder(): GPURenderPassEncoder | GPUComputePassEncoder | null {
    return this.#render ?? this.#compute;
  }

  get render(): GPURenderPassEncoder | null {
    return this.#render;
  }

  get compute(): GPUComputePassEncoder | null {
    return this.#compute;
  }

  /** @param render null: an attachment is missing, so everything in the pass is skipped */
  beginRender(render: GPURenderPassEncoder | null): void {
    this.#begin();
    this.#render = render;
  }

  beginCompute(compute: GPUComputePassEncoder | null): void {
    this.#begin();
    this.#compute = compute;
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { encoder } = this;
    this.#render = null;
    this.#compute = null;
    encoder?.end();
  }

  /**
   * Executes what a pass has most of, up to a record of another kind, which `cursor` names then; where a record throws,
   * it names the one behind. The commonest are written out here, because a call for each would cost half as much as
   * what it does. Nothing that these records do changes which resources there are.
   */
  executeRun(run: RecordRun): void {
    const { words, ints, used } = run;
    const render = this.#render;
    this.#forgetOldGroups();
    let lastHandle = 0;
    let lastBuffer: GPUBuffer | null = null;
    let at = run.cursor;
    let end = at;
    try {
      for (; at < used; at = end) {
        const header = words[at] as number;
        end = at + (header >>> HEADER_LENGTH_SHIFT);
        // What no writer produces is left to the reader, which refuses it.
        if (end <= at || end > used) break;
        const kind = header & KIND_MASK;
        if (kind === DRAW_INDEXED) {
          this.drawIndexed(words, ints, at + 1);
        } else if (kind === SET_BIND_GROUP) {
          const group = words[at + 1];
          const handle = words[at + 2];
          const index = handleIndex(handle);
          const isPlain = words[at + 3] === 0 && group < MAXIMUM_GROUPS && render !== null;
          if (!isPlain || handle === 0 || this.#foundHandles[index] !== handle) {
            this.setBindGroup(words, at + 1);
          } else if (this.groups[group] !== handle || this.offsetCounts[group] !== 0) {
            this.groups[group] = handle;
            this.offsetCounts[group] = 0;
            this.#validGroups |= 1 << group;
            render.setBindGroup(group, this.#found[index] as GPUBindGroup);
          }
        } else if (kind === SET_VERTEX_BUFFER) {
          const slot = words[at + 1];
          const handle = words[at + 2];
          const byteOffset = words[at + 3];
          if (lastBuffer === null || handle !== lastHandle || slot >= MAXIMUM_VERTEX_BUFFERS) {
            this.setVertexBuffer(words, at + 1);
            lastHandle = handle;
            lastBuffer = (render && this.#resources.buffers.find(handle)?.gpu) ?? null;
          } else if (
            this.bufferOffsets[slot] !== byteOffset ||
            this.buffers[slot] !== handle ||
            this.bufferLengths[slot] !== words[at + 4]
          ) {
            this.buffers[slot] = handle;
            this.bufferOffsets[slot] = byteOffset;
            this.bufferLengths[slot] = words[at + 4];
            this.#validBuffers |= 1 << slot;
            render?.setVertexBuffer(slot, lastBuffer, byteOffset, words[at + 4]);
          }
        } else if (!this.execute(kind, words, ints, at + 1)) break;
      }
    } catch (error) {
      run.opcode = words[at] & 0xff;
      at = end;
      throw error;
    } finally {
      run.cursor = at;
    }
  }

  /** False when the command is none of those that a pass has most of. */
  execute(opcode: number, words: Uint32Array, ints: Int32Array, fields: number): boolean {
    switch (opcode) {
      case SET_BIND_GROUP:
        this.setBindGroup(words, fields);
        return true;
      case SET_VERTEX_BUFFER:
        this.setVertexBuffer(words, fields);
        return true;
      case DRAW_INDEXED:
        this.drawIndexed(words, ints, fields);
        return true;
      case SET_INDEX_BUFFER:
        this.setIndexBuffer(words, fields);
        return true;
      case DRAW:
        this.draw(words, fields);
        return true;
      default:
        return false;
    }
  }

  setGraphicsPipeline(handle: number): void {
    const gpu = this.usePipeline(this.#resources.graphicsPipelines, handle, this.#render);
    if (gpu !== null) this.#render?.setPipeline(gpu);
  }

  /**
   * What follows is drawn, or computed, with another pipeline. Answers the one to set; null where there is none to set.
   * @param pass null: everything in it is skipped
   */
  usePipeline<P>(table: ResourceTable<PipelineResource<P>>, handle: number, pass: object | null): P | null {
    if (handle === this.#pipeline) return null;
    const pipeline = this.find(table, handle);
    const gpu = pipeline?.gpu ?? null;
    this.#isPipelineReady = false;
    if (pipeline === undefined || gpu === null || pass === null) {
      this.#pipeline = 0;
      return null;
    }
    this.#pipeline = handle;
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
    this.#forgetOldGroups();
    const index = handleIndex(handle);
    const isFound = handle !== 0 && this.#foundHandles[index] === handle;
    const gpu = isFound ? this.#found[index] : this.#findBindGroup(handle, index);
    const render = this.#render;
    if (!gpu || (render === null && this.#compute === null)) {
      this.forgetBindGroup(group);
      return;
    }
    this.groups[group] = handle;
    this.#validGroups |= 1 << group;
    this.offsetCounts[group] = offsetCount;
    // A call of its own per kind of encoder: where one call meets two, the browser's fast way into WebGPU is lost.
    if (offsetCount !== 0) this.#setOffsets(group, gpu, words, fields + 3, offsetCount);
    else if (render !== null) render.setBindGroup(group, gpu);
    else this.#compute?.setBindGroup(group, gpu);
  }

  #setOffsets(group: number, gpu: GPUBindGroup, words: Uint32Array, first: number, count: number): void {
    const compared = Math.min(count, KEPT_OFFSETS);
    for (let i = 0; i < compared; i++) {
      this.offsets[group * KEPT_OFFSETS + i] = words[first + i];
    }
    if (this.#render !== null) this.#render.setBindGroup(group, gpu, words, first, count);
    else this.#compute?.setBindGroup(group, gpu, words, first, count);
  }

  /** Draws that need the group are skipped until it is set. */
  forgetBindGroup(group: number): void {
    this.groups[group] = 0;
    this.#validGroups &= ~(1 << group);
  }

  setVertexBuffer(words: Uint32Array, fields: number): void {
    const slot = words[fields];
    const handle = words[fields + 1];
    const byteOffset = words[fields + 2];
    const byteLength = words[fields + 3];
    if (slot >= MAXIMUM_VERTEX_BUFFERS) return;
    if (
      this.buffers[slot] === handle &&
      this.bufferOffsets[slot] === byteOffset &&
      this.bufferLengths[slot] === byteLength
    ) {
      return;
    }
    const buffer = this.find(this.#resources.buffers, handle);
    if (buffer === undefined || buffer.gpu === null || this.#render === null) {
      this.buffers[slot] = 0;
      this.#validBuffers &= ~(1 << slot);
      return;
    }
    this.buffers[slot] = handle;
    this.bufferOffsets[slot] = byteOffset;
    this.bufferLengths[slot] = byteLength;
    this.#validBuffers |= 1 << slot;
    this.#render.setVertexBuffer(slot, buffer.gpu, byteOffset, byteLength);
  }

  setIndexBuffer(words: Uint32Array, fields: number): void {
    const handle = words[fields];
    const format = words[fields + 1];
    const byteOffset = words[fields + 2];
    const byteLength = words[fields + 3];
    if (
      this.indexBuffer === handle &&
      this.indexFormat === format &&
      this.indexOffset === byteOffset &&
      this.indexLength === byteLength
    ) {
      return;
    }
    const buffer = this.find(this.#resources.buffers, handle);
    if (buffer === undefined || buffer.gpu === null || this.#render === null) {
      this.indexBuffer = 0;
      return;
    }
    this.indexBuffer = handle;
    this.indexFormat = format;
    this.indexOffset = byteOffset;
    this.indexLength = byteLength;
    this.#render.setIndexBuffer(buffer.gpu, format === 1 ? 'uint32' : 'uint16', byteOffset, byteLength);
  }

  draw(words: Uint32Array, fields: number): void {
    const render = this.#render;
    if (render === null || !this.canDraw) {
      this.skippedDraws++;
      return;
    }
    const instanceCount = words[fields + 1];
    this.drawCalls++;
    this.instances += instanceCount;
    render.draw(words[fields], instanceCount, words[fields + 2], words[fields + 3]);
  }

  drawIndexed(words: Uint32Array, ints: Int32Array, fields: number): void {
    const render = this.#render;
    if (render === null || this.indexBuffer === 0 || !this.canDraw) {
      this.skippedDraws++;
      return;
    }
    const instanceCount = words[fields + 1];
    this.drawCalls++;
    this.instances += instanceCount;
    render.drawIndexed(words[fields], instanceCount, words[fields + 2], ints[fields + 3], words[fields + 4]);
  }

  /** Resources have come or gone since they were found. */
  #forgetOldGroups(): void {
    if (this.#epoch === this.#resources.epoch) return;
    this.#epoch = this.#resources.epoch;
    this.#foundHandles.fill(0);
    this.#found.fill(null);
  }

  #findBindGroup(handle: number, index: number): GPUBindGroup | null {
    const resource = this.find(this.#resources.bindGroups, handle);
    const gpu = (resource && (resource.gpu ?? this.#resources.renewBindGroup?.(resource))) ?? null;
    if (index >= this.#found.length) {
      const length = 2 * index + 64;
      this.#foundHandles = new Uint32Array(length);
      this.#found = Array(length).fill(null);
    }
    // None that is missing: it is looked for, and reported, each time.
    this.#foundHandles[index] = gpu ? handle : 0;
    this.#found[index] = gpu;
    return gpu;
  }

  /** Whether all that the pipeline asks for is there. */
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

  /** A handle of something that is gone is reported. */
  find<R extends Resource>(table: ResourceTable<R>, handle: number): R | undefined {
    const resource = table.find(handle);
    if (resource === undefined) this.#onStaleHandle(table.staleHandle(handle));
    return resource;
  }

  #begin(): void {
    this.#isOpen = true;
    this.#pipeline = this.indexBuffer = 0;
    this.#isPipelineReady = false;
    this.#neededGroups = this.#neededBuffers = 0;
    this.#validGroups = this.#validBuffers = 0;
    this.groups.fill(0);
    this.buffers.fill(0);
  }
}
