/** docs/guide/render-modules.md can't rot: its two blocks run here as printed. */
import { readFileSync } from 'node:fs';
import { expect, test } from './fixtures.js';

const page = readFileSync('docs/guide/render-modules.md', 'utf8');

function blockOf(name: string): string {
  const [, code] = new RegExp(`\`\`\`js ${name}\n([^]*?)\n\`\`\``).exec(page) ?? [];
  if (!code) throw new Error(`The guide has no block ${name}.`);
  return code;
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`R2, R8: the guide's module pulses, ${isolation}`, async ({
    page,
    context,
    isolatedURL,
    plainURL,
  }) => {
    const origin = isolation === 'isolated' ? isolatedURL : plainURL;
    const printed: string[] = [];
    page.on('console', (message) => message.type() === 'log' && printed.push(message.text()));
    const headers = { 'Cross-Origin-Embedder-Policy': 'require-corp' };
    await context.route('**/guide/pulse.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: blockOf('pulse.js'), headers }),
    );
    await context.route('**/guide/main.js', (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `${blockOf('main.js').replace("'fencepost'", "'/dist/index.js'")}\nwindow.engine = engine;`,
      }),
    );
    await page.goto(`${origin}/e2e/pages/blank.html`);
    await page.evaluate(() => {
      const base = document.createElement('base');
      base.href = '/guide/';
      document.head.append(base);
      document.body.innerHTML = '<div id="view" style="width: 64px; height: 64px"></div>';
      const script = document.createElement('script');
      script.type = 'module';
      script.src = 'main.js';
      document.body.append(script);
    });
    const [, expected] = /prints (.*)/.exec(blockOf('main.js')) ?? [];
    await expect.poll(() => printed, { timeout: 20_000 }).toContain(expected);
    // Two pictures are different sooner or later: it pulses.
    const reds = new Set<number>();
    await expect
      .poll(
        async () => {
          reds.add(
            await page.evaluate(async () => {
              const { engine } = window as unknown as { engine: import('fencepost').Engine };
              const { data, width, height } = await engine.captureFrame();
              return data[((height >> 1) * width + (width >> 1)) * 4] as number;
            }),
          );
          return reds.size;
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(1);
    await page.evaluate(() => (window as unknown as { engine: import('fencepost').Engine }).engine.dispose());
  });
}
