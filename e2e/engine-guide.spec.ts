/** docs/guide/engine.md can't rot: its programs run here as printed, and its tables name all there is. */
import { readFileSync } from 'node:fs';
import { expect, test } from './fixtures.js';

const guide = readFileSync('docs/guide/engine.md', 'utf8');
const blocks = new Map(
  [...guide.matchAll(/^```js (\S+)\n(.*?)^```$/gms)].map(([, file = '', code = '']) => [file, code]),
);
const programs = [...blocks.keys()].filter((file) => file !== 'open.js');

/** What a program says it prints, line by line. */
const printsOf = (file: string): string[] =>
  [...(blocks.get(file) ?? '').matchAll(/\/\/ prints (.*)$/gm)].map(([, text = '']) => text);

test('the page has these programs, and each says what it prints', () => {
  expect(programs).toEqual([
    'ready.js',
    'flush.js',
    'look.js',
    'capture.js',
    'stats.js',
    'replay.js',
    'recorder.js',
    'end.js',
  ]);
  for (const file of programs) expect(printsOf(file), file).not.toEqual([]);
});

for (const [heading, source, type, optional] of [
  ['## Options', 'src/threads/main/engine-options.ts', 'EngineOptions', '\\?'],
  ['## Figures', 'src/threads/control/frame-stats.ts', 'EngineStats', ''],
  ['## Events', 'src/threads/main/engine-events.ts', 'EngineEventDetails', ''],
] as const) {
  test(`the table of ${type} names all there are`, () => {
    const [, body = ''] =
      new RegExp(`interface ${type} {\n(.*?)\n}`, 's').exec(readFileSync(source, 'utf8')) ?? [];
    const members = [...body.matchAll(new RegExp(`^  (?:readonly )?(\\w+)${optional}:`, 'gm'))];
    const [section = ''] = guide.slice(guide.indexOf(heading) + heading.length).split('\n## ');
    const rows = [...section.matchAll(/^\| `(\w+)` \|/gm)];
    const names = (matches: RegExpMatchArray[]) => matches.map(([, name]) => name).sort();
    expect(names(rows)).toEqual(names(members));
    expect(rows.length).toBeGreaterThan(5);
  });
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const file of programs) {
    test(`${file} prints what the page says, ${isolation}`, async ({
      page,
      context,
      isolatedURL,
      plainURL,
    }) => {
      await context.route('**/guide/*.js', (route) => {
        const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
        const body = (blocks.get(name) ?? '')
          .replace("'fencepost'", "'/dist/index.js'")
          .replace("'fencepost/rhi'", "'/dist/rhi.js'");
        const headers = { 'Cross-Origin-Embedder-Policy': 'require-corp' };
        return route.fulfill({ contentType: 'text/javascript', body, headers });
      });
      await page.goto(`${isolation === 'isolated' ? isolatedURL : plainURL}/e2e/pages/blank.html`);
      const printed = await page.evaluate(async (url) => {
        const lines: string[] = [];
        console.log = (...values: unknown[]) => lines.push(values.map(String).join(' '));
        document.body.innerHTML = '<div id="view" style="width: 64px; height: 64px"></div>';
        await import(url);
        return lines;
      }, `/guide/${file}`);
      expect(printed).toEqual(printsOf(file));
    });
  }
}
