/**
 * Bytes in, out and between: writes, copies and read-backs. A write goes straight from the stream's page to the
 * queue while its list has encoded nothing; after that it must happen in the middle of the list, so it is put
 * into an upload page and copied from there, in order (SYSTEMS L4, M7). Offsets and lengths are bytes.
 */
import { messageOf, RhiError } from '../../core/errors.js';
import { BufferUsage, type TextureRegion } from '../commands/descriptors.js';
import { attachmentOf, badAttachment } from '../commands/record-attachments.js';
import { badLength, bytesAt, fieldWordsAt, jsonAt } from '../commands/record-fields.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import type { ExecutorOptions } from '../host/executor.js';
import { UPLOAD_PAGE_BYTES, type UploadMemory, UploadPages } from '../memory/upload-pages.js';
import type { GpuMemory } from './gpu-memory.js';
import type { ListEncoder } from './list-encoder.js';
import type { ExecutorParts, Handler } from './parts.js';
import type { BufferResource, Resources, TextureResource } from './resources.js';

interface MappedBuffer {
  readonly gpu: GPUBuffer;
  words: Uint32Array;
}

interface Readback {
  readonly request: number;
  readonly gpu: GPUBuffer;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** The buffer was made for this read-back and is destroyed after it. */
  readonly isTemporary: boolean;
}

const MAP_WRITE = 2;
const MAP_READ = 1;

export class Transfers {
  uploadBytes = 0;
  readonly uploads: UploadPages<MappedBuffer>;
  readonly #parts: ExecutorParts;
  readonly #device: GPUDevice;
  readonly #resources: Resources;
  readonly #list: ListEncoder;
  readonly #onReadback: ExecutorOptions['onReadback'];
  #readbacks: Readback[] = [];
  #mappings = 0;

  constructor(parts: ExecutorParts) {
    const { device, resources, list, options } = parts;
    this.#parts = parts;
    this.#device = device;
    this.#resources = resources;
    this.#list = list;
    this.#onReadback = options.onReadback;
    this.uploads = new UploadPages(
      uploadMemory(resources.memory),
      UPLOAD_PAGE_BYTES,
      options.maximumUploadBytes,
    );
  }

  /** Some read-back was asked for, or its buffer is being mapped: who destroys that buffer now takes its bytes along. */
  get isReading(): boolean {
    return this.#mappings + this.#readbacks.length > 0;
  }

  /** Some read-back waits for its submission. */
  get isReadingSoon(): boolean {
    return this.#readbacks.length > 0;
  }

  /** Per frame; allocates nothing while nothing is encoded. */
  writeBuffer(record: CommandRecord): void {
    const { words, fields } = record;
    const count = wordsToWrite(record);
    if (this.#mustWaitForRoom(count * 4)) return;
    this.#write(words[fields], words[fields + 1], words, fields + 3, count);
  }

  /** As `writeBuffer`, at once, whatever is encoded: see `renaming.ts`. */
  writeBufferUnordered(record: CommandRecord): void {
    const { words, fields } = record;
    const byteOffset = words[fields + 1];
    const count = wordsToWrite(record);
    const buffer = this.#writable(words[fields], byteOffset, count * 4);
    if (buffer !== null) this.#writeNow(buffer, byteOffset, words, fields + 3, count);
  }

  writeBufferFromAttachment(record: CommandRecord): void {
    const { words, fields } = record;
    const byteOffset = words[fields + 2];
    const dataByteOffset = words[fields + 3];
    const byteLength = words[fields + 4];
    if (this.#mustWaitForRoom(byteLength)) return;
    const data = this.#arrayBuffer(record);
    if (
      (dataByteOffset & 3) !== 0 ||
      (byteLength & 3) !== 0 ||
      dataByteOffset + byteLength > data.byteLength
    ) {
      throw new RhiError(
        'bad-write',
        `A write of ${byteLength} bytes from ${dataByteOffset} was asked for; the attachment has ${data.byteLength}, and both must be multiples of 4.`,
      );
    }
    const source = new Uint32Array(data, dataByteOffset, byteLength >> 2);
    this.#write(words[fields + 1], byteOffset, source, 0, source.length);
  }

  writeTexture({ words, fields }: CommandRecord): void {
    const region = jsonAt<TextureRegion>(words, fields, 1);
    const data = bytesAt(words, fields, 1 + fieldWordsAt(words, fields + 1));
    this.#writeTexture(words[fields], region, data);
  }

  writeTextureFromAttachment(record: CommandRecord): void {
    const { words, fields } = record;
    const region = jsonAt<TextureRegion>(words, fields, 2);
    this.#writeTexture(words[fields + 1], region, new Uint8Array(this.#arrayBuffer(record)));
  }

  copyExternalImage(record: CommandRecord): void {
    const { words, fields } = record;
    const source = attachmentOf(record) as ImageBitmap | undefined;
    if (!source?.close) throw badAttachment(this.#resources.labelOf(words[fields + 1]), 'ImageBitmap');
    try {
      const region = jsonAt<TextureRegion>(words, fields, 2);
      const texture = this.texture(words[fields + 1]);
      if (texture === null) return;
      this.#list.submit();
      const { width, height, flipY, premultipliedAlpha } = region;
      this.uploadBytes += width * height * 4;
      this.#device.queue.copyExternalImageToTexture(
        { source, flipY },
        { ...textureSide(texture, region), premultipliedAlpha },
        extent(region),
      );
    } finally {
      source.close();
    }
  }

  /** A buffer that can't be mapped itself (no usage `mapRead`) is copied first. */
  readBuffer({ words, fields }: CommandRecord): void {
    const request = words[fields];
    const byteOffset = words[fields + 2];
    const byteLength = words[fields + 3];
    const buffer = this.#resources.buffers.find(words[fields + 1]);
    const isInside = buffer !== undefined && byteOffset + byteLength <= buffer.byteLength;
    if (!isInside || buffer.gpu === null || buffer.outdated !== null) {
      this.#onReadback(request, new ArrayBuffer(0), buffer && readbackRefused(buffer));
      if (buffer === undefined) throw this.#resources.buffers.staleHandle(words[fields + 1]);
      if (!isInside && buffer.gpu !== null) throw outOfRange(buffer, 'read', byteOffset, byteLength);
      return;
    }
    if ((buffer.usage & BufferUsage.mapRead) !== 0) {
      this.#readbacks.push({ request, gpu: buffer.gpu, byteOffset, byteLength, isTemporary: false });
      return;
    }
    const gpu = this.#resources.memory.createBuffer({
      label: 'read-back',
      size: byteLength,
      usage: BufferUsage.mapRead | BufferUsage.copyTarget,
    });
    this.#list.current.copyBufferToBuffer(buffer.gpu, byteOffset, gpu, 0, byteLength);
    this.#readbacks.push({ request, gpu, byteOffset: 0, byteLength, isTemporary: true });
  }

  /** After a submission: maps what was asked for. WebGPU maps no buffer before its submission has finished. */
  startReadbacks(): void {
    if (this.#readbacks.length === 0) return;
    const readbacks = this.#readbacks;
    this.#readbacks = [];
    for (const { request, gpu, byteOffset, byteLength, isTemporary } of readbacks) {
      this.#mappings++;
      gpu
        .mapAsync(MAP_READ, byteOffset, byteLength)
        .then(() => {
          const bytes = gpu.getMappedRange(byteOffset, byteLength).slice(0);
          gpu.unmap();
          this.#onReadback(request, bytes);
        })
        // Destroyed since it was mapped, or no memory for the copy.
        .catch((cause: unknown) => {
          const message = `The buffer "${gpu.label}" could not be read: ${messageOf(cause)}`;
          const error = new RhiError('readback-failed', message, { cause });
          this.#onReadback(request, new ArrayBuffer(0));
          // That the device was destroyed is heard of before its work counts as done, and says it all.
          const report = (): void => this.#parts.host.report(error);
          this.#device.queue.onSubmittedWorkDone().then(report, report);
        })
        .finally(() => {
          if (isTemporary) this.#resources.memory.destroy(gpu);
          this.#mappings--;
          this.#parts.host.purge();
        });
    }
  }

  /**
   * Upload pages are bounded (SYSTEMS M6). Beyond the bound, what is encoded is submitted, and the write goes straight to
   * the queue. True: it is held until the GPU has caught up; a list that has used the surface's texture can't wait.
   */
  #mustWaitForRoom(byteLength: number): boolean {
    if (this.#list.isEmpty || this.uploads.hasRoom(byteLength)) return false;
    this.#list.submit();
    // Their pages need not wait for the list's end: each is mapped again once the GPU has read it.
    this.uploads.recycle(Number.POSITIVE_INFINITY);
    if (this.#parts.viewport.isAcquired || this.#parts.isDisposing) return false;
    this.#parts.host.hold(this.#device.queue.onSubmittedWorkDone());
    return true;
  }

  #write(handle: number, byteOffset: number, source: Uint32Array, first: number, count: number): void {
    const byteLength = count * 4;
    const gpu = this.#writable(handle, byteOffset, byteLength);
    if (gpu === null) return;
    if (this.#list.isEmpty) {
      this.#writeNow(gpu, byteOffset, source, first, count);
      return;
    }
    const page = this.uploads.allocate(byteLength);
    // A device that is destroyed takes its mappings along at once; that it is lost is heard of later.
    if (page.words.length === 0) return;
    page.words.set(source.subarray(first, first + count), this.uploads.byteOffset >> 2);
    this.#list.current.copyBufferToBuffer(page.gpu, this.uploads.byteOffset, gpu, byteOffset, byteLength);
  }

  /** Null when it has failed. */
  #writable(handle: number, byteOffset: number, byteLength: number): GPUBuffer | null {
    const buffer = this.#resources.buffers.get(handle);
    if (buffer.gpu === null) return null;
    if ((byteOffset & 3) !== 0 || byteOffset + byteLength > buffer.byteLength) {
      throw outOfRange(buffer, 'write', byteOffset, byteLength);
    }
    this.uploadBytes += byteLength;
    if (byteLength === buffer.byteLength) buffer.outdated = null;
    return buffer.gpu;
  }

  #writeNow(gpu: GPUBuffer, byteOffset: number, source: Uint32Array, first: number, count: number): void {
    // WebGPU takes views of shared memory; its types don't say so.
    this.#device.queue.writeBuffer(gpu, byteOffset, source as Uint32Array<ArrayBuffer>, first, count);
  }

  #writeTexture(handle: number, region: TextureRegion, data: Uint8Array): void {
    const texture = this.texture(handle);
    if (texture === null) return;
    this.#list.submit();
    this.uploadBytes += data.byteLength;
    this.#device.queue.writeTexture(
      textureSide(texture, region),
      data as Uint8Array<ArrayBuffer>,
      layout(region),
      extent(region),
    );
  }

  /** What the record brings for the resource that its second field names. */
  #arrayBuffer(record: CommandRecord): ArrayBuffer {
    const attachment = attachmentOf(record);
    if (attachment instanceof ArrayBuffer) return attachment;
    throw badAttachment(this.#resources.labelOf(record.words[record.fields + 1]), 'ArrayBuffer');
  }

  /** Null when it has failed; the surface's own is acquired here. */
  texture(handle: number): GPUTexture | null {
    const texture: TextureResource = this.#resources.textures.get(handle);
    if (texture.isViewport) this.#parts.viewport.acquire();
    return texture.gpu;
  }
}

/** How many words a write brings in its record. @throws RhiError `bad-record` */
function wordsToWrite({ words, fields, fieldWords }: CommandRecord): number {
  const byteLength = words[fields + 2];
  if ((byteLength & 3) !== 0 || byteLength > (fieldWords - 3) * 4) throw badLength(byteLength);
  return byteLength >> 2;
}

function outOfRange(buffer: BufferResource, verb: string, byteOffset: number, byteLength: number): RhiError {
  return new RhiError(
    'out-of-range',
    `A ${verb} of ${byteLength} bytes at ${byteOffset} does not fit the buffer "${buffer.label}" of ${buffer.byteLength} bytes, or is not at a multiple of 4.`,
  );
}

/** Undefined: the error reported says why. */
function readbackRefused({ label, outdated }: BufferResource): RhiError | undefined {
  if (outdated === null) return undefined;
  return new RhiError(
    'readback-failed',
    `The buffer "${label}" could not be read, because its bytes are old: ${outdated}`,
  );
}

export function extent({ width, height, depthOrArrayLayers }: TextureRegion): GPUExtent3DStrict {
  return { width, height, depthOrArrayLayers };
}

// To WebGPU, a member that is undefined is one that was left out.

function layout({ byteOffset, bytesPerRow, rowsPerImage }: TextureRegion): GPUTexelCopyBufferLayout {
  return { offset: byteOffset, bytesPerRow, rowsPerImage };
}

export function bufferSide(buffer: GPUBuffer, region: TextureRegion): GPUTexelCopyBufferInfo {
  return { ...layout(region), buffer };
}

export function textureSide(
  texture: GPUTexture,
  { mipLevel, origin, aspect }: TextureRegion,
): GPUTexelCopyTextureInfo {
  return { texture, mipLevel, origin, aspect };
}

function uploadMemory(memory: GpuMemory): UploadMemory<MappedBuffer> {
  const view = (gpu: GPUBuffer): Uint32Array => new Uint32Array(gpu.getMappedRange());
  return {
    create: (byteLength) => {
      const gpu = memory.createBuffer({
        label: 'upload page',
        size: byteLength,
        usage: BufferUsage.mapWrite | BufferUsage.copySource,
        mappedAtCreation: true,
      });
      return { gpu, words: view(gpu) };
    },
    close: ({ gpu }) => gpu.unmap(),
    reopen: (page, ready) => {
      page.gpu
        .mapAsync(MAP_WRITE)
        .then(() => {
          page.words = view(page.gpu);
          ready();
        })
        // Lost device, or disposed of, perhaps between the mapping and here.
        .catch(() => {});
    },
    destroy: ({ gpu }) => memory.destroy(gpu),
  };
}

const outsidePass =
  (
    method:
      | 'writeBuffer'
      | 'writeBufferFromAttachment'
      | 'writeTexture'
      | 'writeTextureFromAttachment'
      | 'copyExternalImage'
      | 'readBuffer',
  ): Handler =>
  (parts, record) => {
    parts.outsidePass();
    parts.transfers[method](record);
  };

export const transferHandlers = {
  // A function of its own, because it is called per frame and per object.
  writeBuffer: (parts, record) => {
    parts.outsidePass();
    parts.transfers.writeBuffer(record);
  },
  writeBufferUnordered: ({ transfers }, record) => transfers.writeBufferUnordered(record),
  writeBufferFromAttachment: outsidePass('writeBufferFromAttachment'),
  writeTexture: outsidePass('writeTexture'),
  writeTextureFromAttachment: outsidePass('writeTextureFromAttachment'),
  copyExternalImage: outsidePass('copyExternalImage'),
  readBuffer: outsidePass('readBuffer'),
} satisfies Record<string, Handler>;
