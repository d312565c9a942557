/**
 * Captures frames into a file: the resources alive when the first frame began, their contents, and the records of the
 * frames. A capture works on any backend. It can be added and removed while the executor runs.
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
  /** Called when the open frame ends; null unless `stop` waits for that. */
  #onFrameEnd: (() => void) | null = null;

  /**
   * Prepares a capture. If it is created before the first record is executed, it sees all creations. Later, it reads
   * the existing resources from a WebGPU executor; on the null backend, they are missing from the capture.
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
   * Ends the capture and returns its file. A frame that has begun is still part of it, so `stop` waits for its end.
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

  /** Stops watching the reader, and drops a running capture. */
  dispose(): void {
    this.#isWanted = false;
    this.#recorder.dispose();
  }
}
