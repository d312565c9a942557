/**
 * The recording side of an RHI, whatever thread executes: a context, what it has published, and what waits for the
 * executor's answers. Records are published by themselves, so that nothing that is awaited waits for a call:
 *
 *   … endFrame │ end of the task's step: publish       read between frames │ end of the task's step: publish
 *                                       └────────► executor ────► completed, answers ────► promises
 *
 * "Step" is a microtask: what one function records without `await` goes together. Which records there are, and their
 * bytes, depends on the calls alone.
 *
 * A promise whose error is told to `onError` too counts as handled: dropping it ends no process.
 */
import { RhiError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { WaitableFence } from '../../sync/waitable.js';
import {
  type BufferHandle,
  BufferUsage,
  type RhiCapabilities,
  type TextureHandle,
} from '../commands/descriptors.js';
import { CheckedImmediateContext } from './checked-contexts.js';
import { handled, ReadBacks } from './read-backs.js';
import { planTextureRead, type TextureReadRegion } from './texture-read.js';

interface RhiRecorderOptions {
  readonly maxFramesInFlight: number;
  readonly capabilities: RhiCapabilities;
  readonly label?: string | undefined;
  /** The context to record with in the place of the one given. */
  readonly wrapContext?: (context: CheckedImmediateContext) => CheckedImmediateContext;
  /** Answers to `context.readBuffer`. */
  readonly onReadback: ((request: number, bytes: ArrayBuffer) => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** What both `createRhi` and `connectRhi` offer. */
export interface RecordingRhi {
  readonly context: CheckedImmediateContext;
  readonly capabilities: RhiCapabilities;
  /** How many lists the GPU was given, and has finished, as far as this thread has heard. */
  readonly submitted: WaitableFence;
  readonly completed: WaitableFence;
  /** Called with each error of execution; assign it to change the listener. */
  onError: (error: unknown) => void;
  /**
   * Resolves when the GPU has finished the frame, which begins at its `endFrame`; rejects when the device is lost or
   * the RHI disposed of first.
   * @param frame one that was begun; one before the first, or between two, counts as finished with the next
   * @throws RhiError `frame-number`
   */
  whenCompleted(frame: number): Promise<void>;
  /**
   * The bytes of a buffer as they are after all that is recorded so far. Record it outside passes; it arrives once
   * its frame (or, between frames, what was recorded) is submitted and done, and stalls nobody.
   * @param byteOffset a multiple of 4. Default 0
   * @param byteLength a multiple of 4. Default: to the buffer's end
   * @throws RhiError `stale-handle`, `out-of-range`; the promise rejects with `readback-failed`, with the error
   *   that ended the device, or with `frame-not-ended` when another frame is begun, or the RHI disposed of, before the
   *   `endFrame` of the read's own
   */
  read(buffer: BufferHandle, byteOffset?: number, byteLength?: number): Promise<ArrayBuffer>;
  /**
   * The texels of a box in the texture’s format, row by row without gaps, as after all that is recorded so far. Of a
   * viewport's target between `beginDrawingViewport` and `endDrawingViewport`.
   * @throws RhiError `stale-handle`, `out-of-range`, `usage-missing` where the texture lacks `copySource`,
   *   `texture-format` where its texels can't be copied; OptionError `option-unknown`, `option-invalid`
   */
  readTexture(texture: TextureHandle, region?: TextureReadRegion): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Resolves when little enough is recorded and not yet executed. Wait for it now and then while recording more than
   * some 16 MiB at once: what comes behind 256 MiB of small records ends the RHI with `stream-overrun`.
   */
  whenWritable(): Promise<void>;
  /** Publishes what is recorded, and resolves when the GPU has finished it. A frame that has no end yet is not waited for. */
  flush(): Promise<void>;
}

export class RhiRecorder {
  readonly reads: ReadBacks;
  /** The last completed frame, plus 1. */
  readonly #frames: WaitableFence;
  /** The last frame that has ended; -1: none. */
  #lastFrame = -1;
  readonly #recorder: CheckedImmediateContext;
  /** As others may use it. */
  readonly #context: CheckedImmediateContext;
  readonly #capabilities: RhiCapabilities;
  readonly #writer: StreamWriter;
  readonly #onError: (error: unknown) => void;
  #isPublishing = false;
  #isStopped = false;

  /** @param frames who executes signals it */
  constructor(writer: StreamWriter, options: RhiRecorderOptions, frames: WaitableFence) {
    const { maxFramesInFlight, capabilities, label, wrapContext, onReadback, onError } = options;
    this.#frames = frames;
    this.#writer = writer;
    this.#onError = onError;
    this.#recorder = new CheckedImmediateContext(writer, { maxFramesInFlight, capabilities, label });
    this.#capabilities = capabilities;
    this.#context = wrapContext?.(this.#recorder) ?? this.#recorder;
    this.reads = new ReadBacks(onReadback);
    this.#recorder.onFrameLeftOpen = (frame) => this.reads.frameLeftOpen(frame);
    this.#recorder.onFrameFinished((frame) => {
      this.#lastFrame = frame;
      this.#publishSoon();
    });
    frames.subscribe(() => {
      const { error, value } = frames;
      this.reads.framesCompleted(value);
      if (error !== null) this.reads.fail(error);
    });
  }

  /** What an RHI offers, whatever thread executes. */
  offer(
    { submitted, completed }: Pick<RecordingRhi, 'submitted' | 'completed'>,
    flush: () => Promise<void>,
    onError: (error: unknown) => void = console.error,
  ): RecordingRhi {
    return {
      context: this.#context,
      capabilities: this.#capabilities,
      submitted,
      completed,
      onError,
      whenCompleted: (frame) => this.#whenCompleted(frame),
      read: (buffer, byteOffset, byteLength) => this.#read(buffer, byteOffset, byteLength),
      readTexture: (texture, region) => this.#readTexture(texture, region),
      whenWritable: () => this.#whenWritable(),
      flush: () => handled(flush()),
    };
  }

  #whenCompleted(frame: number): Promise<void> {
    // Of one that nobody begins the wait would not end.
    if (!(Number.isInteger(frame) && frame <= this.#recorder.lastBegunFrame)) {
      throw new RhiError('frame-number', `There is no frame ${frame}. Wait for one that was begun.`);
    }
    return handled(this.#frames.whenReached(frame + 1));
  }

  /** All that have ended. */
  whenFramesCompleted(): Promise<void> {
    return this.#frames.whenReached(this.#lastFrame + 1);
  }

  #read(buffer: BufferHandle, byteOffset = 0, length?: number): Promise<ArrayBuffer> {
    const { handles } = this.#recorder;
    handles.check(buffer, 'be read');
    const label = handles.label(buffer);
    const size = this.#recorder.descriptorOf(buffer)?.byteLength ?? Number.POSITIVE_INFINITY;
    const byteLength = length ?? size - byteOffset;
    const isAligned = byteOffset % 4 === 0 && byteLength % 4 === 0;
    if (!(isAligned && byteOffset >= 0 && byteLength > 0 && byteOffset + byteLength <= size)) {
      throw new RhiError(
        'out-of-range',
        `A read of ${byteLength} bytes at ${byteOffset} does not fit the buffer "${label}" of ${size} bytes, or is not in multiples of 4. Read what lies inside.`,
      );
    }
    const { isInFrame, lastBegunFrame } = this.#recorder;
    // Between frames it may be the next one that answers, whatever its number.
    const [frame, lastFrame] = isInFrame ? [lastBegunFrame, lastBegunFrame] : [-1, lastBegunFrame + 1];
    const bytes = this.reads.expect(label, frame, lastFrame, (request) =>
      this.#context.readBuffer(request, buffer, byteOffset, byteLength),
    );
    if (!isInFrame) this.#publishSoon();
    return bytes;
  }

  #readTexture(texture: TextureHandle, region: TextureReadRegion = {}): Promise<Uint8Array<ArrayBuffer>> {
    const { handles } = this.#recorder;
    handles.check(texture, 'be read');
    const label = handles.label(texture);
    const descriptor = this.#recorder.descriptorOf(texture);
    if (descriptor === undefined) {
      throw new RhiError(
        'viewport-not-begun',
        `The viewport target "${label}" names no texture now. Read it between beginDrawingViewport and endDrawingViewport.`,
      );
    }
    const read = planTextureRead(descriptor, region);
    const context = this.#context;
    const { byteLength } = read;
    const usage = BufferUsage.copyTarget;
    const staging = context.createBuffer({ label: `texels of "${label}"`, byteLength, usage });
    context.copyTextureToBuffer(texture, staging, read.region);
    const copied = this.#read(staging);
    context.destroy(staging);
    return handled(copied.then(read.tight));
  }

  #whenWritable(): Promise<void> {
    // Who waits has no need of data beside the stream, which no limit holds back.
    this.#recorder.beginInlineData();
    return this.#writer.whenWritable();
  }

  /** Passes on what was recorded, and ends deferred lists that are open. Nothing is published any more. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (this.#recorder.isInFrame) this.reads.frameLeftOpen(this.#recorder.lastBegunFrame);
    this.#recorder.discardSubLists();
    this.#writer.publish();
  }

  /** Nothing can be published any more. */
  fail(): void {
    this.#isStopped = true;
  }

  #publishSoon(): void {
    if (this.#isPublishing || this.#isStopped) return;
    this.#isPublishing = true;
    queueMicrotask(() => {
      this.#isPublishing = false;
      if (this.#isStopped) return;
      try {
        this.#writer.publish();
      } catch (error) {
        this.#onError(error);
      }
    });
  }
}
