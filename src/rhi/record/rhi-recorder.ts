/**
 * The recording side of an RHI, on any thread: it owns the context, publishes its records, and keeps the promises for
 * the executor's answers. `endFrame` and reads between frames publish automatically, so that promises settle without a
 * further call.
 *
 *   … endFrame │ microtask: publish       read between frames │ microtask: publish
 *                           └────────► executor ────► completed, answers ────► promises
 *
 * Publishing waits for a microtask, so that all records of a function without `await` are published together. The bytes
 * of the records depend only on the calls, not on the time of publishing.
 *
 * A promise whose error `onError` also receives is marked as handled. Dropping it causes no unhandled rejection.
 */
import { RhiError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { WaitableFence } from '../../sync/waitable.js';
import { checkOptions } from '../commands/class-arguments.js';
import {
  type BufferHandle,
  BufferUsage,
  type RhiCapabilities,
  type TextureHandle,
} from '../commands/descriptors.js';
import { CheckedImmediateContext } from './checked-contexts.js';
import { handled, ReadBacks } from './read-backs.js';
import { planTextureRead, READ_REGION, type TextureReadRegion } from './texture-read.js';

interface RhiRecorderOptions {
  readonly maxFramesInFlight: number;
  readonly capabilities: RhiCapabilities;
  readonly label?: string | undefined;
  /** Wraps the context that users record with. */
  readonly wrapContext?: (context: CheckedImmediateContext) => CheckedImmediateContext;
  /** Receives the answers to `context.readBuffer`. */
  readonly onReadback: ((request: number, bytes: ArrayBuffer) => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** The recording part of an RHI. */
export interface RecordingRhi {
  readonly context: CheckedImmediateContext;
  readonly capabilities: RhiCapabilities;
  /** Number of lists submitted to the GPU, as far as this thread knows. */
  readonly submitted: WaitableFence;
  /** Number of lists that the GPU has finished, as far as this thread knows. */
  readonly completed: WaitableFence;
  /** Listener for errors of execution. Assign another function to replace it. */
  onError: (error: unknown) => void;
  /**
   * Resolves when the GPU has finished the frame. The GPU starts after the frame's `endFrame`. Rejects if the
   * device is lost or the RHI is disposed of first.
   * @param frame a frame that was begun; a skipped number counts as finished with the next frame
   * @throws RhiError `frame-number`
   */
  whenCompleted(frame: number): Promise<void>;
  /**
   * Returns the bytes of a buffer as they are after all commands recorded so far. Call it outside passes. The promise
   * resolves once the GPU has finished the open frame. Between frames, it resolves once the GPU has finished the
   * commands recorded so far. No thread stalls.
   * @param byteOffset a multiple of 4. Default 0
   * @param byteLength a multiple of 4. Default: to the buffer's end
   * @throws RhiError `stale-handle`, `foreign-handle`, `out-of-range`. The promise rejects with `readback-failed` or
   *   with the error that ended the device. It rejects with `frame-not-ended` if the read's frame is still open at the
   *   next `beginFrame` or when the RHI is disposed of
   */
  read(buffer: BufferHandle, byteOffset?: number, byteLength?: number): Promise<ArrayBuffer>;
  /**
   * Returns the texels of a box as they are after all commands recorded so far. The texels have the texture's format,
   * row by row without gaps. A viewport's target can be read between `beginDrawingViewport` and `endDrawingViewport`.
   * @throws RhiError `stale-handle`, `foreign-handle`, `out-of-range`, `usage-missing` if the texture lacks
   *   `copySource`, `texture-format` if its texels can't be copied, `viewport-not-begun`; OptionError
   *   `option-invalid`, `option-unknown`
   */
  readTexture(texture: TextureHandle, region?: TextureReadRegion): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Resolves when fewer than 16 MiB of recorded commands wait for execution. Await it from time to time while recording
   * more than 16 MiB at once. If more than 256 MiB of small records wait, the RHI ends with `stream-overrun`.
   */
  whenWritable(): Promise<void>;
  /**
   * Publishes the recorded commands, and resolves when the GPU has finished them. The call does not wait for a
   * frame that is still open.
   */
  flush(): Promise<void>;
}

export class RhiRecorder {
  readonly reads: ReadBacks;
  /** Fence of completed frames. Its value is the last completed frame plus 1. */
  readonly #frames: WaitableFence;
  /** The last frame that has ended; −1 before the first. */
  #lastFrame = -1;
  readonly #recorder: CheckedImmediateContext;
  /** The context that users record with. */
  readonly #context: CheckedImmediateContext;
  readonly #capabilities: RhiCapabilities;
  readonly #writer: StreamWriter;
  readonly #onError: (error: unknown) => void;
  #isPublishing = false;
  #isStopped = false;

  /** @param frames fence of completed frames, which the executor's side signals */
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

  /** Returns the part of an RHI that is the same whichever thread the executor runs on. */
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
    // A wait for a frame that is never begun would never end.
    if (!(Number.isInteger(frame) && frame <= this.#recorder.lastBegunFrame)) {
      throw new RhiError('frame-number', `Frame ${frame} was not begun. Wait for a frame that was begun.`);
    }
    return handled(this.#frames.whenReached(frame + 1));
  }

  /** Resolves when all frames that have ended are completed. */
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
        `A read of ${byteLength} bytes at byte ${byteOffset} does not fit the buffer "${label}" of ${size} bytes, or its offset or length is not a multiple of 4. Read an aligned range inside the buffer.`,
      );
    }
    const { isInFrame, lastBegunFrame } = this.#recorder;
    // A read between frames may be answered with the next frame, whose number is above `lastBegunFrame`.
    const [frame, lastFrame] = isInFrame ? [lastBegunFrame, lastBegunFrame] : [-1, lastBegunFrame + 1];
    const bytes = this.reads.expect(label, frame, lastFrame, (request) =>
      this.#context.readBuffer(request, buffer, byteOffset, byteLength),
    );
    if (!isInFrame) this.#publishSoon();
    return bytes;
  }

  #readTexture(texture: TextureHandle, region: TextureReadRegion = {}): Promise<Uint8Array<ArrayBuffer>> {
    checkOptions('readTexture', region, READ_REGION);
    const { handles } = this.#recorder;
    handles.check(texture, 'be read');
    const label = handles.label(texture);
    const descriptor = this.#recorder.descriptorOf(texture);
    if (descriptor === undefined) {
      throw new RhiError(
        'viewport-not-begun',
        `The viewport target "${label}" has no texture now. Read it between beginDrawingViewport and endDrawingViewport.`,
      );
    }
    const read = planTextureRead(descriptor, region);
    const context = this.#context;
    const { byteLength } = read;
    const usage = BufferUsage.copyTarget;
    const texels = context.createBuffer({ label: `texels of "${label}"`, byteLength, usage });
    try {
      context.copyTextureToBuffer(texture, texels, read.region);
      return handled(this.#read(texels).then(read.tight));
    } finally {
      context.destroy(texels);
    }
  }

  #whenWritable(): Promise<void> {
    // A caller that waits here can't overrun the stream. So the count of inline bytes restarts at 0, and further data
    // goes into the stream instead of beside it.
    this.#recorder.beginInlineData();
    return this.#writer.whenWritable();
  }

  /** Rejects the reads of an open frame, drops its deferred lists, publishes a last time, and ends publishing. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (this.#recorder.isInFrame) this.reads.frameLeftOpen(this.#recorder.lastBegunFrame);
    this.#recorder.discardSubLists();
    this.#writer.publish();
  }

  /** Ends publishing after a failure. */
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
