// The table of parts in docs/architecture/threads.md has all of them, and no others.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('docs/architecture/threads.md lists every part', () => {
  const source = readFileSync('src/threads/control/thread-parts.ts', 'utf8');
  const parts = [...source.matchAll(/typeof import\('\.\.\/parts\/(\w+)\.js'\)/g)].map(([, part]) => part);
  expect(parts.length).toBeGreaterThan(20);
  const page = readFileSync('docs/architecture/threads.md', 'utf8');
  const table = page.slice(page.indexOf('| part | loaded with |')).split('\n\n')[0].split('\n').slice(2);
  const listed = table.flatMap((row) => [...row.split('|')[1].matchAll(/`(\w+)`/g)].map(([, part]) => part));
  expect(listed.sort()).toEqual(parts.sort());
});
