// Checks docs/systems.md: each test file that a row names has a test, or a group of tests, named with the row's id.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { rhiCommands } from '../src/rhi/commands/commands.ts';

/** Returns the files in code quotes of a cell. A file without a folder lies beside the previous file. */
function testFilesOf(cell) {
  const files = [];
  for (const [, quoted] of cell.matchAll(/`([^`]+\.(?:test|spec)\.[a-z]+)`/g)) {
    const [, before, names, after] = quoted.match(/^([^{]*)(?:\{([^}]*)\}(.*))?$/);
    for (const name of names === undefined ? [''] : names.split(',')) {
      const path = `${before}${name}${after ?? ''}`;
      files.push(path.includes('/') ? path : join(dirname(files.at(-1) ?? ''), path));
    }
  }
  return files;
}

const rows = readFileSync('docs/systems.md', 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, id]) => /^[A-Z]\d+$/.test(id ?? ''))
  .flatMap(([, id, , , shownBy]) => testFilesOf(shownBy).map((file) => ({ id, file })));

/** Returns the names of tests and groups: texts that are a call's first argument, on any line. */
const namesIn = (text) => [...text.matchAll(/\(\s*(['"`])([\s\S]*?)\1/g)].map(([, , name]) => name);

it('reads the table, with files and names in every form', () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(
    testFilesOf('`src/a/{b,c}.test.ts`, `d.test.ts` (lanes: `e2e/f.spec.ts`)').map((f) => basename(f)),
  ).toEqual(['b.test.ts', 'c.test.ts', 'd.test.ts', 'f.spec.ts']);
  expect(namesIn("test.each(['a'] as const)('R5 b', …); it(\n  `F1: c`, …); // (SYSTEMS R9)")).toEqual([
    'R5 b',
    'F1: c',
  ]);
});

it.each(rows)('$id is named by tests of $file', ({ id, file }) => {
  expect(existsSync(file)).toBe(true);
  const names = namesIn(readFileSync(file, 'utf8'));
  expect(names.some((name) => new RegExp(`(?<![\\w])${id}(?!\\w)`).test(name))).toBe(true);
});

/** Rows whose mechanisms the engine itself does not use (decisions 44 and 45), and T10, which is a measurement. */
const USED_BY_PAGES_ALONE = ['M2', 'F6', 'F8', 'T4', 'T10', 'T13', 'T15', 'T16'];

const places = readFileSync('docs/systems.md', 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, id]) => /^([HLMFTX]\d+|R13)$/.test(id ?? ''))
  .map(([, id, , where]) => ({ id, uses: where.split('of the engine: ')[1] ?? '' }));

it.each(places)('$id names the calls of the engine', ({ id, uses }) => {
  if (!USED_BY_PAGES_ALONE.includes(id)) expect(uses).not.toBe('');
  const files = [...uses.matchAll(/`([^`]+\.ts)`(?: \(([^)]+)\))?/g)];
  for (const [, file, symbols = ''] of files) {
    const code = readFileSync(file, 'utf8');
    for (const [, symbol] of symbols.matchAll(/`([^`]+)`/g)) expect(code, file).toContain(symbol);
  }
});

const commandRows = readFileSync('docs/systems.md', 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, commands, where, shownBy]) => commands?.startsWith('`') && where && shownBy);

/**
 * Returns the files in code quotes of a cell. Paths that do not begin with src/ or e2e/ are relative to
 * `folder`.
 */
const quotedFiles = (cell, folder) =>
  [...cell.matchAll(/`([^`]+\.ts)`/g)].map(([, file]) =>
    /^(src|e2e)\//.test(file) ? file : join(folder, file),
  );

it.each(Object.keys(rhiCommands.opcodes))('C %s has a row with its place and its test', (command) => {
  const [row, ...others] = commandRows.filter(([, commands]) => commands.includes(`\`${command}\``));
  expect(others).toEqual([]);
  const places = quotedFiles(row[2], 'src/rhi');
  const tests = quotedFiles(row[3], 'e2e/rhi');
  for (const file of [...places, ...tests]) expect(existsSync(file), file).toBe(true);
  expect(places).not.toEqual([]);
  expect(tests.some((file) => readFileSync(file, 'utf8').includes(command))).toBe(true);
});
