// Checks the table of mutants without a browser: each mutant fits its file, and names a row and tests that exist.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandLists, testName } from '../e2e/rhi/lists/index.js';
import { mutants } from './mutants/all.mjs';
import { chooseMutants } from './mutants/choose.mjs';
import { mutate, mutatedFile, testPattern } from './mutants/mutant.mjs';
import { hasRow, nameMutants } from './mutants/table.mjs';

const sample = { id: 'm', row: 'R1', file: 'f.ts', code: 'a();', mutated: '', spec: 'e2e/x.spec.ts' };

it('replaces code that occurs once, and refuses code that occurs more or less often', () => {
  expect(mutate(sample, 'a();b();')).toBe('b();');
  expect(() => mutate(sample, 'b();')).toThrow('its code occurs 0 times in f.ts, not once');
  expect(() => mutate(sample, 'a();a();')).toThrow('its code occurs 2 times in f.ts, not once');
});

it('matches tests that name the row, but no test whose id only begins like the row', () => {
  const pattern = new RegExp(testPattern(sample));
  expect(pattern.test('R1: a scene')).toBe(true);
  expect(pattern.test('R11: a renderer')).toBe(false);
});

it('chooses by row and id, and the same sample for the same seed', () => {
  const many = Array.from({ length: 20 }, (_, i) => ({ ...sample, id: `m${i}`, row: i < 5 ? 'R1' : 'R2' }));
  expect(chooseMutants(many, { row: 'R1' })).toHaveLength(5);
  expect(chooseMutants(many, { id: 'm7' })).toEqual([many[7]]);
  expect(chooseMutants(many, { id: 'm7,m9', row: 'R1,R2' })).toEqual([many[7], many[9]]);
  const chosen = chooseMutants(many, { sample: 4, seed: 3 });
  expect(new Set(chosen).size).toBe(4);
  expect(chooseMutants(many, { sample: 4, seed: 3 })).toEqual(chosen);
  expect(chooseMutants(many, { sample: 4, seed: 4 })).not.toEqual(chosen);
});

it('has unique ids', () => {
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
});

const page = 'docs/systems.md';
const systems = readFileSync(page, 'utf8');

it('names the mutants of a row in its last column', () => {
  const table = '| id | x | fails without |\n| --- | --- | --- |\n| R1 | y | z |\n| R2 | y | `m` |';
  expect(nameMutants(table, [sample])).toBe(
    table.replace('| z |', '| `m` |').replace('R2 | y | `m`', 'R2 | y | *not shown*'),
  );
  const bare = '| commands | x |\n| --- | --- |\n| `draw`, `drawIndexed` | y |';
  expect(nameMutants(bare, [{ ...sample, row: 'C draw' }])).toBe(
    '| commands | x | fails without |\n| --- | --- | --- |\n| `draw`, `drawIndexed` | y | `m` |',
  );
});

it('the table of systems names every mutant; UPDATE_DOCS=1 writes the column anew', () => {
  const expected = nameMutants(systems, mutants);
  if (process.env.UPDATE_DOCS === '1') writeFileSync(page, expected);
  else expect(systems).toBe(expected);
});

/** Returns a text with the titles of a file's tests. Titles of tests of command lists come from the lists. */
function titlesOf(spec) {
  const text = readFileSync(spec, 'utf8');
  return text.includes('commandLists') ? [text, ...commandLists.map(testName)].join('\n') : text;
}

it.each(mutants)('$row $id has a row, fits its file and names existing tests', (mutant) => {
  expect(hasRow(systems, mutant.row)).toBe(true);
  expect(mutatedFile(mutant, '.')).not.toBe(readFileSync(mutant.file, 'utf8'));
  expect(existsSync(mutant.spec)).toBe(true);
  const pattern = new RegExp(testPattern(mutant));
  expect(pattern.test(titlesOf(mutant.spec)), `${mutant.spec} has no test ${pattern}`).toBe(true);
});
