// Checks that the table of options in docs/guide/engine.md has the names, values and defaults of the sources. The last
// column is prose.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ENGINE_OPTIONS } from '../src/engine/options/engine-options.ts';

const page = readFileSync('docs/guide/engine.md', 'utf8');
const [, section] = /\n## Options\n([\s\S]*?)\n## /.exec(page);
const rows = [...section.matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \| (.+) \|$/gm)];
const listed = rows.map(([, name, values, byDefault]) => ({ name, values, byDefault }));

const power = (number) =>
  Math.log10(number) % 1 === 0 && Math.abs(Math.log10(number)) > 3
    ? `10${[...String(Math.log10(number))].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'['0123456789'.indexOf(digit)] ?? '⁻').join('')}`
    : String(number);

/** Returns the column `values`; undefined when prose describes the values. */
function valuesOf({ words, range, first, remedy }) {
  if (words) return words.map((word) => `\`'${word}'\``).join(', ');
  if (range) return `${range.map(power).join(' to ')}${first ? ', whole' : ''}`;
  return remedy === 'true or false' ? 'boolean' : undefined;
}

/** Returns the column `default`; undefined when prose describes the default. */
function defaultOf({ default: value }) {
  if (typeof value === 'string') return `\`'${value}'\``;
  if (typeof value === 'boolean') return `\`${value}\``;
  return typeof value === 'number' ? String(value) : undefined;
}

it('the guide lists every option of the engine, in order', () => {
  expect(listed.map(({ name }) => name)).toEqual(Object.keys(ENGINE_OPTIONS));
});

it.each(listed)('the guide has the values and default of $name', ({ name, values, byDefault }) => {
  const row = ENGINE_OPTIONS[name];
  expect(values).toBe(valuesOf(row) ?? values);
  expect(byDefault.replaceAll('`4`', '4')).toBe(defaultOf(row) ?? byDefault);
});
