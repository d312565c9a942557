/**
 * Captures frames into a file: what was alive and what it held when the first of them began, and their records. On
 * any backend; it may be made and taken away while the executor runs, and costs nothing when it is not there.
 *
 *   start ──► next beginFrame: snapshot ─► frame ─► frame ─► stop ──► file, once the GPU has given the contents
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
  /** Who waits for the frame's end. */
  #onFrameEnd: (() => void) | null = null;

  /**
   * Made before the first record is executed, it knows everything that is created. Made later, it learns of what
   * exists from the executor; on the null backend it can't, and such resources are missing.
   * @throws OptionError `capture-source`; RhiError `capture-reader`
   */
  constructor(source: CapturableRhi | CaptureSource) {
    const onFrame = (): void => {
      if (this.#isWanted && this.#recorder.recording === null) this.#recorder.begin();
    };
    this.#recorder = new StreamRecorder(source, onFrame, () => this.#onFrameEnd?.());
  }

  /** The next frame is the first. @throws RhiError `capture-running` */
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
   * Ends with the last whole frame that was executed; one that is being executed is still part of it.
   * @throws RhiError `capture-empty` when no frame began since `start`; `readback-failed` when the device was lost;
   * what the recording itself met
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

  /** In the very call that ends the frame: the next one may follow in the same task. */
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

  /** Takes it away from the reader; a capture that is running is dropped. */
  dispose(): void {
    this.#isWanted = false;
    this.#recorder.dispose();
  }
}
