/** Bytes in and out. Pictures (`copyExternalImage`) can't be decoded here; their texels stay as they were. */
import { RhiError } from '../../core/errors.js';
import type { TextureRegion } from '../commands/descriptors.js';
import { attachmentOf, badAttachment } from '../commands/record-attachments.js';
import { bytesAt, fieldWordsAt, jsonAt } from '../commands/record-fields.js';
import { sourceOf } from './contents.js';
import type { ExecutorParts, Handler } from './parts.js';

const writeBuffer: Handler = (parts, { words, fields }) => {
  const data = bytesAt(words, fields, 2);
  parts.uploadBytes += data.length;
  parts.resources.contents(words[fields]).copyFrom(sourceOf(data), 0, words[fields + 1], data.length);
};

function writeTexture(parts: ExecutorParts, handle: number, region: TextureRegion, data: Uint8Array): void {
  parts.uploadBytes += data.length;
  const { texels } = parts.resources.get(handle);
  const target = texels?.box(region.mipLevel, region.origin, region.aspect);
  if (target) texels?.copy(texels.linearBox(sourceOf(data), region), target, region);
}

export const transferHandlers = {
  writeBuffer,
  writeBufferUnordered: writeBuffer,
  writeBufferFromAttachment: (parts, record) => {
    const { words, fields: at } = record;
    const data = new Uint8Array(parts.resources.arrayBuffer(record));
    const [, , byteOffset, dataByteOffset, byteLength] = words.subarray(at, at + 5);
    if (dataByteOffset + byteLength > data.length) {
      throw new RhiError(
        'bad-write',
        `A write of ${byteLength} bytes from ${dataByteOffset} was asked for; the attachment has ${data.length}. Name what it has.`,
      );
    }
    parts.uploadBytes += byteLength;
    parts.resources.contents(words[at + 1]).copyFrom(sourceOf(data), dataByteOffset, byteOffset, byteLength);
  },
  writeTexture: (parts, { words, fields }) => {
    const region = jsonAt<TextureRegion>(words, fields, 1);
    writeTexture(parts, words[fields], region, bytesAt(words, fields, 1 + fieldWordsAt(words, fields + 1)));
  },
  writeTextureFromAttachment: (parts, record) => {
    const { words, fields } = record;
    const data = new Uint8Array(parts.resources.arrayBuffer(record));
    writeTexture(parts, words[fields + 1], jsonAt<TextureRegion>(words, fields, 2), data);
  },
  copyExternalImage: ({ resources }, record) => {
    const image = attachmentOf(record) as ImageBitmap | undefined;
    const { label } = resources.get(record.words[record.fields + 1]);
    if (!image?.close) throw badAttachment(label, 'ImageBitmap');
    image.close();
  },
  readBuffer: ({ options, resources }, { words, fields: at }) => {
    const contents = resources.contents(words[at + 1]);
    options.onReadback(words[at], contents.slice(words[at + 2], words[at + 3]));
  },
} satisfies Record<string, Handler>;
