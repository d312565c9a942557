import { StateError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { RenderFrameFlag } from '../../proxy/commands.js';
import { type CapturedFrame, unpackCapture } from '../../proxy/unpack-capture.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import type { FrameProducer } from '../frames/frame-producer.js';
import type { FrameScheduler } from '../frames/frame-scheduler.js';
import type { FrameSettings, SurfaceSize } from '../options/frame-settings.js';

/**
 * Pictures of what the canvas shows: the last frame is drawn once more, with a read-back, and its bytes are
 * turned into a picture. The frame's number is the request. Threads that end before they have answered are followed
 * by others, which are asked again.
 */

interface Asked {
  readonly request: number;
  /** Null: ask again. */
  readonly bytes: Promise<ArrayBuffer | null>;
}

/** Frames have smaller numbers, render modules ask by larger ones. */
const FIRST_REQUEST = 2 ** 30;

interface Produced {
  readonly frame: number;
  /** To the threads that draw it. */
  readonly connection: RenderConnection;
}

interface CapturedSurface {
  readonly shown: SurfaceSize;
  readonly isHidden: boolean;
}

export class Captures {
  readonly #scheduler: FrameScheduler;
  readonly #producer: Pick<FrameProducer, 'frame' | 'whenReady'>;
  readonly #surface: CapturedSurface;
  readonly #pipeline: Pipeline;
  /** By request: the frame's number, or one above all of these. */
  readonly #pending = new Map<number, PendingCapture>();
  #requests = 0;

  /** The frame that is produced for what was asked of the next one; null: none is. */
  #next: Promise<Produced | null> | null = null;

  constructor(
    scheduler: FrameScheduler,
    producer: Pick<FrameProducer, 'frame' | 'whenReady'>,
    surface: CapturedSurface,
    pipeline: Pipeline,
  ) {
    this.#scheduler = scheduler;
    this.#producer = producer;
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
    const { asked, answer, connection } = await this.#ask(flags, (frame) => ({
      ...this.#surface.shown,
      request: frame,
      bytes: this.#expect(frame),
    }));
    // Read behind the answer: a frame may be asked for before its threads have started.
    const { surfaceFormat } = connection.capabilities as RhiCapabilities;
    return unpackCapture(answer, asked.width, asked.height, surfaceFormat);
  }

  /**
   * Has the next frame asked for something that is read back: a tick's that is due, or one that is produced for it.
   *
   *   ask ─► requests of the next frame ─┬─ the loop's next tick writes them ──────────────┬─► answer
   *                                      └─ or a frame of their own, one for all of them ──┘
   *
   * @param write within that frame: the command that asks, which names the request
   * @param canWait whether it may wait for the next animation frame, so that a running engine draws no frame more for it
   */
  async askNextFrame(
    settings: FrameSettings,
    write: (writer: StreamWriter, request: number) => void,
    canWait = false,
  ): Promise<ArrayBuffer> {
    for (;;) {
      const request = FIRST_REQUEST + this.#requests++;
      const bytes = this.#expect(request);
      let asked: Produced = { frame: 0, connection: this.#pipeline.connection };
      settings.requests.push((writer) => {
        asked = { frame: this.#producer.frame, connection: this.#pipeline.connection };
        write(writer, request);
      });
      try {
        const answer = await Promise.race([bytes, this.#produceFor(settings, bytes, canWait)]);
        if (answer && (answer.byteLength > 0 || (await this.#isFailure(asked)))) return answer;
      } finally {
        this.#pending.delete(request);
      }
    }
  }

  async #produceFor(
    settings: FrameSettings,
    bytes: Promise<ArrayBuffer | null>,
    canWait: boolean,
  ): Promise<ArrayBuffer | null> {
    if (canWait) await new Promise(requestAnimationFrame);
    if (settings.requests.length === 0) return bytes;
    this.#next ??= this.#produceNext(settings);
    const produced = await this.#next;
    if (!produced) return bytes;
    return (await this.#isAnswered(produced)) ? bytes : null;
  }

  /** Of an answer without bytes: whether its buffer could not be read, and not because the device was lost, which is heard of first. */
  async #isFailure(asked: Produced): Promise<boolean> {
    await this.#producer.whenReady();
    return this.#isAnswered(asked);
  }

  /** When the frame is complete: whether that is the work of the threads that were asked, and not of others behind them. */
  async #isAnswered({ frame, connection }: Produced): Promise<boolean> {
    await this.#pipeline.completed.whenReached(frame);
    return connection === this.#pipeline.connection;
  }

  /** @returns null where a frame that was due has asked for everything */
  async #produceNext(settings: FrameSettings): Promise<Produced | null> {
    let produced: Produced | null = null;
    try {
      // A tick that the loop has deferred takes its turn first.
      await this.#producer.whenReady();
      if (settings.requests.length > 0) {
        produced = await this.#scheduler.produceOnce(0, RenderFrameFlag.step, 'update', (frame) => {
          // What is asked from here on is asked of another frame.
          this.#next = null;
          return { frame, connection: this.#pipeline.connection };
        });
      }
    } finally {
      if (!produced) this.#next = null;
    }
    return produced;
  }

  /**
   * Produces frames until threads that are there to the end of one have answered.
   * @param ask per frame, in its turn
   */
  async #ask<T extends Asked>(
    flags: number,
    ask: (frame: number) => T,
  ): Promise<{ readonly asked: T; readonly answer: ArrayBuffer; readonly connection: RenderConnection }> {
    for (;;) {
      const { frame, asked, connection } = await this.#scheduler.produceOnce(0, flags, 'redraw', (frame) => ({
        frame,
        asked: ask(frame),
        connection: this.#pipeline.connection,
      }));
      const { request, bytes } = asked;
      try {
        await this.#pipeline.completed.whenReached(frame);
        const answer = connection === this.#pipeline.connection ? await bytes : null;
        if (answer && (answer.byteLength > 0 || (await this.#isFailure({ frame, connection })))) {
          return { asked, answer, connection };
        }
      } finally {
        this.#pending.delete(request);
      }
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
