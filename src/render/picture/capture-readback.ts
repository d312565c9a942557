import { BufferUsage, type TextureHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GrowingBuffer } from '../buffers/growing-buffer.js';

/** Alignment of rows, in bytes. */
const ROW_ALIGNMENT = 256;
const TEXEL_BYTES = 4;

/**
 * Reads the finished picture back. The surface's texels are copied to a buffer. The buffer's bytes are sent
 * to the main thread under the number of the frame or request. Rows are padded to 256 bytes, as WebGPU's
 * copies require.
 *
 *   surface ──copyTextureToBuffer──► │ row 0 ···· pad │ row 1 ···· pad │ … ──readBuffer──► request = frame
 */
export class CaptureReadback {
  #width = 0;
  #height = 0;
  #bytesPerRow = 0;
  readonly #buffer = new GrowingBuffer('capture', BufferUsage.copySource | BufferUsage.copyTarget);

  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /**
   * Ensures that the buffer is large enough. Called before the viewport is acquired. The buffer itself is
   * never mapped, so several captures may be in flight.
   */
  prepare(width: number, height: number): void {
    this.#width = width;
    this.#height = height;
    this.#bytesPerRow = Math.ceil((width * TEXEL_BYTES) / ROW_ALIGNMENT) * ROW_ALIGNMENT;
    this.#buffer.reserve(this.#rhi, this.#bytesPerRow * height);
  }

  /**
   * Copies the surface and reads the copy back. Called between the viewport's begin and end, after the last
   * pass.
   */
  record(frame: number, surface: TextureHandle): void {
    const rhi = this.#rhi;
    const buffer = this.#buffer;
    const height = this.#height;
    const bytesPerRow = this.#bytesPerRow;
    rhi.copyTextureToBuffer(surface, buffer.handle, { width: this.#width, height, bytesPerRow });
    rhi.readBuffer(frame, buffer.handle, 0, bytesPerRow * height);
  }

  /** Answers the request for a surface without pixels, with meaningless bytes. */
  recordEmpty(frame: number): void {
    this.prepare(0, 0);
    this.#rhi.readBuffer(frame, this.#buffer.handle, 0, 4);
  }

  dispose(): void {
    this.#buffer.dispose(this.#rhi);
  }
}
