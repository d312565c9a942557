/**
 * Executes what a render pass has most of, straight from the page: bind groups, vertex buffers, draws. The commonest
 * records are written out here, because a call for each would cost half as much as what it does; what needs a look
 * goes to `PassEncoder`. Most of what is left is the calls into WebGPU, so ranges of one vertex buffer become one:
 *
 *   recorded   vertices 0 of b, at 0  draw │ at 360  draw, base vertex 0 │ at 720  draw, base vertex 0
 *   called     vertices 0 of b, whole draw │         draw, base vertex 30 │         draw, base vertex 60
 *
 * The same bytes reach the vertex shader, so the same pixels come. This is done only where it must be so:
 * 1. The pipeline has one vertex buffer that steps per vertex, and no shader that reads `vertex_index`.
 * 2. The offset is a whole number of vertices from where the buffer is bound, and the range lies in the buffer. What
 *    WebGPU would refuse is set as it was recorded, and refused.
 * 3. The draw is indexed. Before any other command, and at the end of the page, the last range is set as recorded.
 *
 * Per draw; allocates nothing.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode } from '../commands/commands.js';
import type { GraphicsPipelineDescriptor } from '../commands/descriptors.js';
import { handleIndex } from '../commands/handles.js';
import { descriptorAt } from '../commands/record-fields.js';
import { MAXIMUM_GROUPS, type PassEncoder } from './pass-encoder.js';
import type { PipelineResource, Resources } from './resources.js';

// Whole headers, because they are compared with for every record. A bind group with offsets is longer.
const SET_BIND_GROUP = RhiOpcode.setBindGroup | (4 << HEADER_LENGTH_SHIFT);
const SET_VERTEX_BUFFER = RhiOpcode.setVertexBuffer | (5 << HEADER_LENGTH_SHIFT);
const DRAW_INDEXED = RhiOpcode.drawIndexed | (6 << HEADER_LENGTH_SHIFT);
const DRAW = RhiOpcode.draw;
const END_RENDER_PASS = RhiOpcode.endRenderPass | (1 << HEADER_LENGTH_SHIFT);
/** Opcode, and whether the record names an attachment, which none of these does. */
const KIND_MASK = 0x1ff;

/** Ranges of one buffer set in a row before it is bound whole: that, and setting the last range again, costs two calls. */
const RANGES_BEFORE_WHOLE = 4;

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

/** The vertex buffer whose ranges can be told by base vertices. */
interface VertexSlot {
  readonly slot: number;
  /** Bytes from vertex to vertex. */
  readonly stride: number;
}

export class RunExecutor {
  readonly #pass: PassEncoder;
  readonly #resources: Resources;
  readonly #vertexSlots = new WeakMap<object, VertexSlot | null>();

  // Bind groups by slot, as they were at an epoch. Most of what a draw costs here is memory's latency, and these lie
  // side by side.
  #foundHandles = new Uint32Array(0);
  #found: (GPUBindGroup | null)[] = [];
  #epoch = 0;

  // Of the vertex buffer that is bound whole.
  #wholeSlot = 0;
  #wholeHandle = 0;
  #wholeBuffer: GPUBuffer | null = null;
  #wholeStride = 0;
  #wholeEnd = 0;

  constructor(pass: PassEncoder, resources: Resources) {
    this.#pass = pass;
    this.#resources = resources;
  }

  /**
   * Goes up to a record of another kind, which `cursor` names then; where a record throws, it names the one behind.
   * Nothing that these records do changes which resources there are.
   */
  execute(run: RecordRun): void {
    const pass = this.#pass;
    const { render, groups, offsetCounts, buffers, bufferOffsets, bufferLengths } = pass;
    if (render === null) return;
    this.#forgetOldGroups();
    const { words, ints, used } = run;
    let foundHandles = this.#foundHandles;
    let found = this.#found;
    let lastHandle = 0;
    let lastBuffer: GPUBuffer | null = null;
    let ranges = 0;
    // The vertex buffer that is bound whole (a handle of 0: none), and which range of it was recorded last.
    let wholeHandle = 0;
    let wholeStride = 0;
    let verticesPerByte = 0;
    let wholeOffset = 0;
    let wholeEnd = 0;
    let rangeOffset = 0;
    let rangeLength = 0;
    let firstVertex = 0;
    let canDraw = false;
    let drawCalls = 0;
    let instances = 0;
    let at = run.cursor;
    let end = at;
    try {
      for (; at < used; at = end) {
        const header = words[at] as number;
        end = at + (header >>> HEADER_LENGTH_SHIFT);
        // What no writer produces is left to the reader, which refuses it.
        if (end <= at || end > used) break;
        if (header === DRAW_INDEXED) {
          canDraw ||= pass.indexBuffer !== 0 && pass.canDraw;
          if (!canDraw) {
            pass.skippedDraws++;
            continue;
          }
          const instanceCount = words[at + 2];
          drawCalls++;
          instances += instanceCount;
          const baseVertex = (ints[at + 4] + firstVertex) | 0;
          render.drawIndexed(words[at + 1], instanceCount, words[at + 3], baseVertex, words[at + 5]);
        } else if (header === SET_BIND_GROUP) {
          const group = words[at + 1];
          const handle = words[at + 2];
          const index = handleIndex(handle);
          const isKnown = handle !== 0 && foundHandles[index] === handle && words[at + 3] === 0;
          if (!isKnown || group >= MAXIMUM_GROUPS || groups[group] === 0) {
            this.#setBindGroup(words, at + 1, handle, index);
            foundHandles = this.#foundHandles;
            found = this.#found;
            canDraw = false;
          } else if (groups[group] !== handle || offsetCounts[group] !== 0) {
            groups[group] = handle;
            offsetCounts[group] = 0;
            render.setBindGroup(group, found[index] as GPUBindGroup);
          }
        } else if (header === SET_VERTEX_BUFFER) {
          const slot = words[at + 1];
          const handle = words[at + 2];
          const byteOffset = words[at + 3];
          const byteLength = words[at + 4];
          if (handle === wholeHandle && slot === this.#wholeSlot && handle !== 0) {
            const distance = byteOffset - wholeOffset;
            firstVertex = Math.round(distance * verticesPerByte);
            rangeOffset = byteOffset;
            rangeLength = byteLength;
            if (firstVertex * wholeStride === distance && byteOffset + byteLength <= wholeEnd) continue;
            this.#setRange(render, rangeOffset, rangeLength);
            wholeHandle = firstVertex = ranges = 0;
          } else if (lastBuffer === null || handle !== lastHandle || !(buffers[slot] > 0)) {
            if (slot === this.#wholeSlot && wholeHandle !== 0) {
              this.#leaveWhole(rangeOffset, rangeLength);
              wholeHandle = firstVertex = 0;
            }
            pass.setVertexBuffer(words, at + 1);
            lastHandle = handle;
            lastBuffer = this.#resources.buffers.find(handle)?.gpu ?? null;
            ranges = 0;
            canDraw = false;
          } else if (
            bufferOffsets[slot] !== byteOffset ||
            buffers[slot] !== handle ||
            bufferLengths[slot] !== byteLength
          ) {
            if (++ranges === RANGES_BEFORE_WHOLE && this.#bindWhole(render, slot, handle, byteOffset)) {
              wholeHandle = handle;
              wholeStride = this.#wholeStride;
              verticesPerByte = 1 / wholeStride;
              wholeOffset = byteOffset % wholeStride;
              wholeEnd = this.#wholeEnd;
              end = at;
              continue;
            }
            buffers[slot] = handle;
            bufferOffsets[slot] = byteOffset;
            bufferLengths[slot] = byteLength;
            render.setVertexBuffer(slot, lastBuffer, byteOffset, byteLength);
          }
        } else {
          const kind = header & KIND_MASK;
          if (kind === DRAW && wholeHandle !== 0) {
            this.#setRange(render, rangeOffset, rangeLength);
            wholeHandle = firstVertex = ranges = 0;
          }
          canDraw = false;
          if (!pass.execute(kind, words, ints, at + 1)) break;
        }
      }
    } catch (error) {
      run.opcode = words[at] & 0xff;
      at = end;
      throw error;
    } finally {
      run.cursor = at;
      pass.drawCalls += drawCalls;
      pass.instances += instances;
      const isOver = at < used && words[at] === END_RENDER_PASS;
      if (wholeHandle !== 0 && !isOver) this.#setRange(render, rangeOffset, rangeLength);
    }
  }

  #setBindGroup(words: Uint32Array, fields: number, handle: number, index: number): void {
    const pass = this.#pass;
    pass.setBindGroup(words, fields);
    if (words[fields + 2] !== 0) return;
    if (index >= this.#found.length) {
      const length = 2 * index + 64;
      this.#foundHandles = new Uint32Array(length);
      this.#found = Array(length).fill(null);
    }
    // None that is missing: it is looked for, and reported, each time.
    if (pass.groups[words[fields] as number] !== handle) return;
    this.#foundHandles[index] = handle;
    this.#found[index] = this.#resources.bindGroups.find(handle)?.gpu ?? null;
  }

  /** Resources have come or gone since they were found. */
  #forgetOldGroups(): void {
    const { epoch } = this.#resources;
    if (this.#epoch === epoch) return;
    this.#epoch = epoch;
    this.#foundHandles.fill(0);
    this.#found.fill(null);
  }

  /** Binds all of the buffer that lies whole vertices from this range. False where ranges must be set one by one. */
  #bindWhole(render: GPURenderPassEncoder, slot: number, handle: number, byteOffset: number): boolean {
    const pass = this.#pass;
    const pipeline = this.#resources.graphicsPipelines.find(pass.pipeline);
    const vertices = pipeline && this.#vertexSlotOf(pipeline);
    const buffer = this.#resources.buffers.find(handle);
    if (!vertices || vertices.slot !== slot || !buffer?.gpu) return false;
    const { stride } = vertices;
    this.#wholeSlot = slot;
    this.#wholeHandle = handle;
    this.#wholeBuffer = buffer.gpu;
    this.#wholeStride = stride;
    this.#wholeEnd = buffer.byteLength;
    pass.buffers[slot] = 0;
    // From less than a vertex on, so that every range begins whole vertices behind it.
    const first = byteOffset % stride;
    render.setVertexBuffer(slot, buffer.gpu, first, buffer.byteLength - first);
    return true;
  }

  /** Once per pipeline. Null: it takes no ranges by base vertices. */
  #vertexSlotOf(pipeline: PipelineResource<GPURenderPipeline>): VertexSlot | null {
    let found = this.#vertexSlots.get(pipeline);
    if (found === undefined) {
      const creation = pipeline.readsVertexIndex ? null : this.#resources.creationOf(pipeline);
      found = creation && vertexSlotOf(descriptorAt<GraphicsPipelineDescriptor>(creation, 1));
      this.#vertexSlots.set(pipeline, found);
    }
    return found;
  }

  /** The range recorded last counts as set; who calls sets it, or something else. */
  #leaveWhole(byteOffset: number, byteLength: number): void {
    const { buffers, bufferOffsets, bufferLengths } = this.#pass;
    buffers[this.#wholeSlot] = this.#wholeHandle;
    bufferOffsets[this.#wholeSlot] = byteOffset;
    bufferLengths[this.#wholeSlot] = byteLength;
  }

  #setRange(render: GPURenderPassEncoder, byteOffset: number, byteLength: number): void {
    this.#leaveWhole(byteOffset, byteLength);
    render.setVertexBuffer(this.#wholeSlot, this.#wholeBuffer as GPUBuffer, byteOffset, byteLength);
  }
}

function vertexSlotOf({ vertex }: GraphicsPipelineDescriptor): VertexSlot | null {
  let found: VertexSlot | null = null;
  for (const [slot, buffer] of (vertex.buffers ?? []).entries()) {
    if (buffer === null || buffer.stepMode === 'instance') continue;
    if (found !== null || !(buffer.arrayStride > 0)) return null;
    found = { slot, stride: buffer.arrayStride };
  }
  return found;
}
