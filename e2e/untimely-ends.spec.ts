/**
 * The end of an engine at bad moments, and hostile surroundings. The engine reports none of its own objects as leaks,
 * refuses a canvas whose control was transferred, and keeps the timeline's style under a strict policy.
 */

import type { Page } from '@playwright/test';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const modes = ['single', 'render', 'render+rhi'] as const;

/**
 * Moments during a device loss or a change of threads. `devicelost` and `threadcreated` are events of the engine. Each
 * moment comes at the latest when the change is over.
 */
const MOMENTS = [
  'at once',
  'one turn later',
  'eight turns later',
  'devicelost',
  'threadcreated',
  'nobody draws',
  'a thread draws again',
  'the first frame after',
  'it is over',
] as const;

/**
 * For each of `MOMENTS`: creates an engine, begins the change, and disposes of the engine at that moment. Returns the
 * labels of all reported leaks, each after the name of its moment.
 */
async function endAt(
  page: Page,
  change: { threading: (typeof modes)[number]; to: (typeof modes)[number] | 'another device' },
): Promise<string[]> {
  await page.evaluate(() => {
    const channel = new MessageChannel();
    /** Resolves after a turn of the event loop, when earlier messages have arrived. */
    const turn = (): Promise<unknown> =>
      new Promise((resolve) => {
        channel.port1.onmessage = resolve;
        channel.port2.postMessage(null);
      });
    Object.assign(window, { turn });
  });
  return page.evaluate(
    async ({ threading, to, MOMENTS }) => {
      const { turn } = window as never as { turn: () => Promise<unknown> };
      const found: string[] = [];
      for (const moment of MOMENTS) {
        const engine = await window.fencepost.createEngine(window.kit.view, { threading });
        window.kit.addScene(engine);
        await engine.step(0);
        const { frame } = engine.stats();
        let isOver = false;
        const seen = new Set<string>();
        for (const name of ['devicelost', 'threadcreated'] as const)
          engine.addEventListener(name, () => seen.add(name));
        const changed = (to === 'another device' ? engine.simulateDeviceLoss() : engine.setThreading(to))
          .catch(() => {})
          .then(() => {
            isOver = to !== 'another device';
          });
        engine.addEventListener('devicerestored', () => {
          isOver = true;
        });
        const until = async (isThere: () => boolean): Promise<void> => {
          while (!isThere() && !isOver) await turn();
        };
        const turns = { 'one turn later': 1, 'eight turns later': 8 }[moment as string] ?? 0;
        for (let count = 0; count < turns; count++) await turn();
        if (moment === 'devicelost' || moment === 'threadcreated') await until(() => seen.has(moment));
        if (moment === 'nobody draws' || moment === 'a thread draws again')
          await until(() => engine.drawingThread === null);
        if (moment === 'a thread draws again') await until(() => engine.drawingThread !== null);
        if (moment === 'the first frame after') await until(() => engine.stats().frame > frame);
        if (moment === 'it is over') await until(() => false);
        const report = await engine.dispose();
        await changed;
        found.push(...report.leaks.map(({ label }) => `${moment}: ${label}`));
      }
      return found;
    },
    { ...change, MOMENTS },
  );
}

for (const threading of modes) {
  test(`dispose() at any moment after a device loss reports no leaks: ${threading}`, async ({
    page,
    plainURL,
    expectErrors,
  }) => {
    test.setTimeout(timeLimit(120_000));
    expectErrors(/device was lost/i);
    await openEnginePage(page, plainURL);
    expect(await endAt(page, { threading, to: 'another device' })).toEqual([]);
  });

  test(`dispose() at any moment of a change of threads reports no leaks: ${threading}`, async ({
    page,
    plainURL,
  }) => {
    test.setTimeout(timeLimit(120_000));
    await openEnginePage(page, plainURL);
    for (const to of modes.filter((mode) => mode !== threading)) {
      expect(await endAt(page, { threading, to })).toEqual([]);
    }
  });
}

for (const threading of modes) {
  test(`a canvas whose control was transferred is refused with a typed error: ${threading}`, async ({
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

  test(`dispose() removes the engine’s own canvas, and keeps the page’s: ${threading}`, async ({
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
