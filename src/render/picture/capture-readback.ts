import { BufferUsage, type TextureHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GrowingBuffer } from '../buffers/growing-buffer.js';

/** Alignment of rows, in bytes. */
const ROW_ALIGNMENT = 256;
const TEXEL_BYTES = 4;

/**
 * Reads a finished picture back. The texels of a canvas or texture are copied to a buffer. The buffer's bytes are sent
 * to the main thread under the number of the frame or request. Rows are padded to 256 bytes, as WebGPU's
 * copies require.
 *
 *   surface ──copy──► │ row 0 ···· pad │ row 1 ···· pad │ … ──answer──► request = frame
 *
 * A canvas is copied before `endDrawingViewport`. Its requests are answered after that command, because an answer may
 * wait for staging memory. A frame must not wait between `beginDrawingViewport` and `endDrawingViewport`.
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
   * Ensures that the buffer is large enough. Called outside passes, and outside the drawing to a canvas. The buffer
   * itself is never mapped, so several captures may be in flight.
   */
  prepare(width: number, height: number): void {
    this.#width = width;
    this.#height = height;
    this.#bytesPerRow = Math.ceil((width * TEXEL_BYTES) / ROW_ALIGNMENT) * ROW_ALIGNMENT;
    this.#buffer.reserve(this.#rhi, this.#bytesPerRow * height);
  }

  /** Copies the texture, after the last pass that draws to it. */
  copy(texture: TextureHandle): void {
    const region = { width: this.#width, height: this.#height, bytesPerRow: this.#bytesPerRow };
    this.#rhi.copyTextureToBuffer(texture, this.#buffer.handle, region);
  }

  /** Reads the copy back. Called outside passes, and outside the drawing to a canvas. */
  answer(request: number): void {
    this.#rhi.readBuffer(request, this.#buffer.handle, 0, this.#bytesPerRow * this.#height);
  }

  /** Answers a request with meaningless bytes, because there is no picture: no pixels, no view or no texture. */
  recordEmpty(frame: number): void {
    this.prepare(0, 0);
    this.#rhi.readBuffer(frame, this.#buffer.handle, 0, 4);
  }

  dispose(): void {
    this.#buffer.dispose(this.#rhi);
  }
}
