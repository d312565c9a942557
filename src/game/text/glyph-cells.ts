/** Sizes of the cells in which glyphs are drawn, and the processing of their pixels. */
import { PlatformError } from '../../core/errors.js';

/** Size of the font in the atlas, in pixels. */
export const FONT_PIXELS = 64;
/** Pixels around each piece, which keep mip levels from mixing neighbours. */
export const MARGIN = 4;
/** Width of every atlas, in pixels. */
export const WIDTH = 1024;
/** Maximum height of an atlas, in pixels. */
export const LARGEST_HEIGHT = 4096;
/** Height above the baseline, as a fraction of the font size. `DESCENT` is the height below it. */
export const ASCENT = 1;
const DESCENT = 0.3;
export const CELL_HEIGHT = Math.ceil((ASCENT + DESCENT) * FONT_PIXELS) + 2 * MARGIN;

/** White with alpha 0, which is also the mask of a pixel's colour. */
export const WHITE = 0xffffff;
/** Alpha below which a pixel's colour is mostly rounding error. */
const FAINT = 16;
/** Contents of a cell. */
export type GlyphKind = 'ink' | 'colors';

/** A drawn part of a piece's picture, either ink or colours. */
export interface DrawnCell {
  readonly kind: GlyphKind;
  /** Pixels row by row, `width` × `CELL_HEIGHT`. */
  readonly pixels: Uint32Array;
  readonly width: number;
  /** First column that the quad shows; `shownTo` is the end. The columns outside are for filters. */
  readonly shownFrom: number;
  readonly shownTo: number;
  /** Offset of the first column from the start of the piece, in pixels. */
  readonly offset: number;
}

/**
 * Separates ink from coloured pixels. Ink changes with the drawing colour. Coloured pixels are the same in both
 * pictures.
 * @param white the piece drawn in white @param black the piece drawn in black
 */
export function separate(
  white: Uint32Array,
  black: Uint32Array,
): { ink: Uint32Array | null; colors: Uint32Array | null } {
  const ink = new Uint32Array(white.length);
  const colors = new Uint32Array(white.length);
  let hasInk = false;
  let hasColors = false;
  for (let at = 0; at < white.length; at++) {
    const pixel = white[at] as number;
    if (pixel >>> 24 === 0) continue;
    const isInk = (pixel & 0xff) - ((black[at] as number) & 0xff) > 127;
    (isInk ? ink : colors)[at] = pixel;
    hasInk ||= isInk;
    hasColors ||= !isInk && pixel >>> 24 >= FAINT;
  }
  return { ink: hasInk ? ink : null, colors: hasColors ? colors : null };
}

/**
 * Gives transparent and faint pixels the colour of their neighbours, because filters mix the colours of neighbouring
 * pixels. Fills along rows first, then empty rows.
 */
export function bleed(pixels: Uint32Array, width: number): void {
  const rows = Array.from({ length: pixels.length / width }, (_, row) =>
    pixels.subarray(row * width, (row + 1) * width),
  );
  const isFaint = (pixel: number): boolean => pixel >>> 24 < FAINT;
  const colorOf = (pixel: number): number => pixel & WHITE;
  const full = rows.filter((row) => !row.every(isFaint));
  for (const row of full) {
    const seen = row.slice();
    let last = row.find((pixel) => !isFaint(pixel)) as number;
    for (const [column, pixel] of seen.entries()) {
      if (isFaint(pixel)) row[column] = ((pixel & 0xff000000) | colorOf(last)) >>> 0;
      else last = pixel;
    }
  }
  for (const [index, row] of rows.entries()) {
    if (full.includes(row)) continue;
    const nearest = full.reduce((best, each) =>
      Math.abs(rows.indexOf(each) - index) < Math.abs(rows.indexOf(best) - index) ? each : best,
    );
    for (const [column, pixel] of nearest.entries()) row[column] = colorOf(pixel);
  }
}

/** Returns the context of a canvas to draw glyphs on. @throws PlatformError `canvas-missing` */
export function canvasContext(
  width: number,
  height: number,
): CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D {
  let context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D | null = null;
  if (typeof document === 'object') {
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    context = canvas.getContext('2d', { willReadFrequently: true });
  } else if (typeof OffscreenCanvas === 'function') {
    context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  }
  if (context) return context;
  throw new PlatformError(
    'canvas-missing',
    'Text needs a canvas of the browser, and this environment has none.',
  );
}
