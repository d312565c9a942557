/**
 * Captures frames into a file. The file has the resources alive when the first frame began, their contents, and the
 * records of the frames. A capture works on any backend. It can be added and removed while the executor runs.
 *
 *   start ──► next beginFrame: snapshot ─► frame ─► frame ─► stop ──► file, once the GPU has returned the contents
 *
 * A capture whose data would exceed `maximumBytes` drops its data, and `stop` rejects.
 */
import { RhiError } from '../../core/errors.js';
import { amount, optional } from '../../core/options/members.js';
import { checkOptions } from '../commands/class-arguments.js';
import { encodeRecordings, type Recording } from './recording.js';
import { type CapturableRhi, type CaptureSource, StreamRecorder } from './stream-recorder.js';

export interface RhiCaptureOptions {
  /**
   * Maximum bytes of a capture's data: contents of resources, commands, uploads. Default 512 MiB. While `stop` writes
   * the file, the file needs as many bytes again.
   */
  readonly maximumBytes?: number;
}

const OPTIONS = { maximumBytes: optional(amount('bytes')) };

/**
 * @example
 * const capture = new RhiCapture(rhi);
 * capture.start();
 * // … some frames …
 * const file = await capture.stop();
 */
export class RhiCapture {
  readonly #recorder: StreamRecorder;
  readonly #maximumBytes: number;
  #isWanted = false;
  /** The recording whose file is being written. */
  #stopped: Recording | null = null;
  /** Called when the open frame ends; null unless `stop` waits for that. */
  #onFrameEnd: (() => void) | null = null;

  /**
   * Prepares a capture. A capture created before the first record is executed follows all creations. A capture created
   * later reads the existing resources from a WebGPU executor. On the null backend, resources created before the
   * capture are missing from the file.
   * @throws OptionError `capture-source`, `option-unknown`, `option-invalid`; RhiError `capture-reader`
   */
  constructor(source: CapturableRhi | CaptureSource, options: RhiCaptureOptions = {}) {
    checkOptions('new RhiCapture', options, OPTIONS);
    const { maximumBytes = 2 ** 29 } = options;
    this.#maximumBytes = maximumBytes;
    const onFrame = (): void => {
      if (this.#isWanted && this.#recorder.recording === null) this.#recorder.begin(this.#maximumBytes);
    };
    this.#recorder = new StreamRecorder(source, onFrame, () => this.#onFrameEnd?.());
  }

  /** Bytes of data held now. Contents of resources are included once the GPU has returned them. */
  get byteLength(): number {
    return (this.#recorder.recording ?? this.#stopped)?.byteLength ?? 0;
  }

  /** Starts the capture with the next frame. @throws RhiError `capture-running` */
  start(): void {
    if (this.#isWanted) {
      throw new RhiError(
        'capture-running',
        'A capture is running already. Stop it before you start another capture.',
      );
    }
    this.#isWanted = true;
  }

  /**
   * Ends the capture and returns its file. If a frame is open, it is still captured, so `stop` waits for its end.
   * @throws RhiError `capture-empty` if no frame began since `start`; `capture-too-large` if its data exceeded
   *   `maximumBytes`; `readback-failed` if the device was lost; any error of the recording
   */
  async stop(): Promise<ArrayBuffer> {
    const { isInFrame, recording: running } = this.#recorder;
    const recording = isInFrame && running ? await this.#whenFrameEnds() : this.#take();
    if (this.#recorder.failure !== null) throw this.#recorder.failure;
    if (recording !== null) {
      this.#stopped = recording;
      try {
        return await encodeRecordings([recording], this.#recorder.capabilities);
      } finally {
        if (this.#stopped === recording) this.#stopped = null;
      }
    }
    throw new RhiError(
      'capture-empty',
      'Nothing was captured: no frame began between start and stop. Draw at least one frame in between.',
    );
  }

  /**
   * Resolves with the recording when the open frame ends. The recording is taken in the call that ends the frame,
   * because the next frame may begin in the same task.
   */
  #whenFrameEnds(): Promise<Recording | null> {
    return new Promise((resolve) => {
      this.#onFrameEnd = () => {
        this.#onFrameEnd = null;
        resolve(this.#take());
      };
    });
  }

  #take(): Recording | null {
    const { recording } = this.#recorder;
    this.#isWanted = false;
    this.#recorder.end();
    return recording;
  }

  /** Stops watching the reader, and drops a running capture. A pending `stop` rejects with `capture-empty`. */
  dispose(): void {
    this.#isWanted = false;
    this.#recorder.dispose();
    this.#onFrameEnd?.();
  }
}
