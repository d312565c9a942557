/** Keeps docs/guide/debug-views.md correct: its program runs here as printed. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/debug-views.md');

test('numbers.js prints the output that the page shows', async ({ page, context, isolatedURL }) => {
  await guide.serve(context);
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  expect(guide.printsOf('numbers.js')).toHaveLength(3);
  expect(await runProgram(page, 'numbers.js')).toEqual(guide.printsOf('numbers.js'));
});
