/**
 * Transfers of bytes to, from and between resources. The pixels of an image can't be read without a GPU, so
 * `copyExternalImage` leaves the target's texels unchanged.
 */
import { RhiError } from '../../core/errors.js';
import { attachmentOf, bytesAt, fieldWordsAt, jsonAt } from '../../core/records/record-fields.js';
import type { TextureRegion } from '../commands/descriptors.js';
import { arrayBufferOf, badAttachment } from '../commands/resource-fields.js';
import { sourceOf } from './contents.js';
import type { Handler, NullBackend } from './null-backend.js';

const writeBuffer: Handler = (backend, { words, fields }) => {
  const data = bytesAt(words, fields, 2);
  backend.uploadBytes += data.length;
  backend.resources.contents(words[fields]).copyFrom(sourceOf(data), 0, words[fields + 1], data.length);
};

function writeTexture(backend: NullBackend, handle: number, region: TextureRegion, data: Uint8Array): void {
  backend.uploadBytes += data.length;
  const { texels } = backend.resources.get(handle);
  texels?.copy(texels.linearBox(sourceOf(data), region), texels.box(region), region);
}

export const transferHandlers = {
  writeBuffer,
  writeBufferUnordered: writeBuffer,
  writeBufferFromAttachment: (backend, record) => {
    const { words, fields: at } = record;
    const data = new Uint8Array(arrayBufferOf(record, backend.resources.labelOf));
    const [, , byteOffset, dataByteOffset, byteLength] = words.subarray(at, at + 5);
    if (dataByteOffset + byteLength > data.length) {
      throw new RhiError(
        'bad-write',
        `A write of ${byteLength} bytes from offset ${dataByteOffset} does not fit its attachment of ${data.length} bytes. Give a range inside the attachment.`,
      );
    }
    backend.uploadBytes += byteLength;
    backend.resources
      .contents(words[at + 1])
      .copyFrom(sourceOf(data), dataByteOffset, byteOffset, byteLength);
  },
  writeTexture: (backend, { words, fields }) => {
    const region = jsonAt<TextureRegion>(words, fields, 1);
    writeTexture(backend, words[fields], region, bytesAt(words, fields, 1 + fieldWordsAt(words, fields + 1)));
  },
  writeTextureFromAttachment: (backend, record) => {
    const { words, fields } = record;
    const data = new Uint8Array(arrayBufferOf(record, backend.resources.labelOf));
    writeTexture(backend, words[fields + 1], jsonAt<TextureRegion>(words, fields, 2), data);
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
  copyBufferToBuffer: ({ resources }, { words, fields: at }) => {
    const source = resources.contents(words[at]);
    const target = resources.contents(words[at + 2]);
    target.copyFrom(source, words[at + 1], words[at + 3], words[at + 4]);
  },
  copyBufferToTexture: ({ resources }, { words, fields }) => {
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const { texels } = resources.get(words[fields + 1]);
    texels?.copy(texels.linearBox(resources.contents(words[fields]), region), texels.box(region), region);
  },
  copyTextureToBuffer: ({ resources }, { words, fields }) => {
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const { texels } = resources.get(words[fields]);
    texels?.copy(texels.box(region), texels.linearBox(resources.contents(words[fields + 1]), region), region);
  },
  copyTextureToTexture: ({ resources }, { words, fields }) => {
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const from = { ...region, mipLevel: region.sourceMipLevel, origin: region.sourceOrigin };
    const source = resources.get(words[fields]).texels?.box(from) ?? null;
    const { texels } = resources.get(words[fields + 1]);
    texels?.copy(source, texels.box(region), region);
  },
} satisfies Record<string, Handler>;
