/**
 * Decodes the creates and transfers that a renderer's lists have, and calls what carries them out. Each function
 * answers false when the command is not one of its own. Rarer commands: `complete/`.
 */
import type { StreamReader } from '../../core/stream.js';
import { RhiOpcode } from '../commands/commands.js';
import { attachmentOf } from '../commands/record-attachments.js';
import { descriptorAt, fieldWordsAt, stringAt } from '../commands/record-fields.js';
import type { Resources } from './resources.js';
import type { Transfers } from './transfers.js';

export function executeCreate(reader: StreamReader, resources: Resources): boolean {
  const { words, fields } = reader;
  const first = words[fields];
  switch (reader.opcode) {
    case RhiOpcode.createBuffer:
      resources.createBuffer(first, descriptorAt(words, fields));
      break;
    case RhiOpcode.createTexture:
      resources.createTexture(first, descriptorAt(words, fields));
      break;
    case RhiOpcode.createSampler:
      resources.createSampler(first, descriptorAt(words, fields));
      break;
    case RhiOpcode.createShaderModule: {
      const code = 1 + fieldWordsAt(words, fields + 1);
      resources.createShaderModule(first, stringAt(words, fields, 1), stringAt(words, fields, code));
      break;
    }
    case RhiOpcode.createBindGroupLayout:
      resources.createBindGroupLayout(first, descriptorAt(words, fields));
      break;
    case RhiOpcode.createBindGroup:
      resources.createBindGroup(first, descriptorAt(words, fields));
      break;
    case RhiOpcode.createGraphicsPipeline:
      resources.createGraphicsPipeline(first, descriptorAt(words, fields));
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
      transfers.writeBufferFromAttachment(words, fields, attachmentOf(reader));
      break;
    case RhiOpcode.writeTexture:
      transfers.writeTexture(words, fields);
      break;
    case RhiOpcode.writeTextureFromAttachment:
      transfers.writeTextureFromAttachment(words, fields, attachmentOf(reader));
      break;
    case RhiOpcode.copyExternalImage:
      transfers.copyExternalImage(words, fields, attachmentOf(reader));
      break;
    case RhiOpcode.copyTextureToBuffer:
      transfers.copyTextureToBuffer(words, fields);
      break;
    case RhiOpcode.readBuffer:
      transfers.readBuffer(words, fields);
      break;
    default:
      return false;
  }
  return true;
}
