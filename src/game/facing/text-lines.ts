/** What a text is made of: lines, and in each the characters that are drawn as one. */

/** Ends a line: that of Windows, of old files, and all others'. */
const LINE_END = /\r\n|\r|\n/;

/**
 * The characters of each line. The atlas and the layout both ask for these: where characters are combined depends on what
 * stands beside them, so a text that is divided in another order has others.
 */
export function linesOf(text: string): string[][] {
  return text.split(LINE_END).map(charactersOf);
}

/** With what each is combined with, such as accents. */
function charactersOf(line: string): string[] {
  if (typeof Intl.Segmenter !== 'function') return Array.from(line);
  return Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
}
