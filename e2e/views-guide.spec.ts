/** docs/guide/views.md can't rot: its program runs here as printed. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/views.md');

test('R11: split.js prints what the page says', async ({ page, context, isolatedURL }) => {
  await guide.serve(context);
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  expect(guide.printsOf('split.js')).toHaveLength(2);
  expect(await runProgram(page, 'split.js')).toEqual(guide.printsOf('split.js'));
});
