/**
 * Comments and prose of the project's files, as paragraphs with their lines. Drawings, code and tables are omitted.
 *
 *   source ─► comments ─┐
 *                       ├─► paragraphs ─► sentences
 *   page ───────────────┘
 */
import ts from 'typescript';

/**
 * @typedef {{ line: number, text: string }} Paragraph `line` counts from 1; `text` is one line
 * @typedef {{
 *   line: number,
 *   endLine: number,
 *   isBlock: boolean,
 *   lines: string[],
 * }} Comment `lines` without the comment's delimiters; adjacent `//` lines are one comment
 */

/** Returns the comments of a file, in order. @param {string} path @param {string} text @returns {Comment[]} */
export function commentsOf(path, text) {
  const ranges = path.endsWith('.wgsl') ? rangesOfWgsl(text) : rangesOfScript(path, text);
  const comments = [];
  for (const [begin, end] of ranges) {
    const line = lineAt(text, begin);
    const isBlock = text.startsWith('/*', begin);
    const isAlone = /^\s*$/.test(text.slice(text.lastIndexOf('\n', begin - 1) + 1, begin));
    const lines = text
      .slice(begin, end)
      .split('\n')
      .map((each) => each.replace(/^\s*(\/\*\*?|\*(?!\/)|\/\/+)? ?/, '').replace(/\s*\*\/\s*$/, ''));
    const last = comments.at(-1);
    if (!isBlock && isAlone && last && !last.isBlock && last.isAlone && last.endLine === line - 1) {
      last.lines.push(...lines);
      last.endLine = line;
    } else comments.push({ line, endLine: line + lines.length - 1, isBlock, isAlone, lines });
  }
  return comments;
}

function rangesOfScript(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const found = new Map();
  const take = (ranges) => {
    for (const { pos, end } of ranges ?? []) found.set(pos, end);
  };
  const visit = (node) => {
    take(ts.getLeadingCommentRanges(text, node.pos));
    take(ts.getTrailingCommentRanges(text, node.end));
    ts.forEachChild(node, visit);
  };
  visit(source);
  take(ts.getLeadingCommentRanges(text, source.endOfFileToken.pos));
  return [...found].sort(([a], [b]) => a - b);
}

/** Returns the ranges of comments in WGSL. It has no strings, so every comment sign begins a comment. */
function rangesOfWgsl(text) {
  return [...text.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g)].map(({ 0: found, index }) => [
    index,
    index + found.length,
  ]);
}

/** Matches lines of drawings, tables and code. */
const DRAWING = /[─-▟►◄▲▼→←↑↓]|^\s{2,}\S|\S {3,}\S|^\s*\||^\s*`{3}/;

/**
 * Returns the paragraphs of a comment. Tags of TSDoc and list items begin new paragraphs.
 *
 * @param {Comment} comment
 * @returns {Paragraph[]}
 */
export function paragraphsOf({ line, lines }) {
  return gather(lines.map((text, index) => ({ line: line + index, text })));
}

/** Returns the paragraphs of a Markdown page. @param {string} text @returns {Paragraph[]} */
export function paragraphsOfPage(text) {
  let isCode = false;
  const lines = text.split('\n').map((each, index) => {
    const isFence = /^\s*```/.test(each);
    if (isFence) isCode = !isCode;
    const isLeftOut = isCode || isFence || /^\s*\|/.test(each);
    return { line: index + 1, text: isLeftOut ? '' : each.replace(/^\s+(?=\S)/, '') };
  });
  return gather(lines);
}

function gather(lines) {
  const paragraphs = [];
  let current = null;
  for (const { line, text } of lines) {
    const begun = text.replace(
      /^\s*(?:@(?:param|typeParam|property)\s+(?:\{.*?\}\s+)?\[?[\w.$]+\]?\s+|@\w+\s+(?:\{.*?\}\s*)?|[-*>]\s+|#+\s+|\d+\.\s+)/,
      '',
    );
    if (text.trim() === '' || DRAWING.test(text)) current = null;
    else if (current === null || begun !== text) {
      current = { line, text: begun.trim() };
      paragraphs.push(current);
    } else current.text += ` ${text.trim()}`;
  }
  return paragraphs;
}

/** Splits a paragraph into sentences. @param {string} paragraph @returns {string[]} */
export function sentencesOf(paragraph) {
  return paragraph.split(/(?<=[.!?][)"”`*]*)\s+(?=["“(`*_[]*[A-Z])/);
}

function lineAt(text, index) {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
