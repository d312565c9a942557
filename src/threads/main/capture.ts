import { StateError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/stream.js';
import { writeWords } from '../../game/write-record.js';
import { RenderFrameFlag, RenderOpcode } from '../../proxy/commands.js';
import type { FrameLoop } from './frame-loop.js';
import type { FrameWork } from './frame-producer.js';
import type { FrameSettings, SurfaceSize } from './frame-settings.js';
import type { Pipeline } from './pipeline.js';
import { type CapturedFrame, unpackCapture } from './unpack-capture.js';

/**
 * Pictures of what the canvas shows: the last frame is drawn once more, with a read-back, and its bytes are
 * turned into a picture. The frame's number is the request. Threads that end before they have answered are followed
 * by others, which are asked again.
 */

interface CapturedTexture extends SurfaceSize {
  /** Its id in the render stream. */
  readonly texture: number;
}

interface Asked {
  readonly request: number;
  /** Null: ask again. */
  readonly bytes: Promise<ArrayBuffer | null>;
}

/** Frames have smaller numbers, render modules ask by larger ones. */
const FIRST_REQUEST = 2 ** 30;

interface CapturedSurface {
  readonly shown: SurfaceSize;
  readonly isHidden: boolean;
}

export class Captures {
  readonly #loop: FrameLoop;
  readonly #surface: CapturedSurface;
  readonly #pipeline: Pipeline;
  /** By request: the frame's number, or one above all of these. */
  readonly #pending = new Map<number, PendingCapture>();
  #requests = 0;

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
    // Size and listener belong to the frame's own turn: the canvas may be resized while it is drawn.
    const { asked, answer } = await this.#ask(flags, 'redraw', (frame) => ({
      ...this.#surface.shown,
      format: this.#pipeline.connection.capabilities.surfaceFormat,
      request: frame,
      bytes: this.#expect(frame),
    }));
    return unpackCapture(answer, asked.width, asked.height, asked.format);
  }

  /**
   * What the next frame draws into a texture, with everything that has changed until now.
   * @throws RhiError `capture-failed`
   */
  async captureTexture(
    settings: FrameSettings,
    { texture, width, height }: CapturedTexture,
  ): Promise<CapturedFrame> {
    const answer = await this.askNextFrame(settings, (writer, request) =>
      writeWords(writer, RenderOpcode.readView, 3, texture, 0, request),
    );
    return unpackCapture(answer, width, height, 'rgba8unorm');
  }

  /**
   * Has the next frame asked for something that is read back.
   * @param write within that frame: the command that asks, which names the request
   */
  async askNextFrame(
    settings: FrameSettings,
    write: (writer: StreamWriter, request: number) => void,
  ): Promise<ArrayBuffer> {
    // Whichever frame is produced next asks for it: this one, or one before that was due.
    const prepare = (): Asked => {
      const request = FIRST_REQUEST + this.#requests++;
      settings.requests.push((writer) => write(writer, request));
      return { request, bytes: this.#expect(request) };
    };
    let asked = prepare();
    const { answer } = await this.#ask(
      RenderFrameFlag.step,
      'update',
      () => asked,
      () => {
        asked = prepare();
      },
    );
    return answer;
  }

  /**
   * Produces frames until threads that are there to the end of one have answered.
   * @param ask per frame, in its turn
   * @param askAgain before a further frame
   */
  async #ask<T extends Asked>(
    flags: number,
    work: FrameWork,
    ask: (frame: number) => T,
    askAgain = (): void => {},
  ): Promise<{ readonly asked: T; readonly answer: ArrayBuffer }> {
    for (;;) {
      const { frame, asked, connection } = await this.#loop.produceOnce(0, flags, work, (frame) => ({
        frame,
        asked: ask(frame),
        connection: this.#pipeline.connection,
      }));
      const { request, bytes } = asked;
      try {
        await this.#pipeline.completed.whenReached(frame);
        const answer = connection === this.#pipeline.connection ? await bytes : null;
        if (answer) return { asked, answer };
      } finally {
        this.#pending.delete(request);
      }
      askAgain();
    }
  }

  receive(request: number, bytes: ArrayBuffer): void {
    this.#pending.get(request)?.resolve(bytes);
  }

  /** The threads that were asked have ended. */
  askAgain(): void {
    for (const { resolve } of this.#pending.values()) resolve(null);
  }

  /** None of them will come. */
  fail(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
  }

  #expect(request: number): Promise<ArrayBuffer | null> {
    const bytes = new Promise<ArrayBuffer | null>((resolve, reject) =>
      this.#pending.set(request, { resolve, reject }),
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
