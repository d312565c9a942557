/** Keeps docs/guide/effects.md correct: its program runs here as printed. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/effects.md');

test('effects.js prints the output that the page shows', async ({ page, context, isolatedURL }) => {
  await guide.serve(context);
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  expect(guide.printsOf('effects.js')).toHaveLength(5);
  expect(await runProgram(page, 'effects.js')).toEqual(guide.printsOf('effects.js'));
});
