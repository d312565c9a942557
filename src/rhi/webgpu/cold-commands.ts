/**
 * Decodes the commands that come a few times a frame or less, and calls what carries them out. Each function
 * answers false when the command is not one of its own.
 */
import type { StreamReader } from '../../core/stream.js';
import { RhiOpcode } from '../commands.js';
import { fieldWordsAt, jsonAt, stringAt } from '../record-fields.js';
import type { ListEncoder } from './list-encoder.js';
import type { PassEncoder } from './pass-encoder.js';
import type { Resources } from './resources.js';
import type { Transfers } from './transfers.js';

export function executePassCommand(reader: StreamReader, pass: PassEncoder, list: ListEncoder): boolean {
  const { words, floats, fields } = reader;
  const first = words[fields];
  switch (reader.opcode) {
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
      pass.drawIndirect(first, words[fields + 1], false);
      break;
    case RhiOpcode.drawIndexedIndirect:
      pass.drawIndirect(first, words[fields + 1], true);
      break;
    case RhiOpcode.dispatch:
      pass.dispatch(first, words[fields + 1], words[fields + 2]);
      break;
    case RhiOpcode.dispatchIndirect:
      pass.dispatchIndirect(first, words[fields + 1]);
      break;
    case RhiOpcode.beginOcclusionQuery:
      pass.render?.beginOcclusionQuery(first);
      break;
    case RhiOpcode.endOcclusionQuery:
      pass.render?.endOcclusionQuery();
      break;
    case RhiOpcode.pushDebugGroup:
      if (pass.isOpen) pass.encoder?.pushDebugGroup(stringAt(words, fields));
      else list.pushGroup(stringAt(words, fields));
      break;
    case RhiOpcode.popDebugGroup:
      if (pass.isOpen) pass.encoder?.popDebugGroup();
      else list.popGroup();
      break;
    case RhiOpcode.insertDebugMarker:
      (pass.isOpen ? pass.encoder : list.current)?.insertDebugMarker(stringAt(words, fields));
      break;
    default:
      return false;
  }
  return true;
}

export function executeCreate(reader: StreamReader, resources: Resources): boolean {
  const { words, fields } = reader;
  const first = words[fields];
  switch (reader.opcode) {
    case RhiOpcode.createBuffer:
      resources.createBuffer(first, jsonAt(words, fields + 1));
      break;
    case RhiOpcode.createTexture:
      resources.createTexture(first, jsonAt(words, fields + 1));
      break;
    case RhiOpcode.createSampler:
      resources.createSampler(first, jsonAt(words, fields + 1));
      break;
    case RhiOpcode.createShaderModule: {
      const code = fields + 1 + fieldWordsAt(words, fields + 1);
      resources.createShaderModule(first, stringAt(words, fields + 1), stringAt(words, code));
      break;
    }
    case RhiOpcode.createBindGroupLayout:
      resources.createBindGroupLayout(first, jsonAt(words, fields + 1));
      break;
    case RhiOpcode.createBindGroup:
      resources.createBindGroup(first, jsonAt(words, fields + 1));
      break;
    case RhiOpcode.createGraphicsPipeline:
      resources.createGraphicsPipeline(first, jsonAt(words, fields + 1));
      break;
    case RhiOpcode.createComputePipeline:
      resources.createComputePipeline(first, jsonAt(words, fields + 1));
      break;
    case RhiOpcode.createQuerySet:
      resources.createQuerySet(first, jsonAt(words, fields + 1));
      break;
    default:
      return false;
  }
  return true;
}

export function executeTransfer(reader: StreamReader, transfers: Transfers): boolean {
  const { words, fields } = reader;
  switch (reader.opcode) {
    case RhiOpcode.writeBufferFromAttachment:
      transfers.writeBufferFromAttachment(words, fields, reader.attachment(words[fields]));
      break;
    case RhiOpcode.writeTexture:
      transfers.writeTexture(words, fields);
      break;
    case RhiOpcode.writeTextureFromAttachment:
      transfers.writeTextureFromAttachment(words, fields, reader.attachment(words[fields]));
      break;
    case RhiOpcode.copyExternalImage:
      transfers.copyExternalImage(words, fields, reader.attachment(words[fields]));
      break;
    case RhiOpcode.clearBuffer:
      transfers.clearBuffer(words, fields);
      break;
    case RhiOpcode.copyBufferToBuffer:
      transfers.copyBufferToBuffer(words, fields);
      break;
    case RhiOpcode.copyBufferToTexture:
      transfers.copyBufferToTexture(words, fields);
      break;
    case RhiOpcode.copyTextureToBuffer:
      transfers.copyTextureToBuffer(words, fields);
      break;
    case RhiOpcode.copyTextureToTexture:
      transfers.copyTextureToTexture(words, fields);
      break;
    case RhiOpcode.resolveQuerySet:
      transfers.resolveQuerySet(words, fields);
      break;
    case RhiOpcode.readBuffer:
      transfers.readBuffer(words, fields);
      break;
    default:
      return false;
  }
  return true;
}
