/**
 * GPU time of a frame, from the begin of its first pass to the end of its last one, by timestamps. Only where
 * the device has `timestamp-query`. Results come some frames later; a frame for which no read-back buffer is
 * free is simply not measured. Timestamps are quantised and may go back: negative spans are discarded.
 */
const MAP_READ = 0x1;
const COPY_SOURCE = 0x4;
const COPY_TARGET = 0x8;
const QUERY_RESOLVE = 0x200;
const NANOSECONDS_PER_MILLISECOND = 1e6;

export class GpuTimer {
  readonly #device: GPUDevice;
  readonly #querySet: GPUQuerySet;
  readonly #resolved: GPUBuffer;
  readonly #free: GPUBuffer[] = [];
  readonly #all: GPUBuffer[] = [];
  readonly #first: GPURenderPassTimestampWrites;
  readonly #later: GPURenderPassTimestampWrites;
  #current: GPUBuffer | null = null;
  #hasPasses = false;
  /** Latest measurement, in milliseconds. */
  milliseconds: number | null = null;

  static create(device: GPUDevice, frames: number): GpuTimer | null {
    return device.features.has('timestamp-query') ? new GpuTimer(device, frames) : null;
  }

  private constructor(device: GPUDevice, frames: number) {
    this.#device = device;
    this.#querySet = device.createQuerySet({ label: 'frame time', type: 'timestamp', count: 2 });
    this.#resolved = device.createBuffer({
      label: 'frame time',
      size: 16,
      usage: QUERY_RESOLVE | COPY_SOURCE,
    });
    this.#first = {
      querySet: this.#querySet,
      beginningOfPassWriteIndex: 0,
      endOfPassWriteIndex: 1,
    };
    this.#later = { querySet: this.#querySet, endOfPassWriteIndex: 1 };
    for (let i = 0; i < frames + 1; i++) {
      const buffer = this.#device.createBuffer({
        label: 'frame time read-back',
        size: 16,
        usage: MAP_READ | COPY_TARGET,
      });
      this.#all.push(buffer);
      this.#free.push(buffer);
    }
  }

  beginFrame(): void {
    this.#hasPasses = false;
    this.#current = this.#free.pop() ?? null;
  }

  /** The timestamps that the next pass of the frame is to write. */
  passWrites(): GPURenderPassTimestampWrites | undefined {
    if (this.#current === null) return undefined;
    const writes = this.#hasPasses ? this.#later : this.#first;
    this.#hasPasses = true;
    return writes;
  }

  /** Before the frame's encoder is finished. */
  resolve(encoder: GPUCommandEncoder): void {
    if (this.#current === null || !this.#hasPasses) return;
    encoder.resolveQuerySet(this.#querySet, 0, 2, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#current, 0, 16);
  }

  /** After the frame was submitted. */
  endFrame(): void {
    const buffer = this.#current;
    this.#current = null;
    if (buffer === null) return;
    if (!this.#hasPasses) {
      this.#free.push(buffer);
      return;
    }
    buffer
      .mapAsync(1)
      .then(() => {
        const words = new Uint32Array(buffer.getMappedRange());
        const nanoseconds = at(words, 2) - at(words, 0);
        if (nanoseconds >= 0) this.milliseconds = nanoseconds / NANOSECONDS_PER_MILLISECOND;
        buffer.unmap();
        this.#free.push(buffer);
      })
      // Lost device, or disposed of, perhaps between the mapping and here.
      .catch(() => {});
  }

  dispose(): void {
    this.#querySet.destroy();
    this.#resolved.destroy();
    for (const buffer of this.#all) buffer.destroy();
  }
}

/** A 64-bit count in two words; exact to 2^53 nanoseconds, which is 104 days. */
const at = (words: Uint32Array, index: number): number =>
  (words[index] ?? 0) + (words[index + 1] ?? 0) * 2 ** 32;
