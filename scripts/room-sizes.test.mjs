import { expect, it } from 'vitest';
import { findOversizes } from './lib/room-sizes.mjs';

const file = (path, lines = 1) => ({ path, text: 'x\n'.repeat(lines) });
const folder = (count) => Array.from({ length: count }, (_, index) => file(`src/a/f${index}.ts`));

it('allows 25 files per folder and 400 lines per file, and ignores tests', () => {
  expect(findOversizes([...folder(25), file('src/b/c.ts', 400)], {})).toEqual([]);
  expect(findOversizes(folder(26), {})).toEqual([
    'src/a: has 26 files (at most 25); move some into subfolders.',
  ]);
  expect(findOversizes([file('src/b/c.ts', 401)], {})).toEqual([
    'src/b/c.ts: has 401 lines (at most 400); split it by topics.',
  ]);
  expect(findOversizes([...folder(25), file('src/a/f.test.ts', 500)], {})).toEqual([]);
});

it('allows listed long files, and reports listed files that are no longer long', () => {
  const allowed = { 'src/b/c.ts': 'a table' };
  expect(findOversizes([file('src/b/c.ts', 401)], allowed)).toEqual([]);
  expect(findOversizes([file('src/b/c.ts', 400)], allowed)).toEqual([
    'scripts/lib/room-sizes.mjs: src/b/c.ts is not long any more. Remove it.',
  ]);
});
