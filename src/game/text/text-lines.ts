/**
 * Splits a text into lines, and each line into pieces that the browser draws as one picture.
 *
 *   'Exit 4'      E│x│i│t│ │4      characters, each with its accents: texts with the same font share their pictures
 *   'שלום, world'  the whole line   characters that join or run from right to left depend on their neighbours
 */

/**
 * Direction of a line. `auto`: the direction of its first letter, as with `unicode-bidi: plaintext` of CSS.
 */
export type TextDirection = 'auto' | 'ltr' | 'rtl';

/** A part of a line that is drawn as one picture. */
export interface TextPiece {
  /** Identifies the piece among all pieces of a font. */
  readonly key: string;
  readonly text: string;
  readonly direction: 'ltr' | 'rtl';
}

/** Line ends of Windows files, of old Mac files, and of all other files. */
const LINE_END = /\r\n|\r|\n/;
/**
 * Matches lines in scripts that run from left to right, and whose characters look the same beside any other character.
 * Lines with signs that change the direction do not match.
 */
const INDEPENDENT =
  /^(?:(?!\p{Bidi_Control})[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Georgian}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}\p{sc=Common}\p{sc=Inherited}])*$/u;
/** Matches a letter, or an invisible mark of a direction. */
const DIRECTED = /[\p{L}\u200e\u200f]/u;
const RIGHT_TO_LEFT =
  /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}\p{sc=Hanifi_Rohingya}\p{sc=Mende_Kikakui}\u200f]/u;

/**
 * Returns the pieces of each line. The atlas and the layout must both use this result. Characters combine with their
 * neighbours, so splitting other parts of the text would give other pieces.
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
  // The line feed makes this key differ from every character's key.
  return [{ key: `${direction}\n${line}`, text: line, direction }];
}

function directionOf(line: string): 'ltr' | 'rtl' {
  const [letter = ''] = DIRECTED.exec(line) ?? [];
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

/** Returns the characters of a line, each with its combining marks. */
function charactersOf(line: string): string[] {
  if (typeof Intl.Segmenter !== 'function') return Array.from(line);
  return Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
}
