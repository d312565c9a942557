import type { CaptureTile } from '../../proxy/capture-tiles.js';
import { placeShare } from '../picture/added-views.js';
import type { ViewInfo, ViewPlace } from '../picture/view-info.js';
import type { ViewPicture } from '../picture/view-picture.js';
import type { Crop, ViewParameters } from '../scene/view-parameters.js';
import type { ShareRectangle } from '../views/cover.js';

/** A view that a capture draws. */
export interface CaptureSource {
  readonly picture: ViewPicture;
  readonly parameters: ViewParameters;
  /** Part of the captured picture that the view fills, in shares of its width and height. */
  readonly rectangle: ShareRectangle;
}

/** The part of a capture that one command list draws. */
export interface CaptureFrame {
  /** Size of the whole picture at the resolution of this list, in pixels. The overview has a lower resolution. */
  readonly width: number;
  readonly height: number;
  /** The drawn part, in pixels of the picture. */
  readonly target: CaptureTile;
  /** Place of this sample in its pixel: pixels to the right of the centre, and below it. */
  readonly offsetX: number;
  readonly offsetY: number;
  /** Pixels of the picture per CSS pixel of the view on the screen. */
  readonly pixelRatio: number;
  /** Whether the picture has several tiles. The list then draws one of them, or the overview. */
  readonly isTiled: boolean;
  readonly isOverview: boolean;
}

/**
 * A view of a capture. It has the camera, the look and the effects of its source, but its own targets and draw lists.
 * So a capture does not change the view on the canvas.
 */
export class CapturedView {
  readonly picture: ViewPicture;
  readonly #source: CaptureSource;
  readonly #parameters: ViewParameters;
  readonly #crop: Crop = { x: 0, y: 0, width: 1, height: 1, cullsWhole: true };

  /** @param suffix suffix of the names of passes and textures */
  constructor(source: CaptureSource, suffix: string) {
    const { world, id, ownLook, state } = source.picture;
    this.#source = source;
    this.#parameters = { ...source.parameters, crop: undefined };
    this.picture = world.createPicture(this.#parameters, suffix, id);
    this.picture.ownLook = ownLook;
    if (source.picture.isDrawn) this.picture.capturedEffects = source.picture.effects;
    this.picture.isContinuous = false;
    this.picture.showLayers(state.layers);
  }

  /** Per list: returns the view of the list; undefined if it lies outside the drawn part. */
  aim(frame: CaptureFrame): ViewInfo | undefined {
    const { picture } = this;
    const place = placeInTile(this.#source.rectangle, frame);
    if (!place) return undefined;
    this.#parameters.crop = cropOf(place, frame, this.#crop);
    picture.state.history.forget();
    const { frameScene, scene } = picture.world;
    return frameScene.createView(picture, place, picture.filter.select(scene));
  }

  dispose(): void {
    this.picture.dispose();
  }
}

/** Returns the place of a view in the drawn part of a picture; undefined if the view lies outside of that part. */
export function placeInTile(rectangle: ShareRectangle, frame: CaptureFrame): ViewPlace | undefined {
  const { target, pixelRatio, isTiled, isOverview } = frame;
  const whole = placeShare(rectangle, frame.width, frame.height, pixelRatio, 1);
  const left = Math.max(whole.x, target.x);
  const top = Math.max(whole.y, target.y);
  const width = Math.min(whole.x + whole.width, target.x + target.width) - left;
  const height = Math.min(whole.y + whole.height, target.y + target.height) - top;
  if (width <= 0 || height <= 0) return undefined;
  return {
    x: left - target.x,
    y: top - target.y,
    width,
    height,
    isPart: width !== target.width || height !== target.height,
    pixelRatio,
    scale: 1,
    region: isTiled
      ? { x: left - whole.x, y: top - whole.y, width: whole.width, height: whole.height, isOverview }
      : undefined,
  };
}

/** Writes the part of the view that the camera sees to `crop`, and returns it; undefined: the camera sees all of it. */
function cropOf(
  { width, height, region }: ViewPlace,
  { offsetX, offsetY }: CaptureFrame,
  crop: Crop,
): Crop | undefined {
  const whole = region ?? { x: 0, y: 0, width, height };
  const isAll = width === whole.width && height === whole.height;
  if (isAll && offsetX === 0 && offsetY === 0) return undefined;
  crop.x = (whole.x + offsetX) / whole.width;
  crop.y = (whole.y + offsetY) / whole.height;
  crop.width = width / whole.width;
  crop.height = height / whole.height;
  return crop;
}
