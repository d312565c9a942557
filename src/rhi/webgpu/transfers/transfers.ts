/**
 * Transfers bytes to and from the GPU. While a list has encoded nothing, a write goes straight from the stream's
 * page to the queue. Later writes must happen in the middle of the list. They are stored in an upload page, and a
 * copy from there is encoded in order (SYSTEMS L4, M7). Offsets and lengths are in bytes.
 */
import { messageOf, RhiError } from '../../../core/errors.js';
import { BufferUsage } from '../../commands/descriptors.js';
import { UPLOAD_PAGE_BYTES, type UploadMemory, UploadPages } from '../../memory/upload-pages.js';
import type { GpuWork } from '../device/gpu-work.js';
import type { GpuMemory } from '../resources/gpu-memory.js';
import type { WebGpuBackend } from '../webgpu-backend.js';

interface MappedBuffer {
  readonly gpu: GPUBuffer;
  /** The mapped memory. Its length is 0 once the device has been destroyed. */
  words: Uint32Array;
}

interface Readback {
  readonly request: number;
  readonly gpu: GPUBuffer;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** Whether the buffer was created for this read-back, and is destroyed after it. */
  readonly isTemporary: boolean;
}

const MAP_WRITE = 2;
const MAP_READ = 1;
/** Milliseconds to wait for the report of a device loss after a refused mapping. */
const LOSS_LIMIT = 1000;

export class Transfers {
  readonly uploads: UploadPages<MappedBuffer>;
  readonly #backend: WebGpuBackend;
  /** Read-backs that wait for the next submission. */
  #readbacks: Readback[] = [];
  /** Number of read-backs whose buffers are being mapped. */
  #mappings = 0;

  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
    const { resources, options } = backend;
    const memory = uploadMemory(resources.memory, backend.work);
    this.uploads = new UploadPages(memory, UPLOAD_PAGE_BYTES, options.maximumUploadBytes);
  }

  /** Whether a read-back has no answer yet. To destroy its buffer now would lose the bytes. */
  get isReading(): boolean {
    return this.#mappings + this.#readbacks.length > 0;
  }

  /** Whether a read-back waits for its submission. */
  get hasReadbacks(): boolean {
    return this.#readbacks.length > 0;
  }

  /**
   * Enforces the limit of upload pages (SYSTEMS M6). If the pages have no room for a write, the encoded commands are
   * submitted, and the record is held until the GPU has finished them. Then the write goes straight to the queue.
   * A list that has acquired the surface's texture can't wait, so its write follows the submission at once.
   * @returns whether the record is held
   */
  mustWaitForRoom(handle: number, byteOffset: number, byteLength: number): boolean {
    const { list, viewport, host, work } = this.#backend;
    if (list.isEmpty || this.uploads.hasRoom(byteLength)) return false;
    if (this.#target(handle, byteOffset, byteLength).gpu === null) return false;
    list.submit();
    // The pages of a submitted part need not wait for the list's end. Each is mapped again once the GPU has read it.
    this.uploads.recycle(Number.POSITIVE_INFINITY);
    if (viewport.isAcquired || host.isDisposing) return false;
    host.hold(work.whenDone());
    return true;
  }

  /**
   * Writes words to a buffer, in order with the encoded commands. Called per frame; allocates nothing while no
   * command is encoded.
   * @param first index of the first word in `source`
   * @param count number of words
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
    // A destroyed device detaches mapped memory at once, and reports the loss later.
    if (page.words.length === 0) return;
    page.words.set(source.subarray(first, first + count), this.uploads.byteOffset >> 2);
    list.current.copyBufferToBuffer(page.gpu, this.uploads.byteOffset, gpu, byteOffset, byteLength);
  }

  /** Writes words to a buffer before all commands that are encoded but not submitted. */
  writeNow(handle: number, byteOffset: number, source: Uint32Array, first: number, count: number): void {
    const gpu = this.#writable(handle, byteOffset, count * 4);
    // WebGPU accepts views of shared memory, but its types do not.
    const data = source as Uint32Array<ArrayBuffer>;
    if (gpu !== null) this.#backend.device.queue.writeBuffer(gpu, byteOffset, data, first, count);
  }

  /** Registers a read-back, whose buffer is mapped after the next submission. */
  read(readback: Readback): void {
    this.#readbacks.push(readback);
  }

  /**
   * Maps the buffers of registered read-backs. WebGPU refuses to submit mapped buffers, so submit the list before.
   */
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
        // The read fails if the device is lost, the buffer was destroyed meanwhile, or memory is missing.
        .catch((cause: unknown) => {
          const message = `The buffer "${gpu.label}" could not be read: ${messageOf(cause)}`;
          const error = new RhiError('readback-failed', message, { cause });
          // If the device is lost, only the loss is reported. Browsers report it before or after they refuse the
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

  /** Returns the buffer of a write, and counts the bytes; null if the buffer has failed. */
  #writable(handle: number, byteOffset: number, byteLength: number): GPUBuffer | null {
    const buffer = this.#target(handle, byteOffset, byteLength);
    if (buffer.gpu === null) return null;
    this.#backend.uploadBytes += byteLength;
    if (byteLength === buffer.byteLength) buffer.whyStale = null;
    return buffer.gpu;
  }

  /** Returns the resource to write to. @throws RhiError `out-of-range`, `stale-handle` */
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
 * Waits for the report of a device loss after a refused mapping. Firefox refuses mappings up to 200 ms before it
 * reports the loss.
 * @param listener called after the report, or after one second without a report
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

/** Returns the error for an access beyond a buffer. @param verb the refused access, such as `write` */
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
        // The mapping fails if the device is lost or the executor was disposed of. Then the page is not used again.
        .catch(() => {});
    },
    destroy: ({ gpu }) => memory.destroy(gpu),
  };
}
