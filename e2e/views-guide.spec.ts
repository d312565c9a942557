/** Keeps docs/guide/views.md correct: its program runs here as printed. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/views.md');

for (const [program, prints] of [
  ['split.js', 2],
  ['layers.js', 3],
  ['looks.js', 3],
  ['canvases.js', 1],
  ['worlds.js', 3],
] as const) {
  test(`R11: ${program} prints the output that the page shows`, async ({ page, context, isolatedURL }) => {
    await guide.serve(context);
    await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
    expect(guide.printsOf(program)).toHaveLength(prints);
    expect(await runProgram(page, program)).toEqual(guide.printsOf(program));
  });
}
