// Finds WGSL whose result depends on an adapter's rounding. The software adapter of the tests divides exactly, and
// other adapters don't. So a valid number in the tests may be NaN on another adapter.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const folder = new URL('../shaders/', import.meta.url);

/** Functions with a limited domain: −1 to 1 for acos and asin, numbers from 0 on for all others. */
const CALL = /\b(acos|asin|sqrt|inverseSqrt|pow|log|log2)\(/g;

/**
 * Returns the first arguments of calls matched by `CALL` that are unguarded differences. Rounding may put a
 * difference on the wrong side of 0.
 *
 * @param {string} wgsl
 */
function unguardedDifferences(wgsl) {
  const code = wgsl.replaceAll(/\/\/.*/g, '');
  const found = [];
  for (const call of code.matchAll(CALL)) {
    const argument = firstArgument(code.slice(call.index + call[0].length));
    if (/ - /.test(withoutParentheses(argument))) found.push(`${call[0]}${argument})`);
  }
  return found;
}

/** Returns the first argument of a call. @param {string} text text after the opening parenthesis */
function firstArgument(text) {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (depth === 0 && (text[at] === ',' || text[at] === ')')) return text.slice(0, at);
    if (text[at] === '(') depth++;
    if (text[at] === ')') depth--;
  }
  return text;
}

/** Returns the text without parenthesised parts. @param {string} text */
function withoutParentheses(text) {
  const inner = /\([^()]*\)/;
  let rest = text;
  while (inner.test(rest)) rest = rest.replace(inner, '');
  return rest;
}

describe('shaders', () => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.wgsl'),
  );

  test.each(names)('%s has no root, power or logarithm of an unguarded difference', (name) => {
    expect(unguardedDifferences(readFileSync(new URL(name, folder), 'utf8'))).toEqual([]);
  });

  test('unguarded differences are found, and differences clamped above 0 are not', () => {
    expect(unguardedDifferences('let sine = sqrt(1.0 - cosine * cosine);')).toEqual([
      'sqrt(1.0 - cosine * cosine)',
    ]);
    expect(unguardedDifferences('let sine = sqrt(max(1.0 - cosine * cosine, 0.0));')).toEqual([]);
    expect(unguardedDifferences('pow(1.0 - dot(a, b), 5.0) // sqrt(1.0 - x)')).toEqual([
      'pow(1.0 - dot(a, b))',
    ]);
    expect(unguardedDifferences('sqrt((1.0 - x) / (1.0 + x))')).toEqual([]);
  });
});
