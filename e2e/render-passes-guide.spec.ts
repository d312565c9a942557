/** docs/guide/render-passes.md can't rot: its blocks run here as printed. */
import { readFileSync } from 'node:fs';
import { expect, test } from './fixtures.js';

const guide = readFileSync('docs/guide/render-passes.md', 'utf8');

function blockOf(name: string): string {
  const [, code] = new RegExp(`\`\`\`js ${name}\n([^]*?)\n\`\`\``).exec(guide) ?? [];
  if (!code) throw new Error(`The guide has no block ${name}.`);
  return code;
}

test('X1: the demo’s outline is the guide’s', () => {
  expect(readFileSync('public/outline.js', 'utf8')).toBe(`${blockOf('outline.js')}\n`);
});

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`X1, X2: the guide's outline and particles are seen, ${isolation}`, async ({
    page,
    context,
    isolatedURL,
    plainURL,
  }) => {
    const origin = isolation === 'isolated' ? isolatedURL : plainURL;
    const printed: string[] = [];
    page.on('console', (message) => message.type() === 'log' && printed.push(message.text()));
    const headers = { 'Cross-Origin-Embedder-Policy': 'require-corp' };
    for (const name of ['outline.js', 'particles.js', 'main.js']) {
      const body = blockOf(name).replace("'fencepost'", "'/dist/index.js'");
      const seen = name === 'main.js' ? `${body}\nwindow.engine = engine;` : body;
      await context.route(`**/guide/${name}`, (route) =>
        route.fulfill({ contentType: 'text/javascript', body: seen, headers }),
      );
    }
    await page.goto(`${origin}/e2e/pages/blank.html`);
    await page.evaluate(() => {
      const base = document.createElement('base');
      base.href = '/guide/';
      document.head.append(base);
      document.body.innerHTML = '<div id="view" style="width: 128px; height: 128px"></div>';
      const script = document.createElement('script');
      script.type = 'module';
      script.src = 'main.js';
      document.body.append(script);
    });
    const [, expected] = /prints (.*)/.exec(blockOf('main.js')) ?? [];
    await expect.poll(() => printed, { timeout: 20_000 }).toContain(expected);
    const counts = await page.evaluate(async () => {
      const { engine } = window as unknown as { engine: import('fencepost').Engine };
      await engine.whenReady();
      const { data } = await engine.captureFrame();
      const counted = { black: 0, green: 0, red: 0 };
      for (let at = 0; at < data.length; at += 4) {
        const [red, green, blue] = data.subarray(at, at + 3) as unknown as [number, number, number];
        if (red < 30 && green < 30 && blue < 30) counted.black++;
        if (green > 200 && red < 160 && blue < 190) counted.green++;
        if (red > 100 && green < 60) counted.red++;
      }
      engine.dispose();
      return counted;
    });
    expect(counts.black).toBeGreaterThan(200);
    expect(counts.green).toBeGreaterThan(100);
    expect(counts.red).toBeGreaterThan(1000);
    expect(printed).toEqual([expected]);
  });
}
