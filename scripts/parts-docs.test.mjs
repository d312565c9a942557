// What lists parts by name has all of them, and no others: the table in docs/architecture/threads.md, the option `workerUrl`.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const source = readFileSync('src/threads/control/thread-parts.ts', 'utf8');
const parts = [...source.matchAll(/typeof import\('\.\.\/parts\/(\w+)\.js'\)/g)].map(([, part]) => part);

it('docs/architecture/threads.md lists every part', () => {
  expect(parts.length).toBeGreaterThan(20);
  const page = readFileSync('docs/architecture/threads.md', 'utf8');
  const table = page.slice(page.indexOf('| part | loaded with |')).split('\n\n')[0].split('\n').slice(2);
  const listed = table.flatMap((row) => [...row.split('|')[1].matchAll(/`(\w+)`/g)].map(([, part]) => part));
  expect(listed.sort()).toEqual(parts.sort());
});

it('workerUrl takes the address of every part', () => {
  const checks = readFileSync('src/threads/main/option-checks.ts', 'utf8');
  const [, names = ''] = /const PARTS =\s*'([^']*)'/.exec(checks) ?? [];
  expect(
    names
      .split(' ')
      .filter((name) => name !== 'tasks')
      .sort(),
  ).toEqual(parts.sort());
});
