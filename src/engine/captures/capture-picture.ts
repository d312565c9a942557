import { OptionError, StateError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import type { Filled, Shaped } from '../../core/options/member.js';
import { anything, optional } from '../../core/options/members.js';
import type { View } from '../../game/world/view.js';
import { CAPTURE_SIZE, MOST_CAPTURED_PIXELS } from '../../proxy/capture-options.js';
import { captureTiles } from '../../proxy/capture-tiles.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import { type CapturedFrame, divideByAlpha, unpackTile } from '../../proxy/unpack-capture.js';
import type { FrameSettings, SurfaceSize } from '../options/frame-settings.js';
import type { Captures } from './capture.js';

const CAPTURE_OPTIONS = {
  ...CAPTURE_SIZE,
  /** View that fills the picture. Default: the picture on the canvas, with all views. */
  view: optional(anything<View>()),
};

export type CaptureOptions = Shaped<typeof CAPTURE_OPTIONS>;

/** The parts of the engine that a capture needs. */
interface PictureCaptureHost {
  readonly captures: Captures;
  readonly settings: FrameSettings;
  /** Returns the size in which the canvas or a view is shown, in pixels. */
  shownSize(view: View | undefined): SurfaceSize;
}

export type CheckedCapture = Filled<typeof CAPTURE_OPTIONS>;

/**
 * Checks the options of `engine.captureFrame` or of `view.captureFrame`, and fills in the defaults.
 * @param view the view whose method was called; undefined: the engine's method was called
 * @throws OptionError `option-unknown`, `option-out-of-range`, `option-invalid`
 */
export function checkCapture(options: CaptureOptions, view?: View): CheckedCapture {
  if (view) return { ...fillOptions('captureFrame', options, CAPTURE_SIZE), view };
  return fillOptions('captureFrame', options, CAPTURE_OPTIONS);
}

/**
 * Draws the next frame with all changes made so far, and after it a picture of any size. The picture arrives in tiles,
 * which are copied into place one by one.
 * @throws StateError `canvas-hidden`, `view-not-drawn`; OptionError `option-out-of-range` if the picture cannot be
 *   allocated; RhiError `capture-failed`
 */
export async function capturePicture(
  { width, height, samples, view }: CheckedCapture,
  { captures, settings, shownSize }: PictureCaptureHost,
): Promise<CapturedFrame> {
  if (view && !(view.enabled && view.camera)) {
    throw new StateError(
      'view-not-drawn',
      `captureFrame was called for a view that ${view.enabled ? 'has no camera' : 'is not enabled'}, so it shows nothing. ${view.enabled ? 'Assign a camera to view.camera.' : 'Set view.enabled first.'}`,
    );
  }
  const size = pictureSize(width, height, shownSize(view));
  const picture = createPicture(size);
  const tiles = captureTiles(size.width, size.height);
  await captures.askForParts(
    settings,
    tiles.length,
    (writer, request) => {
      settings.ignoreGpuTimes();
      const at = writer.reserve(RenderOpcode.capturePicture, 5);
      writer.words[at] = request;
      writer.words[at + 1] = view?.id ?? NO_ID;
      writer.words[at + 2] = size.width;
      writer.words[at + 3] = size.height;
      writer.words[at + 4] = samples ?? 0;
    },
    (part, bytes) => unpackTile(bytes, tiles[part] as (typeof tiles)[number], picture),
  );
  divideByAlpha(picture.data);
  return picture;
}

/**
 * Fills in a missing width or height, in the shown proportions. The filled-in side has 1 to `MOST_CAPTURED_PIXELS`
 * pixels.
 * @throws StateError `canvas-hidden`
 */
function pictureSize(
  width: number | undefined,
  height: number | undefined,
  shown: SurfaceSize,
): { readonly width: number; readonly height: number } {
  if (width !== undefined && height !== undefined) return { width, height };
  if (!shown.width || !shown.height) {
    throw new StateError(
      'canvas-hidden',
      'captureFrame found the canvas without a size: the canvas or one of its ancestors is hidden. Give captureFrame a width and a height, or show the canvas first.',
    );
  }
  const scale = width === undefined ? (height ?? shown.height) / shown.height : width / shown.width;
  const follow = (length: number): number =>
    Math.min(MOST_CAPTURED_PIXELS, Math.max(1, Math.round(length * scale)));
  return { width: width ?? follow(shown.width), height: height ?? follow(shown.height) };
}

function createPicture({ width, height }: SurfaceSize): CapturedFrame {
  try {
    return { width, height, data: new Uint8ClampedArray(width * height * 4) };
  } catch (cause) {
    throw new OptionError(
      'option-out-of-range',
      `captureFrame can't allocate the ${width * height * 4} bytes of a picture of ${width} × ${height} pixels. Capture a smaller picture.`,
      { cause },
    );
  }
}
