/**
 * The end of an engine at moments that don't suit, in surroundings that don't: nothing of the engine's own is reported
 * as a leak, a canvas that somebody else has taken is refused, and a strict policy leaves the timeline its style.
 */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const modes = ['single', 'render', 'render+rhi'] as const;

for (const threading of modes) {
  test(`dispose() at any moment after a device loss reports no leaks: ${threading}`, async ({
    page,
    plainURL,
    expectErrors,
  }) => {
    test.setTimeout(120_000);
    expectErrors(/device was lost/i);
    await openEnginePage(page, plainURL);
    const leaks = await page.evaluate(async (threading) => {
      const found: string[] = [];
      for (let milliseconds = 0; milliseconds <= 40; milliseconds += milliseconds < 10 ? 1 : 10) {
        const engine = await window.fencepost.createEngine(window.kit.view, { threading });
        window.kit.addScene(engine);
        await engine.step(0);
        const lost = engine.simulateDeviceLoss().catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        const report = await engine.dispose();
        await lost;
        found.push(...report.leaks.map(({ label }) => `${milliseconds} ms: ${label}`));
      }
      return found;
    }, threading);
    expect(leaks).toEqual([]);
  });

  test(`dispose() at any moment of a changeover reports no leaks: ${threading}`, async ({
    page,
    plainURL,
  }) => {
    test.setTimeout(120_000);
    await openEnginePage(page, plainURL);
    const leaks = await page.evaluate(
      async ([threading, modes]) => {
        const found: string[] = [];
        for (const next of modes.filter((mode) => mode !== threading)) {
          for (const milliseconds of [0, 5, 10, 20, 40, 80, 120, 160, 200, 300]) {
            const engine = await window.fencepost.createEngine(window.kit.view, { threading });
            window.kit.addScene(engine);
            await engine.step(0);
            const switched = engine.setThreading(next).catch(() => {});
            await new Promise((resolve) => setTimeout(resolve, milliseconds));
            const report = await engine.dispose();
            await switched;
            found.push(...report.leaks.map(({ label }) => `${next}, ${milliseconds} ms: ${label}`));
          }
        }
        return found;
      },
      [threading, modes] as const,
    );
    expect(leaks).toEqual([]);
  });
}

for (const threading of modes) {
  test(`a canvas whose control was handed over is refused with a typed error: ${threading}`, async ({
    page,
    plainURL,
  }) => {
    await openEnginePage(page, plainURL);
    const error = await page.evaluate((threading) => {
      const canvas = document.createElement('canvas');
      document.body.append(canvas);
      canvas.transferControlToOffscreen();
      return window.kit.refusal(() => window.fencepost.createEngine(canvas, { threading }));
    }, threading);
    expect(error).toMatchObject({ name: 'PlatformError', code: 'canvas-in-use' });
  });

  test(`dispose() takes the engine's own canvas away, and leaves the page's: ${threading}`, async ({
    page,
    plainURL,
  }) => {
    await openEnginePage(page, plainURL);
    const left = await page.evaluate(async (threading) => {
      const { createEngine } = window.fencepost;
      const canvas = document.createElement('canvas');
      document.body.append(canvas);
      const engines = [
        await createEngine(canvas, { threading }),
        await createEngine(window.kit.view, { threading }),
      ];
      for (const engine of engines) await engine.dispose();
      return [canvas.isConnected, window.kit.view.children.length];
    }, threading);
    expect(left).toEqual([true, 0]);
  });
}

test("the timeline keeps its style under the policy style-src 'self'", async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/inline style|Content Security Policy/i);
  await page.route('**/engine.html', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), 'content-security-policy': "style-src 'self'" };
    await route.fulfill({ response, headers });
  });
  await openEnginePage(page, plainURL);
  const style = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    const container = document.createElement('div');
    document.body.append(container);
    await engine.showTimeline({ container });
    const host = container.firstElementChild!;
    const { position } = getComputedStyle(host);
    const { backgroundColor } = getComputedStyle(host.shadowRoot!.querySelector('section')!);
    await engine.dispose();
    return { position, backgroundColor };
  });
  expect(style).toEqual({ position: 'fixed', backgroundColor: 'rgb(18, 19, 26)' });
});
