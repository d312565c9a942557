// The table of docs/guide/gltf.md says of each extension what the loader does.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { INVISIBLE_EXTENSIONS, SUPPORTED_EXTENSIONS } from '../src/assets/gltf/gltf-features.ts';

const page = readFileSync('docs/guide/gltf.md', 'utf8');
const [, table] = /<!-- extensions: begin -->([\s\S]*)<!-- extensions: end -->/.exec(page);
const rows = [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, text]) => ({ name, text }));

it('the guide names each extension once, in order', () => {
  const names = rows.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)].sort());
  expect(names.length).toBeGreaterThan(25);
});

it('those that are shown are those that the loader carries out', () => {
  const shown = rows.filter(({ text }) => text.startsWith('shown')).map(({ name }) => name);
  expect(shown).toEqual([...SUPPORTED_EXTENSIONS].sort());
});

it('those that nobody sees, and those that are left out, are called so', () => {
  for (const { name, text } of rows) {
    if (INVISIBLE_EXTENSIONS.includes(name)) expect(text).toBe('not seen');
    else expect(text).toMatch(/^(shown|left out)/);
  }
});
