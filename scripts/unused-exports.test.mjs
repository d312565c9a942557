import { expect, it } from 'vitest';
import { projectRoot } from './lib/install.mjs';
import { findUnusedExports, readSources } from './lib/unused-exports.mjs';

/** Returns whether a file's exports need no importer. These are the package's entries and helpers of tests. */
const isExempt = (path) =>
  /^src\/([^/]+|(element|react|testing)\/index)\.ts$|\.test\.ts$|test-support|\/testing\/|\.d\.ts$/.test(
    path,
  );

/** Exports that only the package's declarations name. */
const OF_DECLARATIONS = ['src/rhi/commands/command-info.ts: RangeWords'];

it('src/ has no export that no other file imports', () => {
  expect(findUnusedExports(readSources(projectRoot), isExempt)).toEqual(OF_DECLARATIONS);
});

it('reports exports that only their own file uses, and accepts every form of import', () => {
  const text = [
    'export const first = 1;',
    'export interface Second {}',
    'export abstract class Third {}',
    'export async function fourth() {}',
    'const fifth = 5;',
    'export { fifth as sixth };',
  ].join('\n');
  const findings = (user, at = 'src/b/b.ts') =>
    findUnusedExports(
      new Map([
        ['src/a.ts', text],
        [at, user],
      ]),
      () => false,
    );
  const all = ['Second', 'Third', 'first', 'fourth', 'sixth'].map((name) => `src/a.ts: ${name}`);
  expect(findings('const first = 1;')).toEqual(all);
  expect(findings("import { first, type Second as S } from '../a.js';")).toEqual([all[1], all[3], all[4]]);
  expect(findings("export type { Third } from './a.js';", 'src/b.ts')).toHaveLength(4);
  expect(findings("let a: import('../src/a.js').Second;", 'bench/b.mjs')).toHaveLength(4);
  for (const whole of ["export * from '../a.js';", "const a = await import('../a.js');"])
    expect(findings(whole)).toEqual([]);
});
