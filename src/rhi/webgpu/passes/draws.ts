/**
 * Executes draws and the state that they need. Successive records are executed in one loop, straight from the
 * stream's page or from a draw bundle's words. The loop executes the commonest records inline, because a function
 * call would add half of a record's cost. `PassEncoder` handles the other cases.
 *
 *   page   | beginRenderPass | setBindGroup | drawIndexed | … | setViewport | drawIndexed | … | endRenderPass |
 *            handler           └────────── loop ─────────┘     handler       └── loop ──┘       handler
 *
 * Called per draw; allocates nothing.
 */
import { HEADER_LENGTH_SHIFT } from '../../../core/records/record-table.js';
import type { PageCursor } from '../../../core/streams/stream.js';
import { RhiOpcode } from '../../commands/commands.js';
import { handleIndex } from '../../commands/handles.js';
import type { Resources } from '../resources/resources.js';
import type { Handler } from '../webgpu-backend.js';
import { INDEX_SLOT, MAXIMUM_GROUPS, type PassEncoder } from './pass-encoder.js';

// Headers of the commonest records. A header contains opcode and length. `setBindGroup` without dynamic offsets has 4
// words.
const SET_BIND_GROUP = RhiOpcode.setBindGroup | (4 << HEADER_LENGTH_SHIFT);
const SET_VERTEX_BUFFER = RhiOpcode.setVertexBuffer | (5 << HEADER_LENGTH_SHIFT);
const DRAW_INDEXED = RhiOpcode.drawIndexed | (6 << HEADER_LENGTH_SHIFT);
const DRAW = RhiOpcode.draw | (5 << HEADER_LENGTH_SHIFT);
/**
 * Mask of the opcode and the attachment flag. A masked header with the flag equals no opcode, so such a record ends the
 * loop.
 */
const KIND_MASK = 0x1ff;

/** Successive records in an array: `cursor` is the index of the first, and `used` the end of the last. */
type RecordRun = Pick<PageCursor, 'words' | 'ints' | 'cursor' | 'used' | 'opcode'>;

export class Draws {
  readonly #pass: PassEncoder;
  readonly #resources: Resources;
  // A cache of bind groups by the slot of their handle, valid at `#epoch`. Reading these arrays is faster than a lookup
  // in the table, because a draw spends most of its time waiting for memory.
  #foundHandles = new Uint32Array(0);
  #found: (GPUBindGroup | null)[] = [];
  #epoch = 0;

  constructor(pass: PassEncoder, resources: Resources) {
    this.#pass = pass;
    this.#resources = resources;
  }

  /**
   * Executes direct draws and their state commands. Stops before any other record, such as an indirect draw. Also stops
   * before `setGraphicsPipeline` while pipelines are pending, because the executor may have to wait. Afterwards
   * `cursor` is the index of the first record that was not executed. If a record throws, `cursor` is the index behind
   * that record.
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
    let canDraw = false;
    let drawCalls = 0;
    let instances = 0;
    let at = run.cursor;
    let end = at;
    try {
      for (; at < used; at = end) {
        const header = words[at] as number;
        end = at + (header >>> HEADER_LENGTH_SHIFT);
        // No writer produces such a header. The loop stops here, and the reader reports the header.
        if (end <= at || end > used) break;
        if (header === DRAW_INDEXED) {
          canDraw ||= pass.canDraw;
          if (!canDraw || buffers[INDEX_SLOT] === 0) {
            pass.skipDraws();
            continue;
          }
          const instanceCount = words[at + 2];
          drawCalls++;
          instances += instanceCount;
          render.drawIndexed(words[at + 1], instanceCount, words[at + 3], ints[at + 4], words[at + 5]);
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
          if (lastBuffer === null || handle !== lastHandle || slot >= INDEX_SLOT || buffers[slot] === 0) {
            pass.setVertexBuffer(words, at + 1);
            lastHandle = handle;
            lastBuffer = this.#resources.buffers.find(handle)?.gpu ?? null;
            canDraw = false;
          } else if (
            bufferOffsets[slot] !== byteOffset ||
            buffers[slot] !== handle ||
            bufferLengths[slot] !== byteLength
          ) {
            buffers[slot] = handle;
            bufferOffsets[slot] = byteOffset;
            bufferLengths[slot] = byteLength;
            render.setVertexBuffer(slot, lastBuffer, byteOffset, byteLength);
          }
        } else if (header === DRAW) {
          canDraw ||= pass.canDraw;
          if (!canDraw) {
            pass.skipDraws();
            continue;
          }
          const instanceCount = words[at + 2];
          drawCalls++;
          instances += instanceCount;
          render.draw(words[at + 1], instanceCount, words[at + 3], words[at + 4]);
        } else {
          const kind = header & KIND_MASK;
          canDraw = false;
          if (kind === RhiOpcode.setBindGroup) pass.setBindGroup(words, at + 1);
          else if (kind === RhiOpcode.setIndexBuffer) pass.setIndexBuffer(words, at + 1);
          else if (kind !== RhiOpcode.setGraphicsPipeline || this.#resources.pendingPipelines > 0) break;
          else pass.setGraphicsPipeline(words[at + 1] as number);
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
    }
  }

  /** Sets a bind group by the slow path, and adds it to the cache. */
  #setBindGroup(words: Uint32Array, fields: number, handle: number, index: number): void {
    const pass = this.#pass;
    pass.setBindGroup(words, fields);
    if (words[fields + 2] !== 0) return;
    if (index >= this.#found.length) {
      const length = 2 * index + 64;
      this.#foundHandles = new Uint32Array(length);
      this.#found = Array(length).fill(null);
    }
    // A missing group is not cached, so that each use of it is reported.
    if (pass.groups[words[fields] as number] !== handle) return;
    this.#foundHandles[index] = handle;
    this.#found[index] = this.#resources.bindGroups.find(handle)?.gpu ?? null;
  }

  /** Clears the cache if the epoch of resources has risen, because cached groups may have changed. */
  #forgetOldGroups(): void {
    const { epoch } = this.#resources;
    if (this.#epoch === epoch) return;
    this.#epoch = epoch;
    this.#foundHandles.fill(0);
    this.#found.fill(null);
  }
}

/** Executes a single draw. The draw comes from a reader without pages, or belongs to a pass that is left out. */
const draw: Handler = ({ draws, pass }, { words, ints, fields, fieldWords }) => {
  // `render` is null if the pass is left out, or is not a render pass.
  if (pass.render === null) pass.skipDraws();
  else draws.execute({ words, ints, cursor: fields - 1, used: fields + fieldWords, opcode: 0 });
};

const drawIndirect: Handler = ({ pass, resources }, { opcode, words, fields }) => {
  const { render } = pass;
  const buffer = pass.find(resources.buffers, words[fields])?.gpu;
  const isIndexed = opcode === RhiOpcode.drawIndexedIndirect;
  if (render === null || !buffer || !pass.canDraw || (isIndexed && pass.buffers[INDEX_SLOT] === 0)) {
    pass.skipDraws();
    return;
  }
  pass.drawCalls++;
  if (isIndexed) render.drawIndexedIndirect(buffer, words[fields + 1]);
  else render.drawIndirect(buffer, words[fields + 1]);
};

export const drawHandlers = {
  setGraphicsPipeline: (backend, { words, fields }) => {
    if (!backend.mustWaitForPipelines()) backend.pass.setGraphicsPipeline(words[fields]);
  },
  setBindGroup: ({ pass }, { words, fields }) => pass.setBindGroup(words, fields),
  setVertexBuffer: ({ pass }, { words, fields }) => pass.setVertexBuffer(words, fields),
  setIndexBuffer: ({ pass }, { words, fields }) => pass.setIndexBuffer(words, fields),
  draw,
  drawIndexed: draw,
  drawIndirect,
  drawIndexedIndirect: drawIndirect,
} satisfies Record<string, Handler>;
