/**
 * Captures frames into a file: the resources alive when the first frame began, their contents, and the records of the
 * frames. On any backend. It can be added and removed while the executor runs, and costs nothing otherwise.
 *
 *   start ──► next beginFrame: snapshot ─► frame ─► frame ─► stop ──► file, once the GPU has returned the contents
 */
import { RhiError } from '../../core/errors.js';
import { encodeRecordings, type Recording } from './recording.js';
import { type CapturableRhi, type CaptureSource, StreamRecorder } from './stream-recorder.js';

/**
 * @example
 * const capture = new RhiCapture(rhi);
 * capture.start();
 * // … some frames …
 * const file = await capture.stop();
 */
export class RhiCapture {
  readonly #recorder: StreamRecorder;
  #isWanted = false;
  /** Called when the frame ends, if `stop` waits for that. */
  #onFrameEnd: (() => void) | null = null;

  /**
   * A capture created before the first record is executed sees all creations. One created later reads the existing
   * resources from the executor; on the null backend it can't, and such resources are missing.
   * @throws OptionError `capture-source`; RhiError `capture-reader`
   */
  constructor(source: CapturableRhi | CaptureSource) {
    const onFrame = (): void => {
      if (this.#isWanted && this.#recorder.recording === null) this.#recorder.begin();
    };
    this.#recorder = new StreamRecorder(source, onFrame, () => this.#onFrameEnd?.());
  }

  /** Starts the capture with the next frame. @throws RhiError `capture-running` */
  start(): void {
    if (this.#isWanted) {
      throw new RhiError(
        'capture-running',
        'A capture is running already. Stop it before you start another one.',
      );
    }
    this.#isWanted = true;
  }

  /**
   * Ends the capture with the last whole frame that was executed; a frame in execution is still part of it.
   * @throws RhiError `capture-empty` if no frame began since `start`; `readback-failed` if the device was lost; any
   *   error of the recording
   */
  async stop(): Promise<ArrayBuffer> {
    const { isInFrame, recording: running } = this.#recorder;
    const recording = isInFrame && running ? await this.#whenFrameEnds() : this.#take();
    if (this.#recorder.failure !== null) throw this.#recorder.failure;
    if (recording !== null) return encodeRecordings([recording], this.#recorder.capabilities);
    throw new RhiError(
      'capture-empty',
      'Nothing was captured: no frame was executed between start and stop. Draw at least one frame in between.',
    );
  }

  /**
   * Resolves with the recording, which is taken in the call that ends the frame: the next frame may follow in the same
   * task.
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

  /** Stops watching the reader; a running capture is dropped. */
  dispose(): void {
    this.#isWanted = false;
    this.#recorder.dispose();
  }
}
