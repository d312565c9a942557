/**
 * Pictures of characters, drawn by the browser into one texture per font, so that labels of a font are drawn together.
 *
 *   texture, 1024 wide │ A B C … │ rows of cells as wide as each character and as high as the font
 *                      │ é ñ     │ further characters, behind those that are there: only their pixels are sent
 *
 * The first atlas of a font has room for ASCII alone. One that is full is followed by another one, which has all of its characters and at
 * least twice its height; texts that were there stay with theirs until they are changed.
 */
import { OptionError, PlatformError } from '../../core/errors.js';
import { DEFAULT_SAMPLER, packSampler } from '../../proxy/sampler.js';
import type { ImageChanges, ImageRectangle, LoadedImage, Texture, TextureUse } from '../texture.js';
import { type RetainedTexels, TextureRegistry } from '../texture-registry.js';
import { transformOfUse } from '../texture-use.js';
import type { Outlet } from '../write-record.js';
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

/** Red, green and blue of a pixel, in the order of its bytes. */
const WHITE = 0xffffff;

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
const atlases = new Map<string, DrawnAtlas>();

/**
 * @param font as CSS says it, without a size: `bold "Noto Sans"`
 * @throws OptionError `option-out-of-range`; PlatformError `canvas-missing`
 */
export function atlasFor(font: string, text: string): GlyphAtlas {
  const known = atlases.get(font);
  const wanted = linesOf(text).flat();
  if (known?.add(wanted)) return known;
  const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  const atlas = new DrawnAtlas(
    font,
    [...(known?.glyphs.keys() ?? ascii), ...wanted],
    2 * (known?.height ?? 0),
  );
  atlases.set(font, atlas);
  return atlas;
}

/** CSS of a font in a size: what stands before the family is its style and weight. */
export function cssFont(font: string, pixels: number): string {
  const [, style = '', family = font] =
    /^((?:(?:italic|oblique|bold|bolder|lighter|\d+) )*)(.*)$/.exec(font) ?? [];
  return `${style}${pixels}px ${family}`;
}

interface Cell {
  readonly character: string;
  readonly advance: number;
  /** From its left edge to where the character begins. */
  readonly left: number;
  readonly width: number;
  readonly x: number;
  readonly y: number;
}

class DrawnAtlas implements GlyphAtlas {
  readonly texture: GlyphTexture;
  readonly height: number;
  readonly glyphs = new Map<string, Glyph>();
  /** A row of cells. */
  readonly #canvas = canvasContext(WIDTH, CELL_HEIGHT);
  /** Where the next cell begins. */
  #x = 0;
  #y = 0;

  /** @param leastHeight pixels */
  constructor(font: string, characters: readonly string[], leastHeight: number) {
    this.#canvas.font = cssFont(font, FONT_PIXELS);
    this.#canvas.textBaseline = 'alphabetic';
    const cells = this.#layOut(characters);
    const needed = this.#y + CELL_HEIGHT;
    if (needed > LARGEST_HEIGHT) {
      throw new OptionError(
        'option-out-of-range',
        `Texts in "${font}" have ${cells.length} different characters, for which an atlas has no room. Give some texts another font, or use a sprite with a picture of the text.`,
      );
    }
    this.height = Math.min(Math.max(needed, leastHeight), LARGEST_HEIGHT);
    this.texture = new GlyphTexture(`glyphs of ${font}`, this.height);
    this.#draw(cells);
    this.texture.rectangles.length = 0;
  }

  /** @returns whether it has all of them now */
  add(characters: readonly string[]): boolean {
    if (characters.every((character) => this.glyphs.has(character))) return true;
    const [x, y] = [this.#x, this.#y];
    const cells = this.#layOut(characters);
    const isRoom = this.#y + CELL_HEIGHT <= this.height;
    if (isRoom) this.#draw(cells);
    else [this.#x, this.#y] = [x, y];
    return isRoom;
  }

  /** Of those that it lacks. */
  #layOut(characters: readonly string[]): Cell[] {
    return [...new Set(characters)]
      .filter((character) => !this.glyphs.has(character))
      .map((character) => {
        const {
          width: advance,
          actualBoundingBoxLeft,
          actualBoundingBoxRight,
        } = this.#canvas.measureText(character);
        const left = Math.ceil(Math.max(actualBoundingBoxLeft, 0)) + MARGIN;
        const right = Math.ceil(Math.max(actualBoundingBoxRight, advance));
        const width = Math.min(left + right + MARGIN, WIDTH);
        if (this.#x + width > WIDTH) {
          this.#x = 0;
          this.#y += CELL_HEIGHT;
        }
        const cell = { character, advance, left, width, x: this.#x, y: this.#y };
        this.#x += width;
        return cell;
      });
  }

  /** Row by row, from the left. */
  #draw(cells: readonly Cell[]): void {
    for (let first = 0; first < cells.length; ) {
      const { x, y } = cells[first] as Cell;
      const rest = cells.slice(first);
      const end = rest.findIndex((cell) => cell.y !== y);
      const row = end < 0 ? rest : rest.slice(0, end);
      first += row.length;
      this.#canvas.clearRect(0, 0, WIDTH, CELL_HEIGHT);
      for (const cell of row) {
        this.#canvas.fillText(cell.character, cell.x + cell.left, MARGIN + ASCENT * FONT_PIXELS);
        this.glyphs.set(cell.character, glyphOf(cell, this.height));
      }
      const last = row.at(-1) as Cell;
      const width = last.x + last.width - x;
      const { data } = this.#canvas.getImageData(x, 0, width, CELL_HEIGHT);
      this.texture.write({ x, y, width, height: CELL_HEIGHT }, new Uint32Array(data.buffer));
    }
  }
}

function glyphOf({ x, y, width, left, advance }: Cell, height: number): Glyph {
  const bottom = y + CELL_HEIGHT;
  const below = -(CELL_HEIGHT - MARGIN - ASCENT * FONT_PIXELS) / FONT_PIXELS;
  return {
    uvs: [x / WIDTH, bottom / height, (x + width) / WIDTH, y / height],
    rectangle: [-left / FONT_PIXELS, below, (width - left) / FONT_PIXELS, below + CELL_HEIGHT / FONT_PIXELS],
    advance: advance / FONT_PIXELS,
  };
}

/**
 * It is shown by any number of worlds, and again when it was gone. `texture()` can't change, and a page that calls it not should not have
 * its code: bundlers keep in the page what this file shares with it.
 */
class GlyphTexture implements Texture, ImageChanges {
  readonly name: string;
  readonly srgb = true;
  readonly sampler = packSampler({ ...DEFAULT_SAMPLER, wrapU: 'clamp-to-edge', wrapV: 'clamp-to-edge' });
  readonly isLoadedLater = false;
  readonly retained: RetainedTexels;
  readonly rectangles: ImageRectangle[] = [];
  readonly #pixels: Uint32Array<ArrayBuffer>;
  readonly #height: number;

  constructor(name: string, height: number) {
    this.name = name;
    this.#pixels = new Uint32Array(WIDTH * height).fill(WHITE);
    this.#height = height;
    this.retained = { data: new Uint8Array(this.#pixels.buffer) };
  }

  createRegistry(outlet: Outlet): TextureRegistry {
    return new TextureRegistry(outlet);
  }

  transformOf(what: string, use: TextureUse): number[] {
    return transformOfUse(what, use);
  }

  get changes(): ImageChanges {
    return this;
  }

  /** @param pixels row by row */
  write(rectangle: ImageRectangle, pixels: Uint32Array): void {
    const { x, y, width, height } = rectangle;
    for (let row = 0; row < height; row++) {
      const at = (y + row) * WIDTH + x;
      // White everywhere: where nothing is, its colour would darken the edges.
      for (let column = 0; column < width; column++)
        this.#pixels[at + column] = (pixels[row * width + column] as number) | WHITE;
    }
    this.rectangles.push(rectangle);
  }

  readonly pixelsIn = ({ x, y, width, height }: ImageRectangle): ArrayBuffer => {
    const part = new Uint32Array(width * height);
    for (let row = 0; row < height; row++) {
      const at = (y + row) * WIDTH + x;
      part.set(this.#pixels.subarray(at, at + width), row * width);
    }
    return part.buffer;
  };

  takeImage(): LoadedImage {
    const image = this.#pixels.slice().buffer;
    return { image, width: WIDTH, height: this.#height, changes: this.rectangles.length };
  }

  async loadImage(): Promise<LoadedImage> {
    return this.takeImage();
  }

  async reloadImage(): Promise<LoadedImage> {
    return this.takeImage();
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
