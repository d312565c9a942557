import type { ViewParameters } from '../scene/view-parameters.js';
import type { View } from './view.js';

/**
 * Data of a view from the last frame that drew it, for passes that reproject that picture (SYSTEMS R11). Matrices are
 * in column-major order and transform from world coordinates in metres. So they stay valid after the render origin has
 * moved.
 *
 *   frame          │ 7             │ 8                                  │ 9
 *   clipFromWorld  │ A             │ B                                  │ C
 *   previous       │ A (first)     │ A                                  │ B
 *   jitter         │ j requested   │ B is moved by j, none is requested │ C is not moved
 */
export class ViewHistory {
  /** Matrix with which this frame is drawn. */
  readonly clipFromWorld = new Float64Array(16);
  /** Matrix of the last frame that drew the view. In the first frame of a camera, the matrix of that frame. */
  readonly previousClipFromWorld = new Float64Array(16);
  /** Pixels to the right and down by which this frame's picture is moved. */
  readonly jitter = new Float64Array(2);
  /** Whether this frame has another camera than the last one, or is the view's first. */
  isCut = true;
  readonly #nextJitter = new Float64Array(2);
  readonly #crop = { x: 0, y: 0, width: 1, height: 1 };
  /** Node of the camera in the last frame; −1: the view was not drawn yet. */
  #node = -1;

  /**
   * Stores the matrix of a frame that draws the view. Called per such frame, before passes request jitter.
   */
  beginFrame({ clipFromWorld }: View, parameters: ViewParameters, renderOrigin: Float64Array): void {
    this.previousClipFromWorld.set(this.clipFromWorld);
    for (let row = 0; row < 4; row++) {
      let offset = clipFromWorld[row * 4 + 3] as number;
      for (let axis = 0; axis < 3; axis++) {
        const value = clipFromWorld[row * 4 + axis] as number;
        this.clipFromWorld[axis * 4 + row] = value;
        offset -= value * (renderOrigin[axis] as number);
      }
      this.clipFromWorld[12 + row] = offset;
    }
    // Another camera begins another history.
    this.isCut = parameters.node !== this.#node;
    if (this.isCut) this.previousClipFromWorld.set(this.clipFromWorld);
    this.#node = parameters.node;
    this.jitter.set(this.#nextJitter);
    // Passes request jitter in every frame. So jitter ends when no pass requests it any more.
    this.#nextJitter.fill(0);
    if (parameters.crop) parameters.crop = undefined;
  }

  /**
   * Whether this frame continues the picture of an earlier one. A frame may be drawn more than once, see `LateFrames`.
   * @param last number of the last frame that drew the view; −1: none
   */
  follows(frame: number, last: number): boolean {
    return !this.isCut && last >= 0 && frame - last <= 1;
  }

  /** Makes the next frame the first. */
  forget(): void {
    this.#node = -1;
  }

  /**
   * Moves the picture of the next frame.
   * @param x, y pixels, right and down
   * @param width, height size of the view, in pixels
   */
  moveNext(parameters: ViewParameters, x: number, y: number, width: number, height: number): void {
    this.#nextJitter[0] = x;
    this.#nextJitter[1] = y;
    // The crop is as large as the picture, but begins elsewhere.
    this.#crop.x = -x / width;
    this.#crop.y = -y / height;
    parameters.crop = x === 0 && y === 0 ? undefined : this.#crop;
  }
}
