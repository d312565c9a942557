/**
 * Transfers bytes to the GPU. While a list has encoded nothing, a write goes straight from the stream's page to the
 * queue. Later writes must happen in the middle of the list. Their data is stored in an upload page, and a copy from
 * the page is encoded in list order (SYSTEMS L4, M7). Offsets and lengths are in bytes.
 */
import { RhiError } from '../../../core/errors.js';
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

const MAP_WRITE = 2;

export class Transfers {
  readonly uploads: UploadPages<MappedBuffer>;
  readonly #backend: WebGpuBackend;
  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
    const { resources, options } = backend;
    const memory = uploadMemory(resources.memory, backend.work);
    this.uploads = new UploadPages(memory, UPLOAD_PAGE_BYTES, options.maximumUploadBytes);
  }

  /**
   * Enforces the limit of upload pages (SYSTEMS M6). If the pages have no room for a write, the encoded commands are
   * submitted, and the record is held until the GPU has finished them. Then the write goes straight to the queue. A
   * list that has acquired the surface's texture can't wait, so its write goes to the queue right after the submission.
   * @returns whether the record is held
   */
  mustWaitForRoom(handle: number, byteOffset: number, byteLength: number): boolean {
    const { list, viewport, host, work } = this.#backend;
    if (list.isEmpty || this.uploads.hasRoom(byteLength)) return false;
    if (this.#target(handle, byteOffset, byteLength).gpu === null) return false;
    list.submit();
    // The pages of the submitted part need not wait for the list's end. Each page is mapped again once the GPU has read
    // it.
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

/** Returns the error for an access beyond a buffer, or not at a multiple of 4. @param verb such as `write` */
export function outOfRange(
  verb: string,
  length: number,
  from: number,
  label: string,
  size: number,
): RhiError {
  return new RhiError(
    'out-of-range',
    `A ${verb} of ${length} bytes at ${from} does not fit the buffer "${label}" of ${size} bytes, or is not at a multiple of 4. Correct the range.`,
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
