/** Keeps docs/guide/engine.md correct: its programs run here as printed, and its tables are complete. */
import { readFileSync } from 'node:fs';
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';

const path = 'docs/guide/engine.md';
const text = readFileSync(path, 'utf8');
const guide = readGuide(path);
const programs = [...guide.files.keys()].filter((file) => !['cube.js', 'open.js'].includes(file));

test('the page has these programs, and each shows its output', () => {
  expect(programs).toEqual([
    'changed.js',
    'ready.js',
    'flush.js',
    'look.js',
    'resolution.js',
    'settings.js',
    'capture.js',
    'poster.js',
    'stats.js',
    'replay.js',
    'recorder.js',
    'end.js',
  ]);
  for (const file of programs) expect(guide.printsOf(file), file).not.toEqual([]);
});

for (const [heading, source, type, opening] of [
  ['## Options', 'src/engine/options/engine-options.ts', 'EngineOptions', 'const ENGINE_OPTIONS = {'],
  ['## Figures', 'src/threads/control/frame-stats.ts', 'EngineStats', 'interface EngineStats {'],
  ['## Events', 'src/engine/events/engine-events.ts', 'EngineEventDetails', 'interface EngineEventDetails {'],
] as const) {
  test(`the table of ${type} is complete`, () => {
    const [, body = ''] = new RegExp(`${opening}\n(.*?)\n}`, 's').exec(readFileSync(source, 'utf8')) ?? [];
    const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+):/gm)];
    const [section = ''] = text.slice(text.indexOf(heading) + heading.length).split('\n## ');
    const rows = [...section.matchAll(/^\| `(\w+)` \|/gm)];
    const names = (matches: RegExpMatchArray[]) => matches.map(([, name]) => name).sort();
    expect(names(rows)).toEqual(names(members));
    expect(rows.length).toBeGreaterThan(5);
  });
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const file of programs) {
    test(`${file} prints the output that the page shows, ${isolation}`, async ({
      page,
      context,
      isolatedURL,
      plainURL,
    }) => {
      await guide.serve(context);
      await page.goto(`${isolation === 'isolated' ? isolatedURL : plainURL}/e2e/pages/blank.html`);
      expect(await runProgram(page, file)).toEqual(guide.printsOf(file));
    });
  }
}
