/** Keeps docs/guide/tasks.md correct: its programs run here as printed. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/tasks.md');

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const program of ['first.js', 'calls.js', 'order.js', 'threads.js', 'engine.js'])
    test(`${program} prints the output that the page shows, ${isolation}`, async ({
      page,
      context,
      isolatedURL,
      plainURL,
    }) => {
      await guide.serve(context);
      await page.goto(`${isolation === 'isolated' ? isolatedURL : plainURL}/e2e/pages/blank.html`);
      expect(guide.printsOf(program).length).toBeGreaterThan(0);
      expect(await runProgram(page, program)).toEqual(guide.printsOf(program));
    });
}
