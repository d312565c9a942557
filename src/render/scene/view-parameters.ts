import type { StreamReader } from '../../core/streams/stream.js';
import { NO_ID, Projection } from '../../proxy/commands.js';

export const ALL_LAYERS = 0xffffffff;

/**
 * A camera's view as the game sets it. The view of a frame is computed from these parameters
 * (`views/view.ts`).
 */
export interface ViewParameters {
  /** Node of the camera; −1: none. The main view then shows only its background, and an added view is not drawn. */
  node: number;
  projection: number;
  /** Orthographic: half the width in metres; 0: the width follows from `extentY` and the aspect ratio. */
  extentX: number;
  /** Perspective: vertical field of view in radians. Orthographic: half the height in metres. */
  extentY: number;
  near: number;
  far: number;
  /** Width divided by height; 0: the ratio of the area that the view is drawn into. */
  aspect: number;
  /** One bit per layer that the camera shows. */
  layers: number;
  /** The part of the picture that is drawn, in shares of its width and height from the top left. Default: all. */
  crop?: Crop | undefined;
}

export interface Crop {
  x: number;
  y: number;
  width: number;
  height: number;
  /**
   * Whether primitives are culled as in the whole picture. Shadow maps depend on the visible primitives. With the flag,
   * they are the same in all parts of a picture.
   */
  cullsWhole?: boolean;
}

/** Returns the parameters of a view without a camera. */
export function createViewParameters(): ViewParameters {
  return {
    node: -1,
    projection: Projection.perspective,
    extentX: 0,
    extentY: 1,
    near: 0.1,
    far: Number.POSITIVE_INFINITY,
    aspect: 0,
    layers: ALL_LAYERS,
  };
}

/** Reads the lens of a camera from a record: eight words from `from` on, laid out as in `setView`. */
export function readLens(
  { words, floats }: Pick<StreamReader, 'words' | 'floats'>,
  from: number,
  parameters: ViewParameters,
): void {
  const node = words[from] as number;
  parameters.node = node === NO_ID ? -1 : node;
  parameters.projection = words[from + 1] as number;
  parameters.extentX = floats[from + 2] as number;
  parameters.extentY = floats[from + 3] as number;
  parameters.near = floats[from + 4] as number;
  parameters.far = floats[from + 5] as number;
  parameters.aspect = floats[from + 6] as number;
  parameters.layers = words[from + 7] as number;
}
