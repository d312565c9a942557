/**
 * Encodes a run of records into a render bundle. Not through `PassEncoder`: a call that meets passes and bundles is slow
 * in both, because the browser's fast way into WebGPU is taken only where a call always meets the same kind of object.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode } from '../commands/commands.js';
import { stringAt } from '../commands/record-fields.js';
import { isDraw } from '../commands/record-kinds.js';
import type { PassRun } from './pass-run.js';
import type { Resources } from './resources.js';

const SET_GRAPHICS_PIPELINE = RhiOpcode.setGraphicsPipeline;
const SET_BIND_GROUP = RhiOpcode.setBindGroup;
const SET_VERTEX_BUFFER = RhiOpcode.setVertexBuffer;
const SET_INDEX_BUFFER = RhiOpcode.setIndexBuffer;
const DRAW = RhiOpcode.draw;
const DRAW_INDEXED = RhiOpcode.drawIndexed;

/** More than there are bind groups or vertex buffers. */
const SLOTS = 16;
/** Where the last record begins that set this slot, by opcode and slot. */
const setLast = new Int32Array(256 * SLOTS);
/** By opcode: sets state, so that the same again means nothing. */
const isState = new Uint8Array(256);
for (const opcode of [SET_GRAPHICS_PIPELINE, SET_BIND_GROUP, SET_VERTEX_BUFFER, SET_INDEX_BUFFER]) {
  isState[opcode] = 1;
}

/** All but the run's end. False where something is missing, so that a draw would be skipped. */
export function encodeRun(run: PassRun, encoder: GPURenderBundleEncoder, resources: Resources): boolean {
  const { words, ints, starts, records } = run;
  let pipeline: { readonly groupMask: number; readonly vertexMask: number } | undefined;
  let groups = 0;
  let buffers = 0;
  let hasIndices = false;
  setLast.fill(-1);
  const bufferAt = (at: number): GPUBuffer | null => resources.buffers.find(words[at])?.gpu ?? null;
  for (let record = 0; record < records - 1; record++) {
    const start = starts[record] as number;
    const opcode = words[start] & 0xff;
    const at = start + 1;
    if (isDraw[opcode] === 1) {
      const isIndexed = opcode === DRAW_INDEXED || opcode === RhiOpcode.drawIndexedIndirect;
      const isWhole = pipeline && !(pipeline.groupMask & ~groups) && !(pipeline.vertexMask & ~buffers);
      if (!isWhole || (isIndexed && !hasIndices)) return false;
    }
    if (isState[opcode] === 1 && isSet(words, opcode, start)) continue;
    switch (opcode) {
      case SET_GRAPHICS_PIPELINE: {
        const found = resources.graphicsPipelines.find(words[at]);
        if (!found?.gpu) return false;
        pipeline = found;
        encoder.setPipeline(found.gpu);
        break;
      }
      case SET_BIND_GROUP: {
        const found = resources.bindGroups.find(words[at + 1]);
        const gpu = found && (found.gpu ?? resources.renewBindGroup?.(found));
        if (!gpu) return false;
        groups |= 1 << words[at];
        encoder.setBindGroup(words[at], gpu, words, at + 3, words[at + 2]);
        break;
      }
      case SET_VERTEX_BUFFER: {
        const gpu = bufferAt(at + 1);
        if (gpu === null) return false;
        buffers |= 1 << words[at];
        encoder.setVertexBuffer(words[at], gpu, words[at + 2], words[at + 3]);
        break;
      }
      case SET_INDEX_BUFFER: {
        const gpu = bufferAt(at);
        if (gpu === null) return false;
        hasIndices = true;
        encoder.setIndexBuffer(gpu, words[at + 1] === 1 ? 'uint32' : 'uint16', words[at + 2], words[at + 3]);
        break;
      }
      case DRAW:
        encoder.draw(words[at], words[at + 1], words[at + 2], words[at + 3]);
        break;
      case DRAW_INDEXED:
        encoder.drawIndexed(words[at], words[at + 1], words[at + 2], ints[at + 3], words[at + 4]);
        break;
      case RhiOpcode.drawIndirect:
      case RhiOpcode.drawIndexedIndirect: {
        const gpu = bufferAt(at);
        if (gpu === null) return false;
        if (opcode === RhiOpcode.drawIndirect) encoder.drawIndirect(gpu, words[at + 1]);
        else encoder.drawIndexedIndirect(gpu, words[at + 1]);
        break;
      }
      case RhiOpcode.popDebugGroup:
      case RhiOpcode.endScene:
        encoder.popDebugGroup();
        break;
      case RhiOpcode.insertDebugMarker:
        encoder.insertDebugMarker(stringAt(words, at));
        break;
      default:
        encoder.pushDebugGroup(stringAt(words, at));
    }
  }
  return true;
}

/** Whether the record says what the last one of its kind, group or slot said; else it is the last one from now on. */
function isSet(words: Uint32Array, opcode: number, start: number): boolean {
  const hasSlot = opcode === SET_BIND_GROUP || opcode === SET_VERTEX_BUFFER;
  const place = opcode * SLOTS + (hasSlot ? words[start + 1] % SLOTS : 0);
  const last = setLast[place];
  setLast[place] = start;
  if (last < 0) return false;
  const length = words[start] >>> HEADER_LENGTH_SHIFT;
  for (let i = 0; i < length; i++) if (words[last + i] !== words[start + i]) return false;
  return true;
}
