/** Keeps docs/guide/light.md correct: its programs that print something run here. */
import { expect, test } from './fixtures.js';
import { readGuide, showProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/light.md');

for (const [file, lines] of [
  ['catcher.js', 2],
  ['sky.js', 1],
] as const) {
  test(`${file} prints the output that the page shows`, async ({ page, context, isolatedURL: origin }) => {
    expect(guide.printsOf(file)).toHaveLength(lines);
    await showProgram(guide, { page, context, origin, file });
  });
}
