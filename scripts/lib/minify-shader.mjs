// Makes WGSL smaller: comments, indentation and empty lines go, spaces that separate nothing, digits that no f32
// has, and the names of parameters and local variables become letters. Everything else keeps its name, so files can still be joined and
// compiled pipelines still find entry points and overrides. Line breaks stay where the source has them, so that
// messages of the compiler can be followed.

/** @param {string} source WGSL @returns {string} */
export function minifyShader(source) {
  let result = '';
  let previous = '';
  for (const token of shortenLocals(tokenize(source).map(shortenNumber))) {
    if (token === '\n') {
      if (result !== '' && !result.endsWith('\n')) result += '\n';
    } else {
      if (!result.endsWith('\n') && mustStayApart(previous, token)) result += ' ';
      result += token;
    }
    previous = token;
  }
  return result.trimEnd();
}

/** The shortest way to write a decimal fraction that is the same as an f32, which is all a shader makes of it. */
function shortenNumber(token) {
  if (!/^\d+\.\d+$/.test(token)) return token;
  let digits = 1;
  while (Math.fround(Number(token).toPrecision(digits)) !== Math.fround(token)) digits++;
  const text = String(Number(Number(token).toPrecision(digits)));
  return /^\d+$/.test(text) ? `${text}.` : text.replace(/^0\./, '.');
}

const isWord = (token) => /^[\w.]/.test(token) && token !== '.';
const isOperator = (token) => /^[-+*/%=<>!&|^~]/.test(token);
/** Two words are two, and operators that stood apart would mean another one together (`a - -b`). */
const mustStayApart = (left, right) =>
  (isWord(left.at(-1) ?? '') && isWord(right)) || (isOperator(left) && isOperator(right));

/**
 * Attributes (with their arguments), words, numbers, operators, other signs and line breaks; no comments, no spaces.
 *
 * @param {string} source @returns {string[]}
 */
export function tokenize(source) {
  return (
    stripComments(source).match(
      /@\w+(?:\s*\([^)]*\))?|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\w*|[-+*/%=<>!&|^~]+|\n|\S/g,
    ) ?? []
  );
}

/** Renames what functions declare. A name that the module declares as well is left alone. */
function shortenLocals(tokens) {
  const all = new Set(tokens.filter((_, at) => tokens[at - 1] !== '.'));
  const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'].filter(
    (name) => !all.has(name),
  );
  const result = [...tokens];
  const functions = functionRanges(tokens);
  const moduleNames = new Set(
    tokens
      .map((_, at) => declaredName(tokens, at))
      .filter((_, at) => !functions.some(([begin, end]) => at >= begin && at < end)),
  );
  for (const [begin, end, body] of functions) {
    const names = new Map();
    for (let at = begin; at < end; at++) {
      const isParameter = at < body && tokens[at + 1] === ':';
      const name = isParameter ? tokens[at] : declaredName(tokens, at);
      if (name === undefined || moduleNames.has(name) || names.has(name)) continue;
      names.set(name, letters[names.size] ?? name);
    }
    for (let at = begin; at < end; at++) {
      if (tokens[at - 1] !== '.') result[at] = names.get(tokens[at]) ?? tokens[at];
    }
  }
  return result;
}

/** What a keyword at `at` declares, a `var`'s address space left out. */
function declaredName(tokens, at) {
  if (!/^(let|var|const|override|fn|struct|alias)$/.test(tokens[at])) return undefined;
  return tokens[at + 1] === '<' ? tokens[tokens.indexOf('>', at) + 1] : tokens[at + 1];
}

/** Of every function: where its parameters begin, where it ends, and where its body begins. */
function functionRanges(tokens) {
  const ranges = [];
  for (let at = tokens.indexOf('fn'); at >= 0; at = tokens.indexOf('fn', at)) {
    const begin = tokens.indexOf('(', at);
    const body = tokens.indexOf('{', at);
    let depth = 0;
    at = body;
    do {
      if (tokens[at] === '{') depth++;
      if (tokens[at] === '}') depth--;
      at++;
    } while (depth > 0 && at < tokens.length);
    ranges.push([begin, at, body]);
  }
  return ranges;
}

/** Removes `//` and (nesting, as WGSL has them) block comments. WGSL has no strings that could hide one. */
function stripComments(source) {
  let result = '';
  let depth = 0;
  for (let index = 0; index < source.length; index++) {
    const two = source.slice(index, index + 2);
    if (two === '/*') {
      depth++;
      index++;
    } else if (two === '*/' && depth > 0) {
      depth--;
      index++;
      if (depth === 0) result += ' ';
    } else if (depth === 0 && two === '//') {
      const end = source.indexOf('\n', index);
      if (end < 0) break;
      index = end - 1;
    } else if (depth === 0 || source[index] === '\n') {
      result += source[index];
    }
  }
  return result;
}
