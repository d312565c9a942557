/**
 * Splits a text into lines, and each line into pieces that the browser draws as one picture.
 *
 *   'Exit 4'      E│x│i│t│ │4      characters, each with its accents: texts of a font share their pictures
 *   'שלום, world'  the whole line   where characters join or run from right to left, each depends on those beside it
 */

/** Which way a line runs. `auto`: as its first letter does, as with `unicode-bidi: plaintext` of CSS. */
export type TextDirection = 'auto' | 'ltr' | 'rtl';

/** A part of a line that is drawn as one picture. */
export interface TextPiece {
  /** Tells it from all other pieces of a font. */
  readonly key: string;
  readonly text: string;
  readonly direction: 'ltr' | 'rtl';
}

/** Ends a line: that of Windows, of old files, and all others'. */
const LINE_END = /\r\n|\r|\n/;
/** Scripts whose characters look the same wherever they stand, left to right. Others, and signs that turn the direction, are not in it. */
const INDEPENDENT =
  /^(?:(?!\p{Bidi_Control})[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Georgian}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}\p{sc=Common}\p{sc=Inherited}])*$/u;
/** A letter, or a mark that stands for one of either direction. */
const DIRECTED = /[\p{L}\u200e\u200f]/u;
const RIGHT_TO_LEFT =
  /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}\p{sc=Hanifi_Rohingya}\p{sc=Mende_Kikakui}\u200f]/u;

/**
 * The pieces of each line. The atlas and the layout both ask for these: where characters are combined depends on what
 * stands beside them, so a text that is divided in another order has others.
 */
export function linesOf(text: string, direction: TextDirection = 'auto'): TextPiece[][] {
  return text
    .split(LINE_END)
    .map((line) => piecesOf(line, direction === 'auto' ? directionOf(line) : direction));
}

function piecesOf(line: string, direction: 'ltr' | 'rtl'): TextPiece[] {
  if (line === '') return [];
  if (direction === 'ltr' && INDEPENDENT.test(line)) {
    return charactersOf(line).map((character) => ({ key: character, text: character, direction }));
  }
  // No character has a line end in it.
  return [{ key: `${direction}\n${line}`, text: line, direction }];
}

function directionOf(line: string): 'ltr' | 'rtl' {
  const [letter = ''] = DIRECTED.exec(line) ?? [];
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

/** With what each is combined with, such as accents. */
function charactersOf(line: string): string[] {
  if (typeof Intl.Segmenter !== 'function') return Array.from(line);
  return Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
}
