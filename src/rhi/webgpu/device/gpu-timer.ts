import { TimelineEvent } from '../../../core/events/event-ring.js';
import { hasFeature } from '../../commands/capabilities.js';
import { BufferUsage } from '../../commands/descriptors.js';
import type { WebGpuBackend } from '../webgpu-backend.js';

const NANOSECONDS_PER_MILLISECOND = 1e6;
/**
 * Maximum number of passes with times of their own. All further passes of a frame count as part of the last
 * timed pass.
 */
const MAXIMUM_PASSES = 64;
/**
 * Maximum number of labels in the map of times. A larger map is cleared, because it keeps the labels of former
 * passes.
 */
const MOST_LABELS = 1024;
/** Bytes of the timestamps of a pass: two queries of 8 bytes. */
const BYTES_PER_PASS = 16;

/**
 * Measures the GPU times of a frame's passes by timestamps, for the timeline. It also measures the time from
 * the start of a frame's first pass to the end of its last pass, for statistics. Measuring begins with the
 * frame after `start`, on devices with `timestamp-query`. Results arrive some frames later.
 *
 * A frame without a free read-back buffer is not measured, nor is a pass with `timestampWrites` of its own. WebGPU's
 * timestamps may decrease, so the times of a frame with a negative total are discarded.
 *
 *   pass      0        1        …  63 and all later passes
 *   queries   0   1    2   3       126               127
 *
 * The ring of timeline events receives times of the GPU's clock. Readers of the ring align them with other
 * clocks.
 */
export class GpuTimer {
  readonly #backend: WebGpuBackend;
  #querySet: GPUQuerySet | null = null;
  #resolved: GPUBuffer | null = null;
  /** Read-back buffers that no frame uses. */
  readonly #free: GPUBuffer[] = [];
  /** All read-back buffers. */
  readonly #all: GPUBuffer[] = [];
  /**
   * Timestamp writes by pass. The last entry is for all further passes, and moves only the end time of the last timed
   * pass.
   */
  readonly #writes: GPURenderPassTimestampWrites[] = [];
  /** Read-back buffer of the current frame; null if the frame is not measured. */
  #current: GPUBuffer | null = null;
  #passes = 0;
  /** Declared queue of each pass of the frame. */
  readonly #queues = new Uint8Array(MAXIMUM_PASSES);
  readonly #labels: string[] = [];
  /** Queue declared for the next passes (`QueueHint`). */
  queue = 0;
  /** Latest time of a frame's passes, in milliseconds; null before the first result. */
  milliseconds: number | null = null;
  /** Latest time of each pass by its label, in milliseconds. */
  readonly passMilliseconds = new Map<string, number>();

  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
  }

  /** Starts to measure with the next frame. Does nothing without timestamps, or if measuring has started already. */
  start(): void {
    const { device, resources, options } = this.#backend;
    if (this.#querySet !== null || !hasFeature({ features: [...device.features] }, 'timestamp-query')) return;
    const label = 'frame time';
    const querySet = device.createQuerySet({ label, type: 'timestamp', count: MAXIMUM_PASSES * 2 });
    this.#querySet = querySet;
    const create = (of: string, usage: number): GPUBuffer =>
      resources.memory.createBuffer({ label: of, size: MAXIMUM_PASSES * BYTES_PER_PASS, usage });
    this.#resolved = create(label, BufferUsage.queryResolve | BufferUsage.copySource);
    for (let first = 0; first < MAXIMUM_PASSES * 2; first += 2) {
      this.#writes.push({ querySet, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 });
    }
    this.#writes.push({ querySet, endOfPassWriteIndex: MAXIMUM_PASSES * 2 - 1 });
    for (let i = 0; i <= options.maxFramesInFlight; i++) {
      this.#all.push(create('frame time read-back', BufferUsage.mapRead | BufferUsage.copyTarget));
    }
    this.#free.push(...this.#all);
  }

  beginFrame(): void {
    this.#passes = this.queue = 0;
    this.#current = this.#free.pop() ?? null;
  }

  /** Returns the timestamp writes of the frame's next pass. @param label label of the pass */
  passWrites(label: string): GPURenderPassTimestampWrites | undefined {
    if (this.#current === null) return undefined;
    const pass = this.#passes;
    if (pass < MAXIMUM_PASSES) {
      this.#queues[pass] = this.queue;
      this.#labels[pass] = label;
      this.#passes++;
    }
    return this.#writes[pass];
  }

  /**
   * Encodes the copy of the frame's timestamps into the read-back buffer. Call it before the frame's encoder is
   * finished.
   */
  resolve(encoder: GPUCommandEncoder): void {
    const passes = this.#passes;
    const querySet = this.#querySet;
    const resolved = this.#resolved;
    if (this.#current === null || querySet === null || resolved === null || passes === 0) return;
    encoder.resolveQuerySet(querySet, 0, passes * 2, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, this.#current, 0, passes * BYTES_PER_PASS);
  }

  /**
   * Starts to read the times back. Call it after the frame was submitted.
   * @param list number of the list that completes with the frame
   */
  endFrame(frame: number, list: number): void {
    const buffer = this.#current;
    this.#current = null;
    if (buffer === null) return;
    if (this.#passes === 0) this.#free.push(buffer);
    // The mapping fails if the device is lost or the executor was disposed of. Then no times are reported.
    else this.#read(buffer, frame, list).catch(() => {});
  }

  async #read(buffer: GPUBuffer, frame: number, list: number): Promise<void> {
    const passes = this.#passes;
    // Queues and labels are copied, because the next frame overwrites them before this frame's times arrive.
    const queues = this.#queues.slice(0, passes);
    const labels = this.#labels.slice(0, passes);
    await this.#backend.work.wait(buffer.mapAsync(1));
    const words = new Uint32Array(buffer.getMappedRange());
    const span = timeAt(words, passes * 2 - 1) - timeAt(words, 0);
    if (span >= 0) {
      this.milliseconds = span;
      if (this.passMilliseconds.size > MOST_LABELS) this.passMilliseconds.clear();
      for (let pass = 0; pass < passes; pass++) {
        const began = timeAt(words, pass * 2);
        const ended = timeAt(words, pass * 2 + 1);
        this.#backend.events.add(TimelineEvent.gpuPass, frame, began, ended, list * 4 + (queues[pass] ?? 0));
        this.passMilliseconds.set(labels[pass] ?? '', Math.max(0, ended - began));
      }
    }
    buffer.unmap();
    this.#free.push(buffer);
  }

  dispose(): void {
    const { memory } = this.#backend.resources;
    this.#querySet?.destroy();
    if (this.#resolved !== null) memory.destroy(this.#resolved);
    for (const buffer of this.#all) memory.destroy(buffer);
  }
}

/**
 * Converts a timestamp from nanoseconds in 64 bits to milliseconds. It is exact up to 2^53 ns, which are 104 days.
 */
const timeAt = (words: Uint32Array, query: number): number =>
  ((words[query * 2] ?? 0) + (words[query * 2 + 1] ?? 0) * 2 ** 32) / NANOSECONDS_PER_MILLISECOND;
