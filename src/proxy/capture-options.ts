/** Options of captured pictures. */
import type { Shaped } from '../core/options/member.js';
import { countFrom, optional } from '../core/options/members.js';

/** Largest width and height of a captured picture, in pixels. */
export const MOST_CAPTURED_PIXELS = 16384;

export const CAPTURE_SIZE = {
  /** Width in pixels, 1 to 16384. Default: the shown width, or with `height` the width that keeps the proportions. */
  width: optional(countFrom(1, MOST_CAPTURED_PIXELS)),
  /** Height in pixels, 1 to 16384. Default: the shown height, or with `width` the height that keeps the proportions. */
  height: optional(countFrom(1, MOST_CAPTURED_PIXELS)),
  /**
   * Number of averaged pictures, 1 to 64. Each is shifted by a part of a pixel. Default: 16 if a captured view has
   * `antialias: 'taa'`, otherwise 1.
   */
  samples: optional(countFrom(1, 64)),
};

export type ViewCaptureOptions = Shaped<typeof CAPTURE_SIZE>;
