/**
 * The commands of passes that a renderer records seldom: rectangles and constants, indirect draws, compute, queries
 * and debug groups, scenes among them. Answers false when the command is not one of these.
 */
import type { StreamReader } from '../../../core/stream.js';
import { RhiOpcode } from '../../commands/commands.js';
import { stringAt } from '../../commands/record-fields.js';
import type { ExecutorParts } from '../extension.js';

/** Groups open in a pass: one pop too many would cost the whole submission. */
const openGroups = new WeakMap<GPUDebugCommandsMixin, number>();

/** A record; the current one of a reader is one. */
export type PassRecord = Pick<StreamReader, 'opcode' | 'words' | 'floats' | 'fields'>;

/** What passes are executed with. */
export type CommandParts = Pick<ExecutorParts, 'pass' | 'list' | 'resources' | 'runs'>;

export function executePassCommand(record: PassRecord, { pass, list, resources }: CommandParts): boolean {
  const { words, floats, fields } = record;
  const first = words[fields];
  switch (record.opcode) {
    case RhiOpcode.setViewport:
      pass.render?.setViewport(
        floats[fields],
        floats[fields + 1],
        floats[fields + 2],
        floats[fields + 3],
        floats[fields + 4],
        floats[fields + 5],
      );
      break;
    case RhiOpcode.setScissorRect:
      pass.render?.setScissorRect(first, words[fields + 1], words[fields + 2], words[fields + 3]);
      break;
    case RhiOpcode.setStencilRef:
      pass.render?.setStencilReference(first);
      break;
    case RhiOpcode.setBlendFactor:
      pass.render?.setBlendConstant(Array.from(floats.subarray(fields, fields + 4)));
      break;
    case RhiOpcode.drawIndirect:
      drawIndirect(pass, pass.find(resources.buffers, first)?.gpu, words[fields + 1], false);
      break;
    case RhiOpcode.drawIndexedIndirect:
      drawIndirect(pass, pass.find(resources.buffers, first)?.gpu, words[fields + 1], true);
      break;
    case RhiOpcode.dispatch:
      if (pass.compute === null || !pass.canDraw) pass.skippedDraws++;
      else pass.compute.dispatchWorkgroups(first, words[fields + 1], words[fields + 2]);
      break;
    case RhiOpcode.dispatchIndirect: {
      const buffer = pass.find(resources.buffers, first)?.gpu;
      if (pass.compute === null || !buffer || !pass.canDraw) pass.skippedDraws++;
      else pass.compute.dispatchWorkgroupsIndirect(buffer, words[fields + 1]);
      break;
    }
    case RhiOpcode.beginOcclusionQuery:
      pass.render?.beginOcclusionQuery(first);
      break;
    case RhiOpcode.endOcclusionQuery:
      pass.render?.endOcclusionQuery();
      break;
    case RhiOpcode.beginScene:
    case RhiOpcode.pushDebugGroup:
      if (!pass.isOpen) list.pushGroup(stringAt(words, fields));
      else if (pass.encoder !== null) pushGroup(pass.encoder, stringAt(words, fields));
      break;
    case RhiOpcode.endScene:
    case RhiOpcode.popDebugGroup:
      if (!pass.isOpen) list.popGroup();
      else if (pass.encoder !== null) popGroup(pass.encoder);
      break;
    case RhiOpcode.insertDebugMarker:
      (pass.isOpen ? pass.encoder : list.current)?.insertDebugMarker(stringAt(words, fields));
      break;
    default:
      return false;
  }
  return true;
}

function drawIndirect(
  pass: ExecutorParts['pass'],
  buffer: GPUBuffer | null | undefined,
  byteOffset: number,
  isIndexed: boolean,
): void {
  const { render } = pass;
  if (render === null || !buffer || !pass.canDraw || (isIndexed && pass.indexBuffer === 0)) {
    pass.skippedDraws++;
    return;
  }
  pass.drawCalls++;
  if (isIndexed) render.drawIndexedIndirect(buffer, byteOffset);
  else render.drawIndirect(buffer, byteOffset);
}

function pushGroup(encoder: GPUDebugCommandsMixin, label: string): void {
  openGroups.set(encoder, (openGroups.get(encoder) ?? 0) + 1);
  encoder.pushDebugGroup(label);
}

function popGroup(encoder: GPUDebugCommandsMixin): void {
  const count = openGroups.get(encoder) ?? 0;
  if (count === 0) return;
  openGroups.set(encoder, count - 1);
  encoder.popDebugGroup();
}
