// Checks that the tables of docs/guide/rhi-reference.md match the sources: commands match the command table, and errors
// match the places that raise them. UPDATE_DOCS=1 writes them anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandTables } from './rhi-commands.mjs';
import { errorTable } from './rhi-errors.mjs';

const PAGE = 'docs/guide/rhi-reference.md';

it.each([
  ['commands', commandTables],
  ['errors', errorTable],
])('the guide lists all %s; UPDATE_DOCS=1 writes them anew', async (name, tables) => {
  const page = readFileSync(PAGE, 'utf8');
  const expected = await tables();
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before, rest] = page.split(begin);
  const [listed, after] = rest.split(end);
  if (process.env.UPDATE_DOCS === '1') {
    writeFileSync(PAGE, `${before}${begin}\n\n${expected}\n\n${end}${after}`);
    return;
  }
  expect(listed.trim()).toBe(expected);
});
