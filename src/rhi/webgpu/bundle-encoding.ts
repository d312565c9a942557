/**
 * Encodes a draw bundle's records into a render bundle. Not through `Draws`: a call that meets passes and bundles is slow
 * in both, because the browser's fast way into WebGPU is taken only where a call always meets the same kind of object.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { handleField, isDraw } from '../commands/command-facts.js';
import { RhiOpcode } from '../commands/commands.js';
import { handleKind } from '../commands/handles.js';
import { stringAt } from '../commands/record-fields.js';
import type { GpuResource, Resources } from './resources.js';

export interface EncodedDraws {
  readonly gpu: GPURenderBundle;
  readonly drawCalls: number;
  readonly instances: number;
  /** Every resource that a record names, with the WebGPU object that it had. Those in bind groups are theirs to watch. */
  readonly used: ReadonlyMap<GpuResource<unknown>, unknown>;
}

/** More than there are bind groups or vertex buffers. */
const SLOTS = 16;
/** Where the last record begins that set this slot, by opcode and slot. */
const setLast = new Int32Array(256 * SLOTS);
/** By opcode: sets state, so that the same again means nothing. */
const isState = new Uint8Array(256);
for (const opcode of [
  RhiOpcode.setGraphicsPipeline,
  RhiOpcode.setBindGroup,
  RhiOpcode.setVertexBuffer,
  RhiOpcode.setIndexBuffer,
]) {
  isState[opcode] = 1;
}

/** Null where something is missing, so that a draw would be skipped. */
export function encodeDraws(
  words: Uint32Array,
  encoder: GPURenderBundleEncoder,
  resources: Resources,
): EncodedDraws | null {
  const ints = new Int32Array(words.buffer);
  const used = new Map<GpuResource<unknown>, unknown>();
  let pipeline: { readonly groupMask: number; readonly vertexMask: number } | undefined;
  let groups = 0;
  let buffers = 0;
  let hasIndices = false;
  let drawCalls = 0;
  let instances = 0;
  setLast.fill(-1);
  const bufferAt = (at: number): GPUBuffer | null => resources.buffers.find(words[at])?.gpu ?? null;
  for (let start = 0; start < words.length; start += words[start] >>> HEADER_LENGTH_SHIFT) {
    const opcode = words[start] & 0xff;
    const at = start + 1;
    if (isDraw[opcode] === 1) {
      drawCalls++;
      const isIndexed = opcode === RhiOpcode.drawIndexed || opcode === RhiOpcode.drawIndexedIndirect;
      const isWhole = pipeline && !(pipeline.groupMask & ~groups) && !(pipeline.vertexMask & ~buffers);
      if (!isWhole || (isIndexed && !hasIndices)) return null;
    }
    if (isState[opcode] === 1 && isSet(words, opcode, start)) continue;
    switch (opcode) {
      case RhiOpcode.setGraphicsPipeline: {
        const found = resources.graphicsPipelines.find(words[at]);
        if (!found?.gpu) return null;
        pipeline = found;
        encoder.setPipeline(found.gpu);
        break;
      }
      case RhiOpcode.setBindGroup: {
        const found = resources.bindGroups.find(words[at + 1]);
        const gpu = found && resources.bindGroupOf(found);
        if (!gpu) return null;
        groups |= 1 << words[at];
        encoder.setBindGroup(words[at], gpu, words, at + 3, words[at + 2]);
        break;
      }
      case RhiOpcode.setVertexBuffer: {
        const gpu = bufferAt(at + 1);
        if (gpu === null) return null;
        buffers |= 1 << words[at];
        encoder.setVertexBuffer(words[at], gpu, words[at + 2], words[at + 3]);
        break;
      }
      case RhiOpcode.setIndexBuffer: {
        const gpu = bufferAt(at);
        if (gpu === null) return null;
        hasIndices = true;
        encoder.setIndexBuffer(gpu, words[at + 1] === 1 ? 'uint32' : 'uint16', words[at + 2], words[at + 3]);
        break;
      }
      case RhiOpcode.draw:
        instances += words[at + 1];
        encoder.draw(words[at], words[at + 1], words[at + 2], words[at + 3]);
        break;
      case RhiOpcode.drawIndexed:
        instances += words[at + 1];
        encoder.drawIndexed(words[at], words[at + 1], words[at + 2], ints[at + 3], words[at + 4]);
        break;
      case RhiOpcode.drawIndirect:
      case RhiOpcode.drawIndexedIndirect: {
        const gpu = bufferAt(at);
        if (gpu === null) return null;
        if (opcode === RhiOpcode.drawIndirect) encoder.drawIndirect(gpu, words[at + 1]);
        else encoder.drawIndexedIndirect(gpu, words[at + 1]);
        break;
      }
      case RhiOpcode.popDebugGroup:
        encoder.popDebugGroup();
        break;
      case RhiOpcode.insertDebugMarker:
        encoder.insertDebugMarker(stringAt(words, at));
        break;
      default:
        encoder.pushDebugGroup(stringAt(words, at));
    }
    noteUse(words[start + (handleField[opcode] as number)], opcode, used, resources);
  }
  return { gpu: encoder.finish(), drawCalls, instances, used };
}

function noteUse(
  handle: number,
  opcode: number,
  used: Map<GpuResource<unknown>, unknown>,
  { tables }: Resources,
): void {
  const resource = handleField[opcode] === 0 ? undefined : tables[handleKind(handle)]?.find(handle);
  if (resource !== undefined) used.set(resource, resource.gpu);
}

/** Whether the record says what the last one of its kind, group or slot said; else it is the last one from now on. */
function isSet(words: Uint32Array, opcode: number, start: number): boolean {
  const hasSlot = opcode === RhiOpcode.setBindGroup || opcode === RhiOpcode.setVertexBuffer;
  const place = opcode * SLOTS + (hasSlot ? words[start + 1] % SLOTS : 0);
  const last = setLast[place];
  setLast[place] = start;
  if (last < 0) return false;
  const length = words[start] >>> HEADER_LENGTH_SHIFT;
  for (let i = 0; i < length; i++) if (words[last + i] !== words[start + i]) return false;
  return true;
}
