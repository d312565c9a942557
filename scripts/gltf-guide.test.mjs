// Checks that the table in docs/guide/gltf.md describes the loader's support of each extension.
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

it('the extensions marked as shown are exactly the extensions that the loader implements', () => {
  const shown = rows.filter(({ text }) => text.startsWith('shown')).map(({ name }) => name);
  expect(shown).toEqual([...SUPPORTED_EXTENSIONS].sort());
});

it('extensions with invisible metadata are marked as not seen, all others as shown or left out', () => {
  for (const { name, text } of rows) {
    if (INVISIBLE_EXTENSIONS.includes(name)) expect(text).toBe('not seen');
    else expect(text).toMatch(/^(shown|left out)/);
  }
});
