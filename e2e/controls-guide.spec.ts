/** Keeps docs/guide/controls.md correct: its program runs here as printed. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/controls.md');

test('flight.js prints the output that the page shows', async ({ page, context, isolatedURL }) => {
  await guide.serve(context);
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  expect(guide.printsOf('flight.js')).toHaveLength(4);
  expect(await runProgram(page, 'flight.js')).toEqual(guide.printsOf('flight.js'));
});
