/** Handlers of writes, reads, copies and buffer clears. WebGPU allows most of these commands outside passes only. */
import { RhiError } from '../../../core/errors.js';
import {
  attachmentOf,
  badLength,
  bytesAt,
  fieldWordsAt,
  jsonAt,
} from '../../../core/records/record-fields.js';
import { BufferUsage, type TextureRegion } from '../../commands/descriptors.js';
import type { CommandRecord } from '../../commands/record-sequence.js';
import { arrayBufferOf, badAttachment } from '../../commands/resource-fields.js';
import type { BufferResource, TextureResource } from '../resources/gpu-resources.js';
import type { Handler, Ready, WebGpuBackend } from '../webgpu-backend.js';
import { outOfRange } from './transfers.js';

/**
 * Wraps the handler of a command that is not allowed inside a pass. If a pass is open, the wrapper throws, because
 * WebGPU would refuse the whole list.
 */
export const outsidePass =
  (handler: Handler): Handler =>
  (backend, record) => {
    backend.outsidePass();
    handler(backend, record);
  };

export const transferHandlers = {
  // This handler has no wrapper, because it is called per frame and object.
  writeBuffer: (backend, record) => {
    backend.outsidePass();
    const { words, fields } = record;
    const count = wordsToWrite(record);
    if (backend.transfers.mustWaitForRoom(words[fields], words[fields + 1], count * 4)) return;
    backend.transfers.write(words[fields], words[fields + 1], words, fields + 3, count);
  },
  // The write precedes all encoded commands. `renaming.ts` explains why this is safe.
  writeBufferUnordered: ({ transfers }, record) => {
    const { words, fields } = record;
    transfers.writeNow(words[fields], words[fields + 1], words, fields + 3, wordsToWrite(record));
  },
  writeBufferFromAttachment: outsidePass((backend, record) => {
    const { words, fields } = record;
    const [offset, from, length] = [words[fields + 2], words[fields + 3], words[fields + 4]];
    if (backend.transfers.mustWaitForRoom(words[fields + 1], offset, length)) return;
    const data = arrayBufferOf(record, backend.resources.labelOf);
    if (from % 4 !== 0 || length % 4 !== 0 || from + length > data.byteLength) {
      throw new RhiError(
        'bad-write',
        `A write of ${length} bytes from offset ${from} does not fit its attachment of ${data.byteLength} bytes, or is not in multiples of 4. Give a range inside the attachment.`,
      );
    }
    const source = new Uint32Array(data, from, length / 4);
    backend.transfers.write(words[fields + 1], offset, source, 0, source.length);
  }),
  writeTexture: outsidePass((backend, { words, fields }) => {
    const region = jsonAt<TextureRegion>(words, fields, 1);
    const data = bytesAt(words, fields, 1 + fieldWordsAt(words, fields + 1));
    writeTexture(backend, words[fields], region, data);
  }),
  writeTextureFromAttachment: outsidePass((backend, record) => {
    const { words, fields } = record;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const data = arrayBufferOf(record, backend.resources.labelOf);
    writeTexture(backend, words[fields + 1], region, new Uint8Array(data));
  }),
  copyExternalImage: outsidePass((backend, record) => {
    const { words, fields } = record;
    const { list, device, resources } = backend;
    const source = attachmentOf(record) as ImageBitmap | undefined;
    if (!source?.close) throw badAttachment(resources.labelOf(words[fields + 1]), 'ImageBitmap');
    try {
      const region = jsonAt<TextureRegion>(words, fields, 2);
      const texture = backend.texture(words[fields + 1]);
      if (texture === null) return;
      list.submit();
      const { width, height, flipY, premultipliedAlpha } = region;
      backend.uploadBytes += width * height * 4;
      device.queue.copyExternalImageToTexture(
        { source, flipY },
        { ...textureSide(texture, region), premultipliedAlpha },
        region,
      );
    } finally {
      source.close();
    }
  }),
  readBuffer: outsidePass(({ stagedReads, resources, options }, { words, fields }) => {
    const request = words[fields];
    const byteOffset = words[fields + 2];
    const byteLength = words[fields + 3];
    const { label, gpu, usage, whyStale, byteLength: size } = resources.buffers.get(words[fields + 1]);
    if (gpu === null || whyStale !== null) {
      // The failure of the buffer itself was reported before, so the answer needs no cause.
      const cause =
        whyStale === null
          ? undefined
          : new RhiError(
              'readback-failed',
              `The buffer "${label}" could not be read, because its contents are stale: ${whyStale}`,
            );
      stagedReads.giveUp();
      options.onReadback(request, new ArrayBuffer(0), cause);
      return;
    }
    if (byteOffset + byteLength > size) throw outOfRange('read', byteLength, byteOffset, label, size);
    if ((usage & BufferUsage.mapRead) !== 0) stagedReads.map(request, gpu, byteOffset, byteLength);
    else stagedReads.copy(request, gpu, byteOffset, byteLength);
  }),

  clearBuffer: outsidePass(({ resources, list }, { words, fields: at }) => {
    const target = resources.buffers.get(words[at]);
    const byteLength = words[at + 2];
    if (!target.gpu) return;
    list.current.clearBuffer(target.gpu, words[at + 1], byteLength);
    if (byteLength === target.byteLength) target.whyStale = null;
  }),
  copyBufferToBuffer: outsidePass(({ resources, list, staleContents }, { words, fields: at }) => {
    const source = resources.buffers.get(words[at]);
    const target = resources.buffers.get(words[at + 2]);
    if (!source.gpu || !target.gpu) return;
    const byteLength = words[at + 4];
    list.current.copyBufferToBuffer(source.gpu, words[at + 1], target.gpu, words[at + 3], byteLength);
    staleContents.copied(source, target, byteLength === target.byteLength);
  }),
  copyBufferToTexture: outsidePass((backend, { words, fields }) => {
    const source = backend.buffer(words[fields]);
    const target = backend.texture(words[fields + 1]);
    if (!source || !target) return;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const to = textureSide(target, region);
    backend.list.current.copyBufferToTexture(bufferSide(source, region), to, region);
    backend.staleContents.copied(source, target, false);
  }),
  copyTextureToBuffer: outsidePass((backend, { words, fields }) => {
    const buffer = backend.resources.buffers.get(words[fields + 1]);
    const before = buffer.whyStale;
    // The target counts as stale until the copy is encoded, so that a read-back after a failed copy does not return
    // older bytes.
    buffer.whyStale = 'the last copy into it failed. An earlier error gives the reason.';
    const source = backend.texture(words[fields]);
    const target = backend.buffer(words[fields + 1]);
    if (!source || !target) return;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const from = textureSide(source, region);
    const to = bufferSide(target, region);
    backend.list.current.copyTextureToBuffer(from, to, region);
    const { bytesPerRow = target.byteLength, rowsPerImage = region.height } = to;
    const byteLength = bytesPerRow * rowsPerImage * (region.depthOrArrayLayers ?? 1);
    buffer.whyStale = before;
    backend.staleContents.copied(source, buffer, !to.offset && byteLength >= buffer.byteLength);
  }),
  copyTextureToTexture: outsidePass((backend, { words, fields }) => {
    const source = backend.texture(words[fields]);
    const target = backend.texture(words[fields + 1]);
    if (!source || !target) return;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    const from = { ...region, mipLevel: region.sourceMipLevel, origin: region.sourceOrigin };
    const to = textureSide(target, region);
    backend.list.current.copyTextureToTexture(textureSide(source, from), to, region);
    backend.staleContents.copied(source, target, false);
  }),
} satisfies Record<string, Handler>;

function writeTexture(backend: WebGpuBackend, handle: number, region: TextureRegion, data: Uint8Array): void {
  const texture = backend.texture(handle);
  if (texture === null) return;
  backend.list.submit();
  backend.uploadBytes += data.byteLength;
  const bytes = data as Uint8Array<ArrayBuffer>;
  backend.device.queue.writeTexture(textureSide(texture, region), bytes, layout(region), region);
}

/** Returns the number of data words of a write's record. @throws RhiError `bad-record` */
function wordsToWrite({ words, fields, fieldWords }: CommandRecord): number {
  const byteLength = words[fields + 2];
  if ((byteLength & 3) !== 0 || byteLength > (fieldWords - 3) * 4) throw badLength(byteLength);
  return byteLength >> 2;
}

// WebGPU ignores unknown members, and treats undefined members as missing. So a region can be passed in place of a
// `GPUExtent3D`.

const layout = ({ byteOffset, bytesPerRow, rowsPerImage }: TextureRegion): GPUTexelCopyBufferLayout => ({
  offset: byteOffset,
  bytesPerRow,
  rowsPerImage,
});

const bufferSide = ({ gpu }: Ready<BufferResource>, region: TextureRegion): GPUTexelCopyBufferInfo => ({
  ...layout(region),
  buffer: gpu,
});

const textureSide = (
  { gpu }: Ready<TextureResource>,
  { mipLevel, origin, aspect }: TextureRegion,
): GPUTexelCopyTextureInfo => ({ texture: gpu, mipLevel, origin, aspect });
