/**
 * Turns read-backs into promises. A read is answered before its frame counts as completed, because WebGPU settles a
 * `mapAsync` before a later `onSubmittedWorkDone`. If a read has no answer when its frame completes, the read was
 * refused.
 *
 *   expect ─► request number ─► readBuffer … endFrame k ─► answer(request, bytes) ─► frame k completed
 */
import { type FencepostError, RhiError } from '../../core/errors.js';

/** The first request number that this class uses. Callers of `context.readBuffer` use smaller numbers. */
const FIRST_REQUEST = 0x80000000;

interface Read {
  readonly label: string;
  /** The open frame in which the read was recorded; −1 between frames. */
  readonly frame: number;
  /** The last frame that can answer the read. The answer arrives before this frame's completion. */
  readonly lastFrame: number;
  readonly resolve: (bytes: ArrayBuffer) => void;
  readonly reject: (error: Error) => void;
}

export class ReadBacks {
  readonly #onOther: ((request: number, bytes: ArrayBuffer) => void) | undefined;
  readonly #reads = new Map<number, Read>();
  #next = 0;
  #failure: FencepostError | null = null;

  /** @param onOther receives the answers to requests that callers have numbered themselves */
  constructor(onOther?: (request: number, bytes: ArrayBuffer) => void) {
    this.#onOther = onOther;
  }

  /**
   * Records a read, and returns the promise for its bytes.
   * @param frame the open frame; −1 between frames
   * @param lastFrame the last frame that can answer the read
   * @param record records the read under the request number
   */
  expect(
    label: string,
    frame: number,
    lastFrame: number,
    record: (request: number) => void,
  ): Promise<ArrayBuffer> {
    if (this.#failure) return handled(Promise.reject(this.#failure));
    const request = FIRST_REQUEST + this.#next;
    this.#next = (this.#next + 1) % FIRST_REQUEST;
    const bytes = new Promise<ArrayBuffer>((resolve, reject) => {
      this.#reads.set(request, { label, frame, lastFrame, resolve, reject });
    });
    try {
      record(request);
    } catch (error) {
      this.#reads.delete(request);
      return Promise.reject(error);
    }
    return handled(bytes);
  }

  /** Settles the promise of a request. An empty buffer means that the read has failed. */
  readonly answer = (request: number, bytes: ArrayBuffer, cause?: FencepostError): void => {
    const read = this.#reads.get(request);
    if (read === undefined) {
      // If a request number of this class has no promise, the promise was rejected before, so the answer is ignored.
      if (request < FIRST_REQUEST) this.#onOther?.(request, bytes);
      return;
    }
    this.#reads.delete(request);
    // A failed read is answered without bytes. The error listener has received the cause.
    if (bytes.byteLength > 0) read.resolve(bytes);
    else read.reject(this.#failure ?? cause ?? refused(read.label));
  };

  /** Rejects the reads that can't be answered any more. @param value the last completed frame, plus 1 */
  framesCompleted(value: number): void {
    this.#rejectWhere(({ lastFrame }) => lastFrame < value, refused);
  }

  /** Rejects the reads of a frame whose `endFrame` was forgotten, because their bytes may never arrive. */
  frameLeftOpen(frame: number): void {
    this.#rejectWhere(
      (read) => read.frame === frame,
      (label) =>
        new RhiError(
          'frame-not-ended',
          `The buffer "${label}" could not be read, because frame ${frame}, which reads it, was never ended. Call endFrame before the next beginFrame, and before dispose.`,
        ),
    );
  }

  fail(error: FencepostError): void {
    this.#failure ??= error;
    this.#rejectWhere(
      () => true,
      () => this.#failure ?? error,
    );
  }

  #rejectWhere(isOver: (read: Read) => boolean, reason: (label: string) => Error): void {
    for (const [request, read] of this.#reads) {
      if (!isOver(read)) continue;
      this.#reads.delete(request);
      read.reject(reason(read.label));
    }
  }
}

/** Marks a promise as handled, so that callers may drop it. The error listener receives the error as well. */
export function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

function refused(label: string): RhiError {
  return new RhiError(
    'readback-failed',
    `The buffer "${label}" could not be read; an error reported before gives the reason. The range of a read must lie in the buffer, in multiples of 4 bytes.`,
  );
}
