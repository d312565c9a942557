import { RhiError } from '../../core/errors.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

/**
 * A GPU buffer that grows. A larger buffer replaces it in the frame that needs more space. The new buffer is empty: the
 * caller that grew it must write all contents again. Sizes are in bytes.
 */
export class GrowingBuffer {
  /** Increases whenever `handle` changes. Bind groups that name the old buffer are then stale. */
  version = 0;
  #current: BufferHandle | undefined;
  #byteLength = 0;

  readonly #label: string;
  readonly #usage: number;

  constructor(label: string, usage: number = BufferUsage.storage | BufferUsage.copyTarget) {
    this.#label = label;
    this.#usage = usage;
  }

  /** @throws RhiError `buffer-missing` before `reserve` */
  get handle(): BufferHandle {
    if (this.#current !== undefined) return this.#current;
    throw new RhiError(
      'buffer-missing',
      `The buffer "${this.#label}" was used before it was created. Reserve its bytes first.`,
    );
  }

  /** Ensures a size of `byteLength` bytes. Returns whether the buffer is new and empty. */
  reserve(rhi: ImmediateContext, byteLength: number): boolean {
    if (this.#current !== undefined && byteLength <= this.#byteLength) return false;
    rhi.destroy(this.#current);
    // Limits are not always multiples of 16: 2³¹ − 4 is common.
    const doubled = Math.min(this.#byteLength * 2, rhi.maximumBindingBytes - 15);
    this.#byteLength = Math.ceil(Math.max(byteLength, doubled, 256) / 16) * 16;
    this.#current = rhi.createBuffer({
      label: this.#label,
      byteLength: this.#byteLength,
      usage: this.#usage,
    });
    this.version++;
    return true;
  }

  dispose(rhi: ImmediateContext): void {
    rhi.destroy(this.#current);
    this.#current = undefined;
    this.#byteLength = 0;
  }
}
