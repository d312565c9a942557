/**
 * Copies between resources, clears of buffers, and query results into a buffer: what WebGPU has a call of its own
 * for. Answers false when the command is not one of these.
 */
import type { StreamReader } from '../../../core/stream.js';
import { RhiOpcode } from '../../commands/commands.js';
import type { TextureRegion } from '../../commands/descriptors.js';
import { jsonAt } from '../../commands/record-fields.js';
import type { ExecutorParts } from '../extension.js';
import { bufferSide, extent, textureSide } from '../transfers.js';

export function executeCopy(reader: StreamReader, parts: ExecutorParts): boolean {
  const { words, fields, opcode } = reader;
  switch (opcode) {
    case RhiOpcode.clearBuffer:
    case RhiOpcode.copyBufferToBuffer:
    case RhiOpcode.copyBufferToTexture:
    case RhiOpcode.copyTextureToTexture:
    case RhiOpcode.resolveQuerySet:
      parts.outsidePass();
      copy(opcode, words, fields, parts);
      return true;
    default:
      return false;
  }
}

function copy(opcode: number, words: Uint32Array, fields: number, parts: ExecutorParts): void {
  const { resources, transfers, list } = parts;
  const buffer = (handle: number): GPUBuffer | null => resources.buffers.get(handle).gpu;
  const first = words[fields];
  switch (opcode) {
    case RhiOpcode.clearBuffer: {
      const target = buffer(first);
      if (target) list.current.clearBuffer(target, words[fields + 1], words[fields + 2]);
      break;
    }
    case RhiOpcode.copyBufferToBuffer: {
      const source = buffer(first);
      const target = buffer(words[fields + 2]);
      if (!source || !target) break;
      const byteLength = words[fields + 4];
      list.current.copyBufferToBuffer(source, words[fields + 1], target, words[fields + 3], byteLength);
      break;
    }
    case RhiOpcode.copyBufferToTexture: {
      const source = buffer(first);
      const target = transfers.texture(words[fields + 1]);
      if (!source || !target) break;
      const region = jsonAt<TextureRegion>(words, fields, 2);
      const from = bufferSide(source, region);
      list.current.copyBufferToTexture(from, textureSide(target, region), extent(region));
      break;
    }
    case RhiOpcode.copyTextureToTexture: {
      const source = transfers.texture(first);
      const target = transfers.texture(words[fields + 1]);
      if (!source || !target) break;
      const region = jsonAt<TextureRegion>(words, fields, 2);
      const { sourceMipLevel: mipLevel, sourceOrigin: origin } = region;
      const from = textureSide(source, { ...region, mipLevel, origin });
      list.current.copyTextureToTexture(from, textureSide(target, region), extent(region));
      break;
    }
    case RhiOpcode.resolveQuerySet: {
      const querySet = resources.querySets.get(first).gpu;
      const target = buffer(words[fields + 3]);
      if (!querySet || !target) break;
      const at = words[fields + 4];
      list.current.resolveQuerySet(querySet, words[fields + 1], words[fields + 2], target, at);
    }
  }
}
