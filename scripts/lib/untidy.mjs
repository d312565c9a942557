/** The rules of style that a program can check. Each message names the place and the rule. */
import { commentsOf, paragraphsOf, paragraphsOfPage, sentencesOf } from './comments.mjs';

/** Openings that are forbidden for sentences, because they name nothing. */
const RIDDLE = /^["“(`*_[]*(What|Who|Whoever|Whatever|Those|That of|Of|Somebody|Nobody)\b/;
/** Limit of characters in a line of a page. Rows of tables and links are exempt, because they can't be broken. */
const PAGE_COLUMNS = 120;
/** Number of lines from which a doc comment counts as an essay. */
const ESSAY_LINES = 5;
const PATH =
  /(?<![\w./-])(?:src|e2e|scripts|bench|shaders|demo|docs)\/[\w./-]*\w\.(?:ts|mjs|wgsl|html|md)\b/g;
/** References to documents that are not in the repository. */
const ELSEWHERE = /\b(?:DESIGN|FACTS)(?:\.md)?\s*§|\b(?:DESIGN|FACTS)\.md\b/;

/** Exempt openings and their reasons. Keys: the path and the sentence's first words. */
export const allowedOpenings = {};

/**
 * Returns a message for each violation.
 *
 * @param {ReadonlyMap<string, string>} files texts of sources and of pages (`.md`), by path
 * @param {(path: string) => boolean} exists returns whether a path is in the repository
 * @param {Readonly<Record<string, string>>} allowed exempt openings
 * @returns {string[]} messages, by path and line
 */
export function findUntidy(files, exists, allowed = allowedOpenings) {
  const messages = [];
  const used = new Set();
  const checkSentences = (path, { line, text }) => {
    for (const sentence of sentencesOf(text)) {
      if (!RIDDLE.test(sentence)) continue;
      const key = Object.keys(allowed).find((each) => `${path}: ${sentence}`.startsWith(each));
      if (key) used.add(key);
      else
        messages.push(`${path}:${line}: opens with a word that names no thing: "${sentence.slice(0, 60)}"`);
    }
  };
  const checkReferences = (path, line, text) => {
    if (ELSEWHERE.test(text))
      messages.push(`${path}:${line}: refers to a document outside of the repository`);
    for (const [named] of text.matchAll(PATH))
      if (!exists(named)) messages.push(`${path}:${line}: names ${named}, which does not exist`);
  };
  for (const [path, text] of files) {
    if (path.endsWith('.md')) {
      for (const paragraph of paragraphsOfPage(text)) checkSentences(path, paragraph);
      text.split('\n').forEach((line, index) => {
        if (isTooLong(line))
          messages.push(`${path}:${index + 1}: has ${line.length} columns (at most ${PAGE_COLUMNS})`);
        checkReferences(path, index + 1, line);
      });
      continue;
    }
    for (const comment of commentsOf(path, text)) {
      for (const paragraph of paragraphsOf(comment)) checkSentences(path, paragraph);
      checkReferences(path, comment.line, comment.lines.join('\n'));
      if (isOrphan(comment, text))
        messages.push(`${path}:${comment.line}: a long doc comment without code directly below`);
    }
  }
  for (const key of Object.keys(allowed))
    if (!used.has(key))
      messages.push(
        `scripts/lib/untidy.mjs: no sentence matches the entry "${key}" any more. Remove the entry.`,
      );
  return messages;
}

function isTooLong(line) {
  return line.length > PAGE_COLUMNS && !/^\s*\||https?:\/\/|\]\([^)]{40,}\)|^\s*[-*>]?\s*!?\[/.test(line);
}

/**
 * Returns whether an essay, other than the file's first comment, stands above an empty line, another comment or the
 * file's end.
 */
function isOrphan({ line, endLine, isBlock, lines }, text) {
  if (!isBlock || lines.length < ESSAY_LINES || lines.some((each) => each.startsWith('@typedef')))
    return false;
  const rows = text.split('\n');
  if (
    !/\S/.test(
      rows
        .slice(0, line - 1)
        .join('')
        .replace(/^#!.*/, ''),
    )
  )
    return false;
  return /^\s*(\/\*\*.*)?$/.test(rows[endLine] ?? '');
}
