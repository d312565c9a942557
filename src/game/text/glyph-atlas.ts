/**
 * A texture per font, with pictures of the pieces of texts (`text-lines.ts`). The browser draws these pictures. Labels
 * with the same font are drawn together.
 *
 *   texture, 1024 wide │ A B C … │ rows of cells, each as wide as its piece and as high as the font
 *                      │ é 😀 םולש │ later pieces, after the existing ones: only their pixels are uploaded
 *
 * Ink takes the colour of the text; emoji and the like have colours of their own. Ink and colours are kept apart, so
 * a piece with both has a cell for each. Ink is stored as white with its coverage as alpha. A piece wider than the
 * texture is cut into several cells.
 *
 * The first atlas of a font is just high enough for ASCII and the pieces of the first text. A new atlas replaces a full
 * one. It is at least twice as high, up to `LARGEST_HEIGHT`, and has all pieces of the full one. Existing texts keep
 * the old atlas until they change. If all pieces together do not fit, the new atlas starts with the pieces of the new
 * text only.
 */
import { OptionError } from '../../core/errors.js';
import type { Texture } from '../textures/texture.js';
import {
  ASCENT,
  bleed,
  CELL_HEIGHT,
  canvasContext,
  type DrawnCell,
  FONT_PIXELS,
  type GlyphKind,
  LARGEST_HEIGHT,
  MARGIN,
  separate,
  WIDTH,
} from './glyph-cells.js';
import { GlyphTexture } from './glyph-texture.js';
import type { TextPiece } from './text-lines.js';

/** Matches letters and punctuation marks whose distance depends on their neighbours. */
const KERNED = /^[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Georgian}\p{P}]/u;

/** A cell of an atlas. */
export interface GlyphCell {
  readonly kind: GlyphKind;
  /** Left, bottom, right, top, as fractions of the texture. */
  readonly uvs: readonly [number, number, number, number];
  /** Rectangle of the cell, relative to the start of its piece on the line, in font sizes. */
  readonly rectangle: readonly [number, number, number, number];
}

/** The picture of a piece. */
interface Glyph {
  readonly cells: readonly GlyphCell[];
  /** Distance to the next piece, in font sizes. */
  readonly advance: number;
}

export interface GlyphAtlas {
  readonly texture: Texture;
  readonly glyphs: ReadonlyMap<string, Glyph>;
  /** Returns the correction of the distance between two adjacent pieces, in font sizes. */
  kerning(first: TextPiece, second: TextPiece): number;
}

/** The current atlas of each font. */
const atlases = new Map<string, DrawnAtlas>();

const ASCII: readonly TextPiece[] = /* @__PURE__ */ Array.from({ length: 95 }, (_, index) => {
  const text = String.fromCharCode(32 + index);
  return { key: text, text, direction: 'ltr' };
});

/**
 * Returns an atlas that has all of the wanted pieces.
 * @param font CSS font without a size: `bold "Noto Sans"`
 * @param wanted pieces that the text needs
 * @throws OptionError `option-out-of-range`; PlatformError `canvas-missing`
 */
export function atlasFor(font: string, wanted: readonly TextPiece[]): GlyphAtlas {
  const known = atlases.get(font);
  if (known?.add(wanted)) return known;
  const atlas = known
    ? (createAtlas(font, [...known.pieces.values(), ...wanted], 2 * known.height) ??
      createAtlas(font, wanted, known.height / 2))
    : createAtlas(font, [...ASCII, ...wanted], 0);
  if (!atlas) {
    throw new OptionError(
      'option-out-of-range',
      `A text in "${font}" has ${new Set(wanted.map(({ key }) => key)).size} different characters and lines, more than a font's texture has room for. Split it into several texts, or use a sprite with a picture of it.`,
    );
  }
  atlases.set(font, atlas);
  return atlas;
}

/** Returns a new atlas with the pieces; null if they do not fit. @param leastHeight pixels */
function createAtlas(font: string, pieces: readonly TextPiece[], leastHeight: number): DrawnAtlas | null {
  const atlas = new DrawnAtlas(font, leastHeight);
  return atlas.begin(pieces) ? atlas : null;
}

/** Returns a CSS font with a size. Style and weight come before the size, the family after it. */
export function cssFont(font: string, pixels: number): string {
  const [, style = '', family = font] =
    /^((?:(?:italic|oblique|bold|bolder|lighter|\d+) )*)(.*)$/.exec(font) ?? [];
  return `${style}${pixels}px ${family}`;
}

/** A piece, with the places of its cells. */
interface PlacedPiece {
  readonly piece: TextPiece;
  readonly advance: number;
  readonly cells: readonly { readonly cell: DrawnCell; readonly x: number; readonly y: number }[];
}

class DrawnAtlas implements GlyphAtlas {
  #texture: GlyphTexture | null = null;
  /** Height in pixels. */
  height: number;
  readonly glyphs = new Map<string, Glyph>();
  /** Pieces of `glyphs`, by key. */
  readonly pieces = new Map<string, TextPiece>();
  readonly #font: string;
  /** Canvas on which a piece is drawn before its pixels are copied. */
  readonly #canvas = canvasContext(WIDTH, CELL_HEIGHT);
  readonly #kernings = new Map<string, number>();
  /** Left edge of the next cell, in pixels; `#y` is its top edge. */
  #x = 0;
  #y = 0;

  /** @param leastHeight pixels */
  constructor(font: string, leastHeight: number) {
    this.#font = font;
    this.height = Math.min(leastHeight, LARGEST_HEIGHT);
    this.#canvas.font = cssFont(font, FONT_PIXELS);
    this.#canvas.textBaseline = 'alphabetic';
    this.#canvas.textAlign = 'left';
  }

  get texture(): Texture {
    return this.#texture as Texture;
  }

  /** Fills the new atlas with its first pieces. @returns whether all pieces fit */
  begin(pieces: readonly TextPiece[]): boolean {
    const placed = this.#place(pieces, LARGEST_HEIGHT);
    if (!placed) return false;
    this.height = Math.max(this.#y + CELL_HEIGHT, this.height);
    this.#texture = new GlyphTexture(`glyphs of ${this.#font}`, this.height);
    this.#write(placed, this.#texture);
    this.#texture.rectangles.length = 0;
    return true;
  }

  /** Adds the missing pieces. @returns whether all pieces fit */
  add(pieces: readonly TextPiece[]): boolean {
    if (pieces.every(({ key }) => this.glyphs.has(key))) return true;
    const [x, y] = [this.#x, this.#y];
    const placed = this.#place(pieces, this.height);
    if (placed) this.#write(placed, this.#texture as GlyphTexture);
    else [this.#x, this.#y] = [x, y];
    return placed !== null;
  }

  kerning(first: TextPiece, second: TextPiece): number {
    if (!KERNED.test(first.text) || !KERNED.test(second.text)) return 0;
    const pair = `${first.text}${second.text}`;
    let kerning = this.#kernings.get(pair);
    if (kerning === undefined) {
      // The canvas still has the direction of the piece that was drawn last.
      this.#canvas.direction = first.direction;
      const width = (text: string): number => this.#canvas.measureText(text).width;
      kerning = (width(pair) - width(first.text) - width(second.text)) / FONT_PIXELS;
      this.#kernings.set(pair, kerning);
    }
    return kerning;
  }

  /** Draws the missing pieces, and finds places for their cells. @returns null if they do not fit within `height` */
  #place(pieces: readonly TextPiece[], height: number): PlacedPiece[] | null {
    const placed: PlacedPiece[] = [];
    const missing = new Map(pieces.map((piece) => [piece.key, piece]));
    for (const piece of missing.values()) {
      if (this.glyphs.has(piece.key)) continue;
      this.#canvas.direction = piece.direction;
      const measured = this.#canvas.measureText(piece.text);
      const begin = -Math.ceil(Math.max(measured.actualBoundingBoxLeft, 0)) - MARGIN;
      const end = Math.ceil(Math.max(measured.actualBoundingBoxRight, measured.width)) + MARGIN;
      const cells: { cell: DrawnCell; x: number; y: number }[] = [];
      for (const columns of cutIntoColumns(begin, end)) {
        for (const cell of this.#draw(piece, columns)) {
          if (this.#x + cell.width > WIDTH) {
            this.#x = 0;
            this.#y += CELL_HEIGHT;
          }
          if (this.#y + CELL_HEIGHT > height) return null;
          cells.push({ cell, x: this.#x, y: this.#y });
          this.#x += cell.width;
        }
      }
      placed.push({ piece, advance: measured.width / FONT_PIXELS, cells });
    }
    return placed;
  }

  /** Draws columns of a piece. @returns a cell of ink, one of colours, or both */
  #draw({ text }: TextPiece, { first, end, shownFrom, shownTo }: Columns): DrawnCell[] {
    const width = end - first;
    const drawIn = (color: string): Uint32Array => {
      this.#canvas.clearRect(0, 0, WIDTH, CELL_HEIGHT);
      this.#canvas.fillStyle = color;
      this.#canvas.fillText(text, -first, MARGIN + ASCENT * FONT_PIXELS);
      return new Uint32Array(this.#canvas.getImageData(0, 0, width, CELL_HEIGHT).data.buffer);
    };
    const { ink, colors } = separate(drawIn('#fff'), drawIn('#000'));
    const place = { width, offset: first, shownFrom: shownFrom - first, shownTo: shownTo - first };
    const cells: DrawnCell[] = [];
    if (ink || !colors)
      cells.push({ ...place, kind: 'ink', pixels: ink ?? new Uint32Array(width * CELL_HEIGHT) });
    if (colors) {
      bleed(colors, width);
      cells.push({ ...place, kind: 'colors', pixels: colors });
    }
    return cells;
  }

  /** Writes the pieces into the texture, row by row from the left. */
  #write(placed: readonly PlacedPiece[], texture: GlyphTexture): void {
    /** The written part of each row of cells. */
    const written: { x: number; y: number; width: number; height: number }[] = [];
    for (const { piece, advance, cells } of placed) {
      for (const { cell, x, y } of cells) {
        const row = written.at(-1);
        if (row?.y === y) row.width += cell.width;
        else written.push({ x, y, width: cell.width, height: CELL_HEIGHT });
        texture.write(x, y, cell);
      }
      this.pieces.set(piece.key, piece);
      this.glyphs.set(piece.key, {
        advance,
        cells: cells.map(({ cell, x, y }) => glyphCell(cell, x, y, this.height)),
      });
    }
    texture.rectangles.push(...written);
  }
}

/** Columns of a piece's picture, in pixels from the start of the piece. */
interface Columns {
  readonly first: number;
  readonly end: number;
  readonly shownFrom: number;
  readonly shownTo: number;
}

/**
 * Cuts a picture that is too wide for the texture. Parts overlap by a margin for filters, but show nothing
 * twice.
 */
function* cutIntoColumns(begin: number, end: number): Generator<Columns> {
  if (end - begin <= WIDTH) {
    yield { first: begin, end, shownFrom: begin, shownTo: end };
    return;
  }
  const step = WIDTH - 2 * MARGIN;
  for (let from = begin; from < end; from += step) {
    const to = Math.min(from + step, end);
    yield { first: from - MARGIN, end: to + MARGIN, shownFrom: from, shownTo: to };
  }
}

function glyphCell(
  { kind, offset, shownFrom, shownTo }: DrawnCell,
  x: number,
  y: number,
  height: number,
): GlyphCell {
  const bottom = y + CELL_HEIGHT;
  const below = -(CELL_HEIGHT - MARGIN - ASCENT * FONT_PIXELS) / FONT_PIXELS;
  return {
    kind,
    uvs: [(x + shownFrom) / WIDTH, bottom / height, (x + shownTo) / WIDTH, y / height],
    rectangle: [
      (offset + shownFrom) / FONT_PIXELS,
      below,
      (offset + shownTo) / FONT_PIXELS,
      below + CELL_HEIGHT / FONT_PIXELS,
    ],
  };
}
