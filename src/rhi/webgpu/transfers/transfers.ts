/**
 * Bytes on their way in and out. A write goes straight from the stream's page to the queue while its list has encoded
 * nothing; after that it must happen in the middle of the list, so it is put into an upload page and copied from
 * there, in order (SYSTEMS L4, M7). Offsets and lengths are bytes.
 */
import { messageOf, RhiError } from '../../../core/errors.js';
import { BufferUsage } from '../../commands/descriptors.js';
import { UPLOAD_PAGE_BYTES, type UploadMemory, UploadPages } from '../../memory/upload-pages.js';
import type { GpuWork } from '../device/gpu-work.js';
import type { GpuMemory } from '../resources/gpu-memory.js';
import type { WebGpuBackend } from '../webgpu-backend.js';

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
/** Milliseconds in which browsers tell of a loss. */
const LOSS_LIMIT = 1000;

export class Transfers {
  readonly uploads: UploadPages<MappedBuffer>;
  readonly #backend: WebGpuBackend;
  #readbacks: Readback[] = [];
  #mappings = 0;

  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
    const { resources, options } = backend;
    const memory = uploadMemory(resources.memory, backend.work);
    this.uploads = new UploadPages(memory, UPLOAD_PAGE_BYTES, options.maximumUploadBytes);
  }

  /** Some read-back was asked for, or its buffer is being mapped: who destroys that buffer now takes its bytes along. */
  get isReading(): boolean {
    return this.#mappings + this.#readbacks.length > 0;
  }

  /** Some read-back waits for its submission. */
  get hasReadbacks(): boolean {
    return this.#readbacks.length > 0;
  }

  /**
   * Upload pages are bounded (SYSTEMS M6). Beyond the bound, what is encoded is submitted, and the write goes straight to
   * the queue. True: it is held until the GPU has caught up; a list that has used the surface's texture can't wait, and
   * what will be refused need not.
   */
  mustWaitForRoom(handle: number, byteOffset: number, byteLength: number): boolean {
    const { list, viewport, host, work } = this.#backend;
    if (list.isEmpty || this.uploads.hasRoom(byteLength)) return false;
    if (this.#target(handle, byteOffset, byteLength).gpu === null) return false;
    list.submit();
    // Their pages need not wait for the list's end: each is mapped again once the GPU has read it.
    this.uploads.recycle(Number.POSITIVE_INFINITY);
    if (viewport.isAcquired || host.isDisposing) return false;
    host.hold(work.whenDone());
    return true;
  }

  /** Per frame; allocates nothing while nothing is encoded. @param first and `count`: words of the source */
  write(handle: number, byteOffset: number, source: Uint32Array, first: number, count: number): void {
    const { list } = this.#backend;
    if (list.isEmpty) {
      this.writeNow(handle, byteOffset, source, first, count);
      return;
    }
    const byteLength = count * 4;
    const gpu = this.#writable(handle, byteOffset, byteLength);
    if (gpu === null) return;
    const page = this.uploads.allocate(byteLength);
    // A device that is destroyed takes its mappings along at once; that it is lost is heard of later.
    if (page.words.length === 0) return;
    page.words.set(source.subarray(first, first + count), this.uploads.byteOffset >> 2);
    list.current.copyBufferToBuffer(page.gpu, this.uploads.byteOffset, gpu, byteOffset, byteLength);
  }

  /** Before all that is encoded and not submitted. */
  writeNow(handle: number, byteOffset: number, source: Uint32Array, first: number, count: number): void {
    const gpu = this.#writable(handle, byteOffset, count * 4);
    // WebGPU takes views of shared memory; its types don't say so.
    const data = source as Uint32Array<ArrayBuffer>;
    if (gpu !== null) this.#backend.device.queue.writeBuffer(gpu, byteOffset, data, first, count);
  }

  /** It is mapped after the next submission. */
  read(readback: Readback): void {
    this.#readbacks.push(readback);
  }

  /** After a submission: maps what was asked for. WebGPU maps no buffer before its submission has finished. */
  startReadbacks(): void {
    if (this.#readbacks.length === 0) return;
    const readbacks = this.#readbacks;
    this.#readbacks = [];
    const { options, host, device, resources, work } = this.#backend;
    for (const { request, gpu, byteOffset, byteLength, isTemporary } of readbacks) {
      this.#mappings++;
      work
        .wait(gpu.mapAsync(MAP_READ, byteOffset, byteLength))
        .then(() => {
          const bytes = gpu.getMappedRange(byteOffset, byteLength).slice(0);
          gpu.unmap();
          options.onReadback(request, bytes);
        })
        // Destroyed since it was mapped, or no memory for the copy.
        .catch((cause: unknown) => {
          const message = `The buffer "${gpu.label}" could not be read: ${messageOf(cause)}`;
          const error = new RhiError('readback-failed', message, { cause });
          // A lost device says it all. Browsers tell of the loss before or after they refuse the mapping.
          whenLossIsTold(device, () => {
            options.onReadback(request, new ArrayBuffer(0));
            host.report(error);
          });
        })
        .finally(() => {
          if (isTemporary) resources.memory.destroy(gpu);
          this.#mappings--;
          host.purge();
        });
    }
  }

  /** Null when it has failed. */
  #writable(handle: number, byteOffset: number, byteLength: number): GPUBuffer | null {
    const buffer = this.#target(handle, byteOffset, byteLength);
    if (buffer.gpu === null) return null;
    this.#backend.uploadBytes += byteLength;
    if (byteLength === buffer.byteLength) buffer.whyStale = null;
    return buffer.gpu;
  }

  /** @throws RhiError where the write does not lie within it */
  #target(handle: number, byteOffset: number, byteLength: number) {
    const buffer = this.#backend.resources.buffers.get(handle);
    const { gpu, byteLength: size, label } = buffer;
    if (gpu !== null && ((byteOffset & 3) !== 0 || byteOffset + byteLength > size)) {
      throw outOfRange('write', byteLength, byteOffset, label, size);
    }
    return buffer;
  }
}

/**
 * A refused mapping is often the first word of a lost device: Firefox tells of the loss up to 200 ms later.
 * @param listener is called when the device is lost, and when that has not been told for a second
 */
function whenLossIsTold(device: GPUDevice, listener: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LOSS_LIMIT);
  });
  Promise.race([device.lost, late]).then(() => {
    clearTimeout(timer);
    listener();
  });
}

export function outOfRange(
  verb: string,
  length: number,
  from: number,
  label: string,
  size: number,
): RhiError {
  return new RhiError(
    'out-of-range',
    `A ${verb} of ${length} bytes at ${from} does not fit the buffer "${label}" of ${size} bytes, or is not at a multiple of 4.`,
  );
}

function uploadMemory(memory: GpuMemory, work: GpuWork): UploadMemory<MappedBuffer> {
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
      work
        .wait(page.gpu.mapAsync(MAP_WRITE))
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
