/** docs/guide/tasks.md can't rot: its programs run here as printed. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/tasks.md');

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`calls.js prints what the page says, ${isolation}`, async ({
    page,
    context,
    isolatedURL,
    plainURL,
  }) => {
    await guide.serve(context);
    await page.goto(`${isolation === 'isolated' ? isolatedURL : plainURL}/e2e/pages/blank.html`);
    expect(guide.printsOf('calls.js').length).toBeGreaterThan(0);
    expect(await runProgram(page, 'calls.js')).toEqual(guide.printsOf('calls.js'));
  });
}
