// Checks the table of mutants without a browser: each one still fits its file, and names a row and tests that exist.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutants } from './mutants/all.mjs';
import { chooseMutants } from './mutants/choose.mjs';
import { mutate, mutatedFile, testPattern } from './mutants/mutant.mjs';

const sample = { id: 'm', row: 'R1', file: 'f.ts', code: 'a();', mutated: '', spec: 'e2e/x.spec.ts' };

it('replaces code that occurs once, and refuses any other', () => {
  expect(mutate(sample, 'a();b();')).toBe('b();');
  expect(() => mutate(sample, 'b();')).toThrow('its code occurs 0 times in f.ts, not once');
  expect(() => mutate(sample, 'a();a();')).toThrow('its code occurs 2 times in f.ts, not once');
});

it('matches tests that name the row, and no longer id', () => {
  const pattern = new RegExp(testPattern(sample));
  expect(pattern.test('R1: a scene')).toBe(true);
  expect(pattern.test('R11: a renderer')).toBe(false);
});

it('chooses by row and id, and the same sample for the same seed', () => {
  const many = Array.from({ length: 20 }, (_, i) => ({ ...sample, id: `m${i}`, row: i < 5 ? 'R1' : 'R2' }));
  expect(chooseMutants(many, { row: 'R1' })).toHaveLength(5);
  expect(chooseMutants(many, { id: 'm7' })).toEqual([many[7]]);
  const chosen = chooseMutants(many, { sample: 4, seed: 3 });
  expect(new Set(chosen).size).toBe(4);
  expect(chooseMutants(many, { sample: 4, seed: 3 })).toEqual(chosen);
  expect(chooseMutants(many, { sample: 4, seed: 4 })).not.toEqual(chosen);
});

it('has unique ids', () => {
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
});

/** Lines of the table of systems, by the row's id. */
const rows = new Map(
  readFileSync('docs/systems.md', 'utf8')
    .split('\n')
    .map((line) => [line.split('|')[1]?.trim() ?? '', line]),
);

it.each(mutants)('$row $id is named in its row, fits its file and names existing tests', (mutant) => {
  expect(rows.get(mutant.row)).toContain(`\`${mutant.id}\``);
  expect(mutatedFile(mutant, '.')).not.toBe(readFileSync(mutant.file, 'utf8'));
  expect(existsSync(mutant.spec)).toBe(true);
  const pattern = new RegExp(testPattern(mutant));
  expect(pattern.test(readFileSync(mutant.spec, 'utf8')), `${mutant.spec} has no test ${pattern}`).toBe(true);
});
