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

/** A capture request that a frame carries to the threads. */
interface CaptureRequest {
  readonly request: number;
  /** Resolves to null if the threads ended first. The capture is then requested again. */
  readonly bytes: Promise<ArrayBuffer | null>;
}

/** First request number of `askNextFrame`. Frame numbers are smaller; the requests of render modules are larger. */
const FIRST_REQUEST = 2 ** 30;

interface ProducedFrame {
  readonly frame: number;
  /** The connection to the threads that draw the frame. */
  readonly connection: RenderConnection;
}

interface CapturedSurface {
  readonly shown: SurfaceSize;
  readonly isHidden: boolean;
}

/**
 * Reads pictures back from the threads. `capture` draws the last frame once more with a read-back of the canvas, and
 * the frame's number identifies the request. `askNextFrame` sends any other read-back with the next frame. If the
 * threads end before they have answered, the threads that replace them get the request again.
 */
export class Captures {
  readonly #scheduler: FrameScheduler;
  readonly #producer: Pick<FrameProducer, 'frame' | 'whenReady'>;
  readonly #surface: CapturedSurface;
  readonly #pipeline: Pipeline;
  /** Unanswered captures by request: a frame's number, or a number from `FIRST_REQUEST` on. */
  readonly #pending = new Map<number, PendingCapture>();
  #requests = 0;

  /** The frame that is being produced to carry the pending requests; null if there is no such frame. */
  #next: Promise<ProducedFrame | null> | null = null;

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
   * Draws the last frame again and reads the canvas back.
   * @param last number of the last produced frame
   * @param flags bits of `RenderFrameFlag` for the frame that is read back
   * @throws StateError `no-frame-yet`, `canvas-hidden`; RhiError `capture-failed`
   */
  async capture(last: number, flags: number): Promise<CapturedFrame> {
    if (last === 0) {
      throw new StateError(
        'no-frame-yet',
        'captureFrame was called before the first frame. Call start() or await step() first.',
      );
    }
    if (this.#surface.isHidden && !this.#surface.shown.width) {
      throw new StateError(
        'canvas-hidden',
        'captureFrame found the canvas without a size: the canvas or one of its ancestors has been hidden since createEngine. Show it first, or give it a size off-screen.',
      );
    }
    // Read the size and register the request in the turn that produces the frame: the canvas may be resized later.
    const { sent, answer, connection } = await this.#ask(flags, (frame) => ({
      ...this.#surface.shown,
      request: frame,
      bytes: this.#expect(frame),
    }));
    // Read the format after the answer: a capture may be requested before the threads have started.
    const { surfaceFormat } = connection.capabilities as RhiCapabilities;
    return unpackCapture(answer, sent.width, sent.height, surfaceFormat);
  }

  /**
   * Sends a read-back request with the next frame. If no tick is due, an extra frame is produced for the request.
   *
   *   ask ─► requests of the next frame ─┬─ the loop's next tick writes them ──────────────┬─► answer
   *                                      └─ or a frame of their own, one for all of them ──┘
   *
   * @param write called inside that frame; writes the command that requests the read-back
   * @param canWait whether to wait for the next animation frame, so that a running engine draws no extra frame
   */
  async askNextFrame(
    settings: FrameSettings,
    write: (writer: StreamWriter, request: number) => void,
    canWait = false,
  ): Promise<ArrayBuffer> {
    let answer = new ArrayBuffer(0);
    const take = (_part: number, bytes: ArrayBuffer): void => {
      answer = bytes;
    };
    await this.askForParts(settings, 1, write, take, canWait);
    return answer;
  }

  /**
   * Sends a request with the next frame, as `askNextFrame` does. The request has several answers: the parts.
   * @param count number of parts; their request numbers are consecutive
   * @param take called per part, with its index from 0 on; called again for all parts after a lost device or a change of
   *   threads
   */
  async askForParts(
    settings: FrameSettings,
    count: number,
    write: (writer: StreamWriter, firstRequest: number) => void,
    take: (part: number, bytes: ArrayBuffer) => void,
    canWait = false,
  ): Promise<void> {
    for (;;) {
      const first = FIRST_REQUEST + this.#requests;
      this.#requests += count;
      /** Parts whose bytes are empty. */
      const empty: number[] = [];
      const parts: Promise<boolean>[] = [];
      for (let part = 0; part < count; part++) {
        const bytes = this.#expect(first + part).then((answer) => {
          if (answer?.byteLength) take(part, answer);
          else if (answer) empty.push(part);
          return answer !== null;
        });
        parts.push(bytes);
      }
      const areAnswered = Promise.all(parts).then((answered) => !answered.includes(false));
      areAnswered.catch(() => {}); // `#produceFor` may reject first
      let sent: ProducedFrame = { frame: 0, connection: this.#pipeline.connection };
      settings.requests.push((writer) => {
        sent = { frame: this.#producer.frame, connection: this.#pipeline.connection };
        write(writer, first);
      });
      try {
        const isDone = await Promise.race([areAnswered, this.#produceFor(settings, areAnswered, canWait)]);
        if (isDone && empty.length === 0) return;
        if (isDone && (await this.#isFailure(sent))) {
          for (const part of empty) take(part, new ArrayBuffer(0));
          return;
        }
      } finally {
        for (let part = 0; part < count; part++) this.#pending.delete(first + part);
      }
    }
  }

  /** Returns whether the request was answered; false requests it again. */
  async #produceFor(
    settings: FrameSettings,
    areAnswered: Promise<boolean>,
    canWait: boolean,
  ): Promise<boolean> {
    if (canWait) await new Promise(requestAnimationFrame);
    if (settings.requests.length === 0) return areAnswered;
    this.#next ??= this.#produceNext(settings);
    const produced = await this.#next;
    if (!produced) return areAnswered;
    return (await this.#isAnswered(produced)) ? areAnswered : false;
  }

  /**
   * Returns whether an empty answer means that its buffer could not be read. A device loss also yields empty answers.
   * The engine notices the loss before the answer arrives, so `whenReady` waits here until other threads have taken
   * over.
   */
  async #isFailure(sent: ProducedFrame): Promise<boolean> {
    await this.#producer.whenReady();
    return this.#isAnswered(sent);
  }

  /** Waits until the frame is complete. Returns whether the threads that got the request completed it themselves. */
  async #isAnswered({ frame, connection }: ProducedFrame): Promise<boolean> {
    await this.#pipeline.completed.whenReached(frame);
    return connection === this.#pipeline.connection;
  }

  /** Produces a frame for the pending requests. @returns null if the frame of a due tick has sent all requests */
  async #produceNext(settings: FrameSettings): Promise<ProducedFrame | null> {
    let produced: ProducedFrame | null = null;
    try {
      // A tick that the loop has deferred runs first.
      await this.#producer.whenReady();
      if (settings.requests.length > 0) {
        produced = await this.#scheduler.produceOnce(0, RenderFrameFlag.step, 'update', (frame) => {
          // Later requests go to another frame.
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
   * Produces frames until the threads that drew a frame have also answered its request.
   * @param ask called per frame, in the turn that produces it
   */
  async #ask<T extends CaptureRequest>(
    flags: number,
    ask: (frame: number) => T,
  ): Promise<{ readonly sent: T; readonly answer: ArrayBuffer; readonly connection: RenderConnection }> {
    for (;;) {
      const { frame, sent, connection } = await this.#scheduler.produceOnce(0, flags, 'redraw', (frame) => ({
        frame,
        sent: ask(frame),
        connection: this.#pipeline.connection,
      }));
      const { request, bytes } = sent;
      try {
        await this.#pipeline.completed.whenReached(frame);
        const answer = connection === this.#pipeline.connection ? await bytes : null;
        if (answer && (answer.byteLength > 0 || (await this.#isFailure({ frame, connection })))) {
          return { sent, answer, connection };
        }
      } finally {
        this.#pending.delete(request);
      }
    }
  }

  receive(request: number, bytes: ArrayBuffer): void {
    this.#pending.get(request)?.resolve(bytes);
  }

  /** Requests all pending captures again, because the threads that got them have ended. */
  askAgain(): void {
    for (const { resolve } of this.#pending.values()) resolve(null);
  }

  /** Rejects all pending captures. */
  fail(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
  }

  #expect(request: number): Promise<ArrayBuffer | null> {
    const bytes = new Promise<ArrayBuffer | null>((resolve, reject) =>
      this.#pending.set(request, { resolve, reject }),
    );
    bytes.catch(() => {}); // `capture` awaits the frame first, which rejects with the same error.
    return bytes;
  }
}

interface PendingCapture {
  /** Null requests the capture again. */
  readonly resolve: (bytes: ArrayBuffer | null) => void;
  readonly reject: (error: Error) => void;
}
