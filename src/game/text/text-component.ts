import { OptionError } from '../../core/errors.js';
import { checkChoice, checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, optional } from '../../core/options/members.js';
import {
  BILLBOARD_OPTIONS,
  BillboardComponent,
  type BillboardShape,
  checkUnits,
  type SizeUnits,
} from '../billboards/billboard-component.js';
import { writeQuad } from '../billboards/quad.js';
import { atlasFor, cssFont, type GlyphAtlas, type GlyphCell } from './glyph-atlas.js';
import { linesOf, type TextDirection, type TextPiece } from './text-lines.js';

const TEXT_OPTIONS = {
  ...BILLBOARD_OPTIONS,
  /** The text; `\n`, `\r\n` and `\r` end a line. */
  text: anything<string>(),
  /** Font size. Default 16. */
  size: optional(anything<number>()),
  /** Unit of `size`. Default `pixels`. */
  sizeUnits: optional(anything<SizeUnits>()),
  /** CSS font without a size: `bold "Noto Sans", sans-serif`. Default `sans-serif`. */
  font: optional(anything<string>()),
  /** Direction of the lines. Default `auto`: the direction of each line's first letter. */
  direction: optional(anything<TextDirection>()),
  /** Alignment of lines of different lengths. Default `center`. */
  align: optional(anything<'left' | 'center' | 'right'>()),
  /**
   * The point of the text that lies at the actor's position, as fractions from the text's left and bottom. Default
   * [0.5, 0.5], the middle.
   */
  anchor: optional(anything<ArrayLike<number>>()),
};

export type TextOptions = Shaped<typeof TEXT_OPTIONS>;

/** Height of a line, in font sizes. */
const LINE_HEIGHT = 1.2;
const DIRECTIONS = ['auto', 'ltr', 'rtl'] as const;
const ALIGNMENTS = { left: 0, center: 0.5, right: 1 } as const;

/**
 * A text that faces the camera. Each character is a quad that shows a picture drawn by the browser. A line that runs
 * from right to left, or whose characters join, is one picture.
 */
export class TextComponent extends BillboardComponent {
  #text: string;
  #size: number;
  readonly #units: SizeUnits;
  readonly #font: string;
  readonly #direction: TextDirection;
  readonly #align: keyof typeof ALIGNMENTS;
  readonly #anchor: readonly [number, number];
  #atlas: GlyphAtlas;
  /** Pieces of each line of the text. */
  #lines: readonly (readonly TextPiece[])[];

  constructor(options: TextOptions) {
    const text = checkText('addText', options?.text);
    const font = checkFont(options.font ?? 'sans-serif');
    const direction = checkChoice('addText', 'direction', options.direction ?? 'auto', DIRECTIONS);
    const lines = linesOf(text, direction);
    const atlas = atlasFor(font, lines.flat());
    super('addText', options, TEXT_OPTIONS, atlas.texture);
    this.#text = text;
    this.#font = font;
    this.#direction = direction;
    this.#lines = lines;
    this.#atlas = atlas;
    this.#size = checkNumber('addText', 'size', options.size ?? 16, 0, 1e6);
    this.#units = checkUnits('addText', 'sizeUnits', options.sizeUnits ?? 'pixels');
    this.#align = checkChoice('addText', 'align', options.align ?? 'center', ['left', 'center', 'right']);
    this.#anchor = checkVector('addText', 'anchor', options.anchor ?? [0.5, 0.5], 2);
    for (const share of this.#anchor) checkNumber('addText', 'anchor', share, -1e3, 1e3);
  }

  override get kind(): string {
    return 'text';
  }
  override get clonedOptions(): string {
    return 'text size sizeUnits font direction align anchor layers';
  }

  get text(): string {
    return this.#text;
  }
  set text(value: string) {
    if (value === this.#text) return;
    const lines = linesOf(checkText('the text', value), this.#direction);
    const atlas = atlasFor(this.#font, lines.flat());
    this.#text = value;
    this.#lines = lines;
    if (atlas !== this.#atlas) this.material.baseColorTexture = atlas.texture;
    this.#atlas = atlas;
    this.reshape();
  }
  get size(): number {
    return this.#size;
  }
  set size(value: number) {
    this.#size = checkNumber('the text', 'size', value, 0, 1e6);
    this.reshape();
  }
  get sizeUnits(): SizeUnits {
    return this.#units;
  }
  get font(): string {
    return this.#font;
  }
  get direction(): TextDirection {
    return this.#direction;
  }
  get align(): 'left' | 'center' | 'right' {
    return this.#align;
  }
  get anchor(): readonly [number, number] {
    return this.#anchor;
  }

  override shape(): BillboardShape {
    const lines = this.#lines.map((pieces) => this.#layOut(pieces));
    const width = lines.reduce((widest, line) => Math.max(widest, line.width), 0);
    const height = lines.length * LINE_HEIGHT;
    const size = this.#size;
    const write = (floats: Float32Array): void => {
      let quad = 0;
      for (const [index, line] of lines.entries()) {
        const begin = (width - line.width) * ALIGNMENTS[this.#align] - width * this.#anchor[0];
        // The baseline is a quarter of the line's height above its bottom.
        const y = height * (1 - this.#anchor[1]) - (index + 0.75) * LINE_HEIGHT;
        for (const { cell, at } of line.cells) {
          const [left, bottom, right, top] = cell.rectangle;
          const x = begin + at;
          writeQuad(floats, quad++, {
            positions: [0, 0, 0],
            at: 0,
            units: this.#units,
            shows: cell.kind,
            rectangle: [(x + left) * size, (y + bottom) * size, (x + right) * size, (y + top) * size],
            uvs: cell.uvs,
          });
        }
      }
    };
    const quads = lines.reduce((sum, { cells }) => sum + cells.length, 0);
    return { label: 'text', quads, units: this.#units, write };
  }

  /** Returns the cells of a line, with the start of their pieces in font sizes, and the line's width. */
  #layOut(pieces: readonly TextPiece[]): { cells: { cell: GlyphCell; at: number }[]; width: number } {
    const { glyphs } = this.#atlas;
    const cells: { cell: GlyphCell; at: number }[] = [];
    let width = 0;
    for (const [index, piece] of pieces.entries()) {
      const before = pieces[index - 1];
      if (before) width += this.#atlas.kerning(before, piece);
      const glyph = glyphs.get(piece.key);
      for (const cell of glyph?.cells ?? []) cells.push({ cell, at: width });
      width += glyph?.advance ?? 0;
    }
    return { cells, width };
  }
}

/** Loads the page's own fonts before a text is drawn with them. */
export async function loadFont(font: unknown, text: unknown): Promise<void> {
  if (typeof font !== 'string' || typeof document !== 'object') return;
  try {
    await document.fonts.load(cssFont(font, 64), String(text));
  } catch {
    // A text whose font can't be loaded is shown in a fallback font, as elsewhere in the page.
  }
}

const MAXIMUM_CHARACTERS = 100_000;

/** @throws OptionError */
export function checkText(call: string, text: unknown): string {
  if (typeof text === 'string' && text.length <= MAXIMUM_CHARACTERS) return text;
  const shown = typeof text === 'string' ? `${text.length} characters long` : String(text);
  throw new OptionError(
    'option-invalid',
    `text of ${call} is ${shown}; it has to be a string of at most ${MAXIMUM_CHARACTERS} characters.`,
  );
}

function checkFont(font: unknown): string {
  if (typeof font === 'string' && font.trim() && !/\d(px|em|pt)/.test(font)) return font;
  throw new OptionError(
    'option-invalid',
    `font of addText is ${JSON.stringify(font)}; it has to be a CSS font without a size, such as 'bold sans-serif'. The option size sets its size.`,
  );
}
