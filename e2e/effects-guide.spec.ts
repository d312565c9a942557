/** Keeps docs/guide/effects.md correct: its programs run here as printed. */
import { expect, test } from './fixtures.js';
import { readGuide, runProgram, showProgram } from './guide-programs.js';

const guide = readGuide('docs/guide/effects.md');

test('wall.js prints the output that the page shows', async ({ page, context, isolatedURL }) => {
  await guide.serve(context);
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  expect(guide.printsOf('wall.js')).toHaveLength(3);
  expect(await runProgram(page, 'wall.js')).toEqual(guide.printsOf('wall.js'));
});

test('effects.js prints the output that the page shows', async ({ page, context, isolatedURL }) => {
  await guide.serve(context);
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  expect(guide.printsOf('effects.js')).toHaveLength(5);
  expect(await runProgram(page, 'effects.js')).toEqual(guide.printsOf('effects.js'));
});

for (const [file, lines] of [
  ['reflections.js', 3],
  ['fog.js', 3],
  ['depth-of-field.js', 2],
  ['bloom.js', 2],
  ['exposure.js', 3],
  ['outline.js', 2],
  ['edges.js', 2],
  ['grading.js', 3],
  ['aberration.js', 2],
  ['grain.js', 2],
] as const) {
  test(`${file} prints the output that the page shows`, async ({ page, context, isolatedURL: origin }) => {
    expect(guide.printsOf(file)).toHaveLength(lines);
    await showProgram(guide, { page, context, origin, file });
  });
}
