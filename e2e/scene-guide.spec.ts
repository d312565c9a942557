/** Keeps docs/guide/scene.md correct: its programs run here as printed. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/scene.md');

for (const file of guide.files.keys()) {
  test(`${file} prints the output that the page shows`, async ({ page, context, isolatedURL }) => {
    await guide.serve(context);
    await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
    expect(guide.printsOf(file).length).toBeGreaterThan(0);
    expect(await runProgram(page, file)).toEqual(guide.printsOf(file));
  });
}
