import { RhiError, StateError } from '../../core/errors.js';
import type { FrameLoop } from './frame-loop.js';
import type { SurfaceSize } from './frame-settings.js';
import type { Pipeline } from './pipeline.js';

/**
 * Pictures of what the canvas shows: the last frame is drawn once more, with a read-back, and its bytes are
 * turned into a picture. The frame's number is the request. Threads that end before they have answered are followed
 * by others, which are asked again.
 */

/** A picture: sRGB RGBA8, not premultiplied (as in ImageData), row 0 at the top, `width` × `height` × 4 bytes. */
export interface CapturedFrame {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

interface CapturedSurface {
  readonly shown: SurfaceSize;
  readonly isHidden: boolean;
}

export class Captures {
  readonly #loop: FrameLoop;
  readonly #surface: CapturedSurface;
  readonly #pipeline: Pipeline;
  readonly #pending = new Map<number, PendingCapture>();

  constructor(loop: FrameLoop, surface: CapturedSurface, pipeline: Pipeline) {
    this.#loop = loop;
    this.#surface = surface;
    this.#pipeline = pipeline;
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /**
   * @param last the last frame that was produced, which is captured
   * @param flags of `RenderFrameFlag` for the frame that is read back
   * @throws StateError `no-frame-yet`, `canvas-hidden`
   */
  async capture(last: number, flags: number): Promise<CapturedFrame> {
    if (last === 0) {
      throw new StateError(
        'no-frame-yet',
        'captureFrame came before the first frame. Call start() or await step() first.',
      );
    }
    if (this.#surface.isHidden && !this.#surface.shown.width) {
      throw new StateError(
        'canvas-hidden',
        'captureFrame found the canvas without a size: it, or what it is in, has not been shown since createEngine. Show it first, or give it a size off-screen.',
      );
    }
    for (;;) {
      // Size and listener belong to the frame's own turn: the canvas may be resized while it is drawn.
      const { frame, width, height, connection, bytes } = await this.#loop.produceOnce(
        0,
        flags,
        'redraw',
        (frame) => ({
          frame,
          ...this.#surface.shown,
          connection: this.#pipeline.connection,
          bytes: this.#expect(frame),
        }),
      );
      try {
        await this.#pipeline.completed.whenReached(frame);
        const answer = connection === this.#pipeline.connection ? await bytes : null;
        if (answer) return unpackCapture(answer, width, height, connection.capabilities.surfaceFormat);
      } finally {
        this.#pending.delete(frame);
      }
    }
  }

  receive(frame: number, bytes: ArrayBuffer): void {
    this.#pending.get(frame)?.resolve(bytes);
  }

  /** The threads that were asked have ended. */
  askAgain(): void {
    for (const { resolve } of this.#pending.values()) resolve(null);
  }

  /** None of them will come. */
  fail(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
  }

  #expect(frame: number): Promise<ArrayBuffer | null> {
    const bytes = new Promise<ArrayBuffer | null>((resolve, reject) =>
      this.#pending.set(frame, { resolve, reject }),
    );
    bytes.catch(() => {}); // `capture` waits for the frame first, and hears of it there.
    return bytes;
  }
}

interface PendingCapture {
  /** Null: ask again. */
  readonly resolve: (bytes: ArrayBuffer | null) => void;
  readonly reject: (error: Error) => void;
}

/** WebGPU copies a texture to a buffer in rows of a multiple of 256 bytes. */
const ROW_ALIGNMENT = 256;

/** @param format the surface's storage format; `bgra8unorm` is swizzled */
export function unpackCapture(
  bytes: ArrayBuffer,
  width: number,
  height: number,
  format: string,
): CapturedFrame {
  if (width === 0 || height === 0) return { width, height, data: new Uint8ClampedArray(0) };
  const bytesPerRow = Math.ceil((width * 4) / ROW_ALIGNMENT) * ROW_ALIGNMENT;
  if (bytes.byteLength !== bytesPerRow * height) {
    throw new RhiError(
      'capture-failed',
      `The picture of ${width} × ${height} pixels could not be read back. The error event before says why; try again.`,
    );
  }
  const source = new Uint8Array(bytes);
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    data.set(source.subarray(y * bytesPerRow, y * bytesPerRow + width * 4), y * width * 4);
  }
  if (format.startsWith('bgra')) {
    for (let i = 0; i < data.length; i += 4) {
      const blue = data[i] as number;
      data[i] = data[i + 2] as number;
      data[i + 2] = blue;
    }
  }
  divideByAlpha(data);
  return { width, height, data };
}

/** From what a canvas holds to what ImageData holds; opaque pixels are the same in both. */
function divideByAlpha(data: Uint8ClampedArray): void {
  for (let i = 0; i < data.length; i += 4) {
    const alpha = data[i + 3] as number;
    if (alpha === 255 || alpha === 0) continue;
    for (let channel = i; channel < i + 3; channel++) {
      data[channel] = ((data[channel] as number) * 255) / alpha;
    }
  }
}
