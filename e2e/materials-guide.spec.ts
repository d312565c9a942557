/** Keeps docs/guide/materials.md correct: its programs run here as printed. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram, showProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/materials.md');

test('crossing.js prints the output that the page shows', async ({ page, context, isolatedURL }) => {
  await guide.serve(context);
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  expect(guide.printsOf('crossing.js')).toHaveLength(1);
  expect(await runProgram(page, 'crossing.js')).toEqual(guide.printsOf('crossing.js'));
});

test('decals.js prints the output that the page shows', async ({ page, context, isolatedURL: origin }) => {
  expect(guide.printsOf('decals.js')).toHaveLength(2);
  await showProgram(guide, { page, context, origin, file: 'decals.js' });
});
