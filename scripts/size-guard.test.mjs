import { describe, expect, it } from 'vitest';
import { findGrowth } from './lib/size-guard.mjs';

const recorded = {
  files: { 'worker.js': 10_000, 'tasks.js': 300 },
  pages: { cube: { bytes: 20_000, packageFiles: ['worker.js'] } },
};
const withFile = (name, bytes) => ({ ...recorded, files: { ...recorded.files, [name]: bytes } });
const withPage = (page) => ({ ...recorded, pages: { cube: { ...recorded.pages.cube, ...page } } });

describe('the guard of sizes', () => {
  it('accepts sizes that are equal, smaller, or larger by 5 %', () => {
    expect(findGrowth(recorded, recorded)).toEqual([]);
    expect(findGrowth(recorded, withFile('worker.js', 5_000))).toEqual([]);
    expect(findGrowth(recorded, withFile('worker.js', 10_500))).toEqual([]);
    expect(findGrowth(recorded, withPage({ bytes: 21_000 }))).toEqual([]);
  });

  it('names sizes that have grown by more, and the growth', () => {
    expect(findGrowth(recorded, withFile('worker.js', 10_501))).toEqual([
      'worker.js: 10501 bytes, 5.0 % more than the recorded 10000.',
    ]);
    expect(findGrowth(recorded, withPage({ bytes: 30_000 }))).toEqual([
      'Page "cube": 30000 bytes, 50.0 % more than the recorded 20000.',
    ]);
  });

  it('allows a small file to grow by 100 bytes', () => {
    expect(findGrowth(recorded, withFile('tasks.js', 400))).toEqual([]);
    expect(findGrowth(recorded, withFile('tasks.js', 401))).toHaveLength(1);
  });

  it('names files and pages that exist only in the record or only in the build', () => {
    const others = { files: { 'worker.js': 10_000, 'new.js': 1 }, pages: {} };
    expect(findGrowth(recorded, others)).toEqual([
      'tasks.js is recorded, and missing.',
      'new.js is not recorded.',
      'Page "cube" is recorded, and missing.',
    ]);
  });

  it('names an additional file of the package that a page fetches, even a small one', () => {
    expect(findGrowth(recorded, withPage({ packageFiles: ['worker-tools.js', 'worker.js'] }))).toEqual([
      'Page "cube" now fetches worker-tools.js as well.',
    ]);
    expect(findGrowth(recorded, withPage({ packageFiles: [] }))).toEqual([]);
  });
});
