/** Keeps docs/guide/fences.md correct: its programs run here as printed, in every mode. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/fences.md');

const RUNS = [
  ['game.js', 'single'],
  ['game.js', 'render'],
  ['game.js', 'render+rhi'],
  ['share.js', 'render'],
] as const;

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const [file, threading] of RUNS) {
    test(`F2, F4: ${file} prints the output that the page shows, ${threading}, ${isolation}`, async ({
      page,
      context,
      isolatedURL,
      plainURL,
    }) => {
      await guide.serve(context);
      const origin = isolation === 'isolated' ? isolatedURL : plainURL;
      await page.goto(`${origin}/e2e/pages/blank.html?threading=${encodeURIComponent(threading)}`);
      expect(guide.printsOf(file).length).toBeGreaterThan(0);
      expect(await runProgram(page, file)).toEqual(guide.printsOf(file));
    });
  }
}
