/**
 * Pictures of characters, drawn by the browser into one texture per font, so that labels of a font are drawn together.
 *
 *   texture, 1024 wide │ A B C … │ rows of cells as wide as each character and as high as the font
 *
 * An atlas does not change: a text with characters that no atlas of its font has yet gets another one, which has them all.
 */
import { OptionError, PlatformError } from '../../core/errors.js';
import { DEFAULT_SAMPLER } from '../../proxy/sampler.js';
import { LevelTexture } from '../level-texture.js';
import type { LoadedImage, Texture } from '../texture.js';
import { linesOf } from './text-lines.js';

/** Pixels of a font's size in the atlas, and around each character, so that mip levels don't mix neighbours. */
const FONT_PIXELS = 64;
const MARGIN = 4;
const WIDTH = 1024;
const LARGEST_HEIGHT = 4096;
/** As shares of the font's size: above and below the line on which letters stand. */
const ASCENT = 1;
const DESCENT = 0.3;
const CELL_HEIGHT = Math.ceil((ASCENT + DESCENT) * FONT_PIXELS) + 2 * MARGIN;

export interface Glyph {
  /** Left, bottom, right, top; in shares of the texture. */
  readonly uvs: readonly [number, number, number, number];
  /** Of its cell, from where the character begins on its line; in sizes of the font. */
  readonly rectangle: readonly [number, number, number, number];
  /** How far the next one is, in sizes of the font. */
  readonly advance: number;
}

export interface GlyphAtlas {
  readonly texture: Texture;
  readonly glyphs: ReadonlyMap<string, Glyph>;
}

/** By font. */
const atlases = new Map<string, GlyphAtlas>();

/**
 * @param font as CSS says it, without a size: `bold "Noto Sans"`
 * @throws OptionError `option-out-of-range`; PlatformError `canvas-missing`
 */
export function atlasFor(font: string, text: string): GlyphAtlas {
  const known = atlases.get(font);
  const wanted = linesOf(text).flat();
  if (known && wanted.every((character) => known.glyphs.has(character))) return known;
  const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  const atlas = createAtlas(font, [...new Set([...(known?.glyphs.keys() ?? ascii), ...wanted])]);
  atlases.set(font, atlas);
  return atlas;
}

/** CSS of a font in a size: what stands before the family is its style and weight. */
export function cssFont(font: string, pixels: number): string {
  const [, style = '', family = font] =
    /^((?:(?:italic|oblique|bold|bolder|lighter|\d+) )*)(.*)$/.exec(font) ?? [];
  return `${style}${pixels}px ${family}`;
}

function createAtlas(font: string, characters: readonly string[]): GlyphAtlas {
  const context = canvasContext(WIDTH, CELL_HEIGHT);
  context.font = cssFont(font, FONT_PIXELS);
  let x = 0;
  let y = 0;
  const cells = characters.map((character) => {
    const { width: advance, actualBoundingBoxLeft, actualBoundingBoxRight } = context.measureText(character);
    const left = Math.ceil(Math.max(actualBoundingBoxLeft, 0)) + MARGIN;
    const width = Math.min(left + Math.ceil(Math.max(actualBoundingBoxRight, advance)) + MARGIN, WIDTH);
    if (x + width > WIDTH) {
      x = 0;
      y += CELL_HEIGHT;
    }
    const cell = { character, advance, left, width, x, y };
    x += width;
    return cell;
  });
  const height = y + CELL_HEIGHT;
  if (height > LARGEST_HEIGHT) {
    throw new OptionError(
      'option-out-of-range',
      `Texts in "${font}" have ${characters.length} different characters, for which an atlas has no room. Give some texts another font, or use a sprite with a picture of the text.`,
    );
  }
  const drawing = canvasContext(WIDTH, height);
  drawing.font = context.font;
  drawing.textBaseline = 'alphabetic';
  const glyphs = new Map<string, Glyph>();
  for (const cell of cells) {
    drawing.fillText(cell.character, cell.x + cell.left, cell.y + MARGIN + ASCENT * FONT_PIXELS);
    const bottom = cell.y + CELL_HEIGHT;
    const below = -(CELL_HEIGHT - MARGIN - ASCENT * FONT_PIXELS) / FONT_PIXELS;
    glyphs.set(cell.character, {
      uvs: [cell.x / WIDTH, bottom / height, (cell.x + cell.width) / WIDTH, cell.y / height],
      rectangle: [
        -cell.left / FONT_PIXELS,
        below,
        (cell.width - cell.left) / FONT_PIXELS,
        below + CELL_HEIGHT / FONT_PIXELS,
      ],
      advance: cell.advance / FONT_PIXELS,
    });
  }
  const { data } = drawing.getImageData(0, 0, WIDTH, height);
  // White everywhere: where nothing is, its colour would darken the edges.
  const pixels = new Uint32Array(data.buffer);
  for (let at = 0; at < pixels.length; at++) pixels[at] = (pixels[at] as number) | 0xffffff;
  // `texture()` would do, but a page that calls it not should not have its code: bundlers keep in the page what this file shares with it.
  const texture = new GlyphTexture({
    label: `glyphs of ${font}`,
    image: data.buffer,
    width: WIDTH,
    height,
    srgb: true,
    sampler: { ...DEFAULT_SAMPLER, wrapU: 'clamp-to-edge', wrapV: 'clamp-to-edge' },
  });
  return { texture, glyphs };
}

/** Unlike that of a level, it is shown by any number of worlds, and again when it was gone. */
class GlyphTexture extends LevelTexture {
  override takeImage(): LoadedImage | null {
    const { data, width, height } = this.retained as { data: Uint8Array; width: number; height: number };
    return { image: new Uint8Array(data).buffer, width, height };
  }
}

function canvasContext(
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
    'Text is drawn by a canvas of the browser, and there is none here.',
  );
}
