/**
 * Reads buffers back through the staging pool (SYSTEMS M6, M7). The list copies the bytes into a block of the pool.
 * After the submission, the block is mapped, and its bytes are handed out.
 *
 *   readBuffer ─► copy into a block … submit ─► map ─► bytes ─► onReadback, block back to the pool
 *     └ pool full: submit, hold the record until a block returns ─► copy …
 */
import { messageOf, RhiError } from '../../../core/errors.js';
import { BufferUsage } from '../../commands/descriptors.js';
import { type StagingBlock, StagingPool } from '../../mapping/staging-pool.js';
import type { WebGpuBackend } from '../webgpu-backend.js';

interface StagedRead {
  readonly request: number;
  readonly gpu: GPUBuffer;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** The block that contains `gpu`; null for a buffer of the caller that can be mapped. */
  readonly block: StagingBlock<GPUBuffer> | null;
}

const MAP_READ = 1;
/** Milliseconds to wait for the report of a device loss after a refused mapping, if the device maps other buffers. */
const LOSS_LIMIT = 1000;
/**
 * Milliseconds to wait for the report if the device maps no buffer at all. Then the device is lost, but a busy machine
 * may report the loss seconds later.
 */
const CERTAIN_LOSS_LIMIT = 60_000;

export class StagedReads {
  readonly pool: StagingPool<GPUBuffer>;
  readonly #backend: WebGpuBackend;
  /** Read-backs that wait for the next submission. */
  #pending: StagedRead[] = [];
  /** Number of read-backs whose buffers are being mapped. */
  #mappings = 0;
  /** The block for which the current record was held. */
  #awaited: StagingBlock<GPUBuffer> | null = null;

  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
    const { memory } = backend.resources;
    this.pool = new StagingPool(
      {
        create: (size) =>
          memory.createBuffer({
            label: 'read-back',
            size,
            usage: BufferUsage.mapRead | BufferUsage.copyTarget,
          }),
        destroy: (buffer) => memory.destroy(buffer),
      },
      backend.options.maximumReadBackBytes,
    );
  }

  /** Whether a read-back has no answer yet. Its buffer must not be destroyed, because the bytes would be lost. */
  get isReading(): boolean {
    return this.#mappings + this.#pending.length > 0;
  }

  /** Whether a read-back waits for its submission. */
  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  /**
   * Encodes the copy of a buffer's bytes into a block. If the pool is full, submits the list and holds the record.
   * While a viewport is being drawn, the list can't wait, so the read-back is refused. A read-back larger than the pool
   * is refused as well.
   */
  copy(request: number, source: GPUBuffer, byteOffset: number, byteLength: number): void {
    const { list } = this.#backend;
    const block = this.#awaited ?? this.pool.take(byteLength);
    this.#awaited = null;
    if (block === null) {
      this.#wait(request, source.label, byteLength);
      return;
    }
    list.current.copyBufferToBuffer(source, byteOffset, block.memory, 0, byteLength);
    this.#pending.push({ request, gpu: block.memory, byteOffset: 0, byteLength, block });
  }

  /**
   * Returns the block of a held record to the pool. Called if the record fails, so that another read does not take the
   * block by mistake.
   */
  giveUp(): void {
    if (this.#awaited !== null) this.pool.give(this.#awaited);
    this.#awaited = null;
  }

  /** Registers the read-back of a buffer that can be mapped directly, without a block. */
  map(request: number, gpu: GPUBuffer, byteOffset: number, byteLength: number): void {
    this.#pending.push({ request, gpu, byteOffset, byteLength, block: null });
  }

  /**
   * Maps the buffers of registered read-backs. Submit the list before this call, because WebGPU refuses to submit
   * mapped buffers.
   */
  start(): void {
    if (this.#pending.length === 0) return;
    const readBacks = this.#pending;
    this.#pending = [];
    const { options, host, device, work } = this.#backend;
    for (const { request, gpu, byteOffset, byteLength, block } of readBacks) {
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
          if (block !== null) this.pool.give(block);
          this.#mappings--;
          host.purge();
        });
    }
  }

  #wait(request: number, label: string, byteLength: number): void {
    const backend = this.#backend;
    const { pool } = this;
    const { host, viewport, options } = backend;
    if (byteLength > pool.maximumBytes || viewport.isDrawing || host.isDisposing) {
      const error = new RhiError(
        'staging-exhausted',
        `Reading ${byteLength} bytes of the buffer "${label}" exceeds the staging memory: ${pool.usedBytes} of ${pool.maximumBytes} bytes are in use. Read fewer bytes at a time, or raise maximumReadBackBytes.`,
      );
      options.onReadback(request, new ArrayBuffer(0), error);
      host.report(error);
      return;
    }
    // Earlier read-backs of this list return their blocks only after the list's submission.
    backend.submitToWait();
    host.hold(
      pool.wait(byteLength).then((block) => {
        this.#awaited = block;
      }),
    );
  }
}

/**
 * Waits for the report of a device loss after a refused mapping. Firefox reports the loss up to 200 ms after it has
 * refused a mapping. On a busy machine the report may arrive seconds later.
 * @param listener called after the report, or without a report once the time limit has passed
 */
function whenLossIsReported(device: GPUDevice, listener: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    listener();
  };
  device.lost.then(end);
  mapsBuffers(device).then((isAlive) => {
    if (!isOver) timer = setTimeout(end, isAlive ? LOSS_LIMIT : CERTAIN_LOSS_LIMIT);
  });
}

/**
 * Returns whether a device maps a new buffer. A lost device maps none, even before the loss is reported. A lost device
 * still creates buffers, so a device that creates none counts as alive.
 */
async function mapsBuffers(device: GPUDevice): Promise<boolean> {
  const usage = BufferUsage.mapRead | BufferUsage.copyTarget;
  let probe: GPUBuffer;
  try {
    probe = device.createBuffer({ label: 'loss probe', size: 4, usage });
  } catch {
    return true;
  }
  try {
    await probe.mapAsync(MAP_READ);
    return true;
  } catch {
    return false;
  } finally {
    probe.destroy();
  }
}
