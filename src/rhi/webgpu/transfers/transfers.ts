/**
 * Transfers of bytes to and from the GPU. While a list has encoded nothing, a write goes straight from the stream's
 * page to the queue. Later writes must happen in the middle of the list. They are put into an upload page and copied
 * from there, in order (SYSTEMS L4, M7). Offsets and lengths are in bytes.
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
  /** Whether the buffer was made for this read-back, and is destroyed after it. */
  readonly isTemporary: boolean;
}

const MAP_WRITE = 2;
const MAP_READ = 1;
/** Milliseconds within which browsers report a device loss. */
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

  /** Whether a read-back is waiting or its buffer being mapped. Destroying the buffer would lose its bytes. */
  get isReading(): boolean {
    return this.#mappings + this.#readbacks.length > 0;
  }

  /** Whether a read-back waits for its submission. */
  get hasReadbacks(): boolean {
    return this.#readbacks.length > 0;
  }

  /**
   * Enforces the limit of upload pages (SYSTEMS M6). Beyond it, the encoded commands are submitted, and the write goes
   * straight to the queue.
   * @returns whether the write is held until the GPU has caught up; not after the surface's texture was used, because
   *   the list can't wait then, and not for a write to a failed buffer
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

  /**
   * Writes to a buffer. Called per frame; allocates nothing while nothing is encoded.
   * @param first and `count`: words of the source
   */
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
    // A destroyed device unmaps its buffers at once; its loss is reported later.
    if (page.words.length === 0) return;
    page.words.set(source.subarray(first, first + count), this.uploads.byteOffset >> 2);
    list.current.copyBufferToBuffer(page.gpu, this.uploads.byteOffset, gpu, byteOffset, byteLength);
  }

  /** Writes ahead of all encoded, unsubmitted commands. */
  writeNow(handle: number, byteOffset: number, source: Uint32Array, first: number, count: number): void {
    const gpu = this.#writable(handle, byteOffset, count * 4);
    // WebGPU accepts views of shared memory, but its types do not.
    const data = source as Uint32Array<ArrayBuffer>;
    if (gpu !== null) this.#backend.device.queue.writeBuffer(gpu, byteOffset, data, first, count);
  }

  /** Registers a read-back, which is mapped after the next submission. */
  read(readback: Readback): void {
    this.#readbacks.push(readback);
  }

  /** Maps the registered read-backs after a submission. WebGPU maps no buffer before its submission has finished. */
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
        // The buffer was destroyed since the mapping, or there was no memory for the copy.
        .catch((cause: unknown) => {
          const message = `The buffer "${gpu.label}" could not be read: ${messageOf(cause)}`;
          const error = new RhiError('readback-failed', message, { cause });
          // Nothing is reported if the device is lost. Browsers report the loss before or after they refuse the
          // mapping.
          whenLossIsReported(device, () => {
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

  /** Returns null if the buffer has failed. */
  #writable(handle: number, byteOffset: number, byteLength: number): GPUBuffer | null {
    const buffer = this.#target(handle, byteOffset, byteLength);
    if (buffer.gpu === null) return null;
    this.#backend.uploadBytes += byteLength;
    if (byteLength === buffer.byteLength) buffer.whyStale = null;
    return buffer.gpu;
  }

  /** @throws RhiError if the write exceeds the buffer */
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
 * Calls back after a refused mapping, which is often the first sign of a lost device: Firefox reports the loss up to
 * 200 ms later.
 * @param listener called when the device is lost, or after a second without a loss
 */
function whenLossIsReported(device: GPUDevice, listener: () => void): void {
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
        // The device is lost, or the executor was disposed of, perhaps since the mapping.
        .catch(() => {});
    },
    destroy: ({ gpu }) => memory.destroy(gpu),
  };
}
