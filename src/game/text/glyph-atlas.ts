/**
 * Pictures of the pieces of texts (`text-lines.ts`), drawn by the browser into one texture per font, so that labels of a font are drawn
 * together.
 *
 *   texture, 1024 wide │ A B C … │ rows of cells as wide as each piece and as high as the font
 *                      │ é 😀 םולש │ further pieces, behind those that are there: only their pixels are sent
 *
 * Ink, which takes the colour of the text, and what has colours of its own, such as emoji, are apart: a piece with both has a cell for
 * each. Ink is kept as white with its coverage as alpha. A piece that is wider than the texture is cut into several cells.
 *
 * The first atlas of a font has room for ASCII alone. One that is full is followed by another one, which has all of its pieces and at
 * least twice its height; texts that were there stay with theirs until they are changed. Where all pieces have no room together, the
 * next atlas begins with those of the new text.
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

/** Letters that stand nearer to some letters than to others. */
const KERNED = /^[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Georgian}\p{P}]/u;

/** A cell of an atlas. */
export interface GlyphCell {
  readonly kind: GlyphKind;
  /** Left, bottom, right, top; in shares of the texture. */
  readonly uvs: readonly [number, number, number, number];
  /** Of what the cell shows, from where the piece begins on its line; in sizes of the font. */
  readonly rectangle: readonly [number, number, number, number];
}

/** The picture of a piece. */
interface Glyph {
  readonly cells: readonly GlyphCell[];
  /** How far the next one is, in sizes of the font. */
  readonly advance: number;
}

export interface GlyphAtlas {
  readonly texture: Texture;
  readonly glyphs: ReadonlyMap<string, Glyph>;
  /** By how much the second of two pieces stands farther from the first than the first's advance says, in sizes of the font. */
  kerning(first: TextPiece, second: TextPiece): number;
}

/** By font. */
const atlases = new Map<string, DrawnAtlas>();

const ASCII: readonly TextPiece[] = /* @__PURE__ */ Array.from({ length: 95 }, (_, index) => {
  const text = String.fromCharCode(32 + index);
  return { key: text, text, direction: 'ltr' };
});

/**
 * @param font as CSS says it, without a size: `bold "Noto Sans"`
 * @param wanted pieces that it has to have
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
      `A text in "${font}" has ${new Set(wanted.map(({ key }) => key)).size} different characters and lines, for which an atlas has no room. Divide it into several texts, or use a sprite with a picture of it.`,
    );
  }
  atlases.set(font, atlas);
  return atlas;
}

/** @param leastHeight pixels @returns null where the pieces have no room */
function createAtlas(font: string, pieces: readonly TextPiece[], leastHeight: number): DrawnAtlas | null {
  const atlas = new DrawnAtlas(font, leastHeight);
  return atlas.begin(pieces) ? atlas : null;
}

/** CSS of a font in a size: what stands before the family is its style and weight. */
export function cssFont(font: string, pixels: number): string {
  const [, style = '', family = font] =
    /^((?:(?:italic|oblique|bold|bolder|lighter|\d+) )*)(.*)$/.exec(font) ?? [];
  return `${style}${pixels}px ${family}`;
}

/** A piece, and where its cells lie. */
interface PlacedPiece {
  readonly piece: TextPiece;
  readonly advance: number;
  readonly cells: readonly { readonly cell: DrawnCell; readonly x: number; readonly y: number }[];
}

class DrawnAtlas implements GlyphAtlas {
  #texture: GlyphTexture | null = null;
  /** Pixels. */
  height: number;
  readonly glyphs = new Map<string, Glyph>();
  /** Pieces of `glyphs`, by key. */
  readonly pieces = new Map<string, TextPiece>();
  readonly #font: string;
  /** A piece is drawn here before it is put in its place. */
  readonly #canvas = canvasContext(WIDTH, CELL_HEIGHT);
  readonly #kernings = new Map<string, number>();
  /** Where the next cell begins. */
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

  /** Once, first. @returns whether there is room for all of them */
  begin(pieces: readonly TextPiece[]): boolean {
    const placed = this.#place(pieces, LARGEST_HEIGHT);
    if (!placed) return false;
    this.height = Math.max(this.#y + CELL_HEIGHT, this.height);
    this.#texture = new GlyphTexture(`glyphs of ${this.#font}`, this.height);
    this.#write(placed, this.#texture);
    this.#texture.rectangles.length = 0;
    return true;
  }

  /** @returns whether it has all of them now */
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
      const width = (text: string): number => this.#canvas.measureText(text).width;
      kerning = (width(pair) - width(first.text) - width(second.text)) / FONT_PIXELS;
      this.#kernings.set(pair, kerning);
    }
    return kerning;
  }

  /** Draws the pieces that it lacks. @returns null where they have no room down to `height` */
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
      for (const columns of cutInto(begin, end)) {
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

  /** Row by row, from the left. */
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
        cells: cells.map(({ cell, x, y }) => shownBy(cell, x, y, this.height)),
      });
    }
    texture.rectangles.push(...written);
  }
}

/** Columns of the picture of a piece, in pixels from where it begins. */
interface Columns {
  readonly first: number;
  readonly end: number;
  readonly shownFrom: number;
  readonly shownTo: number;
}

/** Cuts what is too wide for the texture. Parts overlap by a margin, of which filters read, and show nothing twice. */
function* cutInto(begin: number, end: number): Generator<Columns> {
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

function shownBy(
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
