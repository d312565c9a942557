import { type CapturedFrame, unpackCapture } from '../../proxy/unpack-capture.js';
import { type RhiPoints, renderThreadEnded } from '../../threads/rhi-side/rhi-points.js';
import { FIRST_MODULE_READBACK } from '../render-module-messages.js';

interface PendingReadBack {
  readonly resolve: (frame: CapturedFrame | PromiseLike<CapturedFrame>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Pictures for render modules (SYSTEMS H7). All requests made before a frame share one read-back of that
 * frame.
 *
 *   readBack() │ readBack() │ frame 8 is recorded, with read-back 2³¹ + n ──► bytes ──► a picture for each
 */
export class ModuleReadBacks {
  readonly #points: RhiPoints;
  /** Requests since the last frame. */
  #pending: PendingReadBack[] = [];
  #requests = 0;

  constructor(points: RhiPoints) {
    this.#points = points;
  }

  ask(): Promise<CapturedFrame> {
    return new Promise((resolve, reject) => this.#pending.push({ resolve, reject }));
  }

  /**
   * Returns the number of the read-back of the frame that is about to be recorded; 0 without requests. Called per
   * frame.
   * @param drawn the renderer, with the picture's size in pixels
   */
  begin(drawn: { readonly size: readonly [number, number] }, surfaceFormat: string): number {
    if (this.#pending.length === 0) return 0;
    const pending = this.#pending;
    this.#pending = [];
    const request = FIRST_MODULE_READBACK + (this.#requests++ % FIRST_MODULE_READBACK);
    const [width, height] = drawn.size;
    const picture = this.#points
      .bytesOf(request)
      .then((bytes) => unpackCapture(bytes, width, height, surfaceFormat));
    for (const [index, { resolve }] of pending.entries()) {
      // Each request gets its own copy.
      resolve(index === 0 ? picture : picture.then((frame) => ({ ...frame, data: frame.data.slice() })));
    }
    return request;
  }

  /** Rejects the requests that no frame has taken yet, because no frame follows. */
  end(): void {
    for (const { reject } of this.#pending) reject(renderThreadEnded());
    this.#pending = [];
  }
}
