// Every public name is in a guide: docs/guide/names.md lists the exports of the package, and the guides name every
// function. UPDATE_DOCS=1 writes the list anew.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { namesTable, publicNames } from './lib/public-names.mjs';

const PAGE = 'docs/guide/names.md';
const [BEGIN, END] = ['<!-- names: begin -->', '<!-- names: end -->'];

it('the guide lists every public name; UPDATE_DOCS=1 writes the list anew', () => {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const [listed, after] = rest.split(END);
  const table = namesTable();
  if (process.env.UPDATE_DOCS === '1') {
    writeFileSync(PAGE, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`);
    return;
  }
  expect(listed.trim()).toBe(table);
  expect(publicNames().length).toBeGreaterThan(150);
});

it('a guide other than the list explains every function', () => {
  const guides = readdirSync('docs/guide')
    .filter((file) => file.endsWith('.md') && file !== 'names.md')
    .map((file) => readFileSync(`docs/guide/${file}`, 'utf8'))
    .join('\n');
  const functions = publicNames()
    .map(({ name }) => name)
    .filter((name) => /^[a-z]/.test(name));
  expect(functions.length).toBeGreaterThan(15);
  expect(functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(guides))).toEqual([]);
});
