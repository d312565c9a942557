/**
 * The demo as a visitor uses it: all pages, every threading mode, the visitor's own file, a blocked main
 * thread.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Engine, EngineStats } from 'fencepost';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { writeTestAssets } from '../scripts/make-test-assets.mjs';
import { extendedGltf } from './extended-gltf.js';
import { expect, test } from './fixtures.js';

async function openDemo(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForSelector('html[data-ready="true"]', { state: 'attached', timeout: timeLimit(45_000) });
}

/**
 * Reduces the drawn pixels, to a tenth in each direction by default, because a software adapter needs seconds
 * for a full picture. The layout is still that of a screen with a pixel ratio of 1.
 */
async function drawCoarsely(page: Page, ratio = 0.1): Promise<void> {
  await page.addInitScript((ratio) => {
    Object.defineProperty(window, 'devicePixelRatio', { get: () => ratio });
  }, ratio);
}

/** Returns the statistics of the demo's engine. */
function statsOf(page: Page): Promise<EngineStats> {
  return page.evaluate(() => (window as unknown as { engine: Engine }).engine.stats());
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`the swarm runs in every threading mode, ${isolation}`, async ({ page, isolatedURL, plainURL }) => {
    test.setTimeout(timeLimit(120_000));
    const origin = isolation === 'isolated' ? isolatedURL : plainURL;
    await drawCoarsely(page);
    for (const threading of ['single', 'render', 'render+rhi']) {
      const query = `?count=1000&threading=${encodeURIComponent(threading)}`;
      await openDemo(page, `${origin}/demo/swarm.html${query}`);
      await expect
        .poll(async () => (await statsOf(page)).presentedFrames, { timeout: timeLimit(20_000) })
        .toBeGreaterThan(0);
      const stats = await statsOf(page);
      expect(stats.primitives).toBeGreaterThanOrEqual(1000);
      expect(stats.drawCalls).toBeLessThan(20);
    }
  });
}

test('helpers cull the crowd, and the switch sets their number', async ({ page, isolatedURL }) => {
  test.setTimeout(timeLimit(120_000));
  await drawCoarsely(page);
  await openDemo(page, `${isolatedURL}/demo/crowd.html?count=60000&workers=1`);
  await expect
    .poll(async () => (await statsOf(page)).presentedFrames, { timeout: timeLimit(30_000) })
    .toBeGreaterThan(3);
  const { primitives, visible } = await statsOf(page);
  expect(primitives).toBeGreaterThanOrEqual(60_000);
  expect(visible).toBeLessThan(primitives);
  const helpers = () =>
    page.evaluate(async () => {
      const { engine } = window as unknown as { engine: Engine };
      const { traceEvents } = await engine.stopTrace();
      const lanes = traceEvents.filter(({ ph }) => ph === 'M').map(({ args }) => String(args?.name));
      return lanes.filter((name) => name.startsWith('task worker'));
    });
  await expect.poll(helpers, { timeout: timeLimit(60_000) }).toEqual(['task worker 1']);
  await page.getByLabel('Helpers').selectOption('0');
  await expect.poll(() => new URL(page.url()).searchParams.get('workers')).toBe('0');
  await expect(page.getByLabel('Helpers')).toHaveValue('0');
});

test('the viewer shows its island, opens the visitor’s file, and rejects a broken one with a message', async ({
  page,
  isolatedURL,
  expectErrors,
}, testInfo) => {
  test.setTimeout(timeLimit(120_000));
  expectErrors(/garbage\.glb/);
  const folder = testInfo.outputPath('models');
  writeTestAssets(folder);
  await drawCoarsely(page);
  // Reduced motion keeps models still, so that clicks hit their flat sides however long frames take.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openDemo(page, `${isolatedURL}/index.html`);
  await page.setInputFiles('#file', join(folder, 'data-uri.gltf'));
  // The island is heavy even with few pixels: one frame may take seconds.
  const patience = { timeout: timeLimit(60_000) };
  await expect(page.locator('#caption')).toContainText('data-uri', patience);
  // This file tests variants, and clicks on the parts of a model.
  writeFileSync(join(folder, 'squares.gltf'), new Uint8Array(extendedGltf()));
  await page.setInputFiles('#file', join(folder, 'squares.gltf'));
  await page.getByRole('combobox', { name: 'Look' }).selectOption('green', patience);
  const look = await page.evaluate(async () => {
    const { engine } = window as unknown as { engine: Engine };
    // Once the engine is ready, the file's actors receive clicks.
    await engine.whenReady();
    const { world } = engine;
    return world.levels.map(({ variant }) => variant).join('');
  });
  expect(look).toBe('green');
  const stage = (await page.locator('#stage').boundingBox())!;
  await page.mouse.click(stage.x + stage.width / 2, stage.y + stage.height / 2);
  await expect(page.locator('#model-menu output')).toContainText('row', patience);
  await page.setInputFiles('#file', join(folder, 'broken/garbage.glb'));
  await expect(page.locator('body')).toContainText('not-gltf', patience);
  await expect(page.locator('#restore')).toBeVisible();
  const night = page.getByLabel('Bloom, ambient occlusion, fog and TAA');
  const nightOf = () =>
    page.evaluate(() => {
      const { antialias, effects } = (window as unknown as { engine: Engine }).engine;
      return [antialias === 'taa', ...[effects.bloom, effects.ambientOcclusion, effects.fog].map(Boolean)];
    });
  // Software adapters begin without effects.
  await expect(night).not.toBeChecked();
  expect(await nightOf()).toEqual([false, false, false, false]);
  await night.check();
  expect(await nightOf()).toEqual([true, true, true, true]);
  await goesOn(page);
  await night.uncheck();
  expect(await nightOf()).toEqual([false, false, false, false]);
});

/** Returns the latest entry of the log with this event name, once the log has `count` of them. */
async function entryOf(page: Page, event: string, count = 1): Promise<string> {
  const entries = page.locator(`#log [data-event="${event}"]`);
  await expect(entries).toHaveCount(count, { timeout: timeLimit(60_000) });
  return (await entries.first().textContent()) ?? '';
}

async function goesOn(page: Page): Promise<void> {
  const { presentedFrames } = await statsOf(page);
  await expect
    .poll(async () => (await statsOf(page)).presentedFrames, { timeout: timeLimit(60_000) })
    .toBeGreaterThan(presentedFrames + 1);
}

/** Returns the pixels of a picture at rest, and then lets the picture move again. */
async function stillPicture(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const { engine } = window as unknown as { engine: Engine };
    await engine.step(0);
    const { data } = await engine.captureFrame();
    const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(data).buffer);
    return [...new Uint8Array(digest)].join();
  });
}

test.describe('a visitor’s actions on the engine', () => {
  // The pictures are small, because the test only checks that new ones are presented.
  test.use({ viewport: { width: 320, height: 300 } });

  for (const isolation of ['isolated', 'not isolated'] as const) {
    test(`R3, R9: other threads, a lost device and killed workers keep the same pixels, and the picture goes on, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
      expectErrors,
    }) => {
      test.setTimeout(timeLimit(300_000));
      expectErrors(/GPU: .*(lost|destroyed)/i);
      await drawCoarsely(page, 0.4);
      await openDemo(page, `${isolation === 'isolated' ? isolatedURL : plainURL}/demo/swarm.html?count=20`);
      const button = (name: RegExp) => page.getByRole('button', { name });
      const setRunning = (isRunning: boolean) =>
        page.evaluate((isRunning) => {
          const { engine } = window as unknown as { engine: Engine };
          if (isRunning) engine.start();
          else engine.stop();
        }, isRunning);
      await goesOn(page);
      await setRunning(false);
      const before = await stillPicture(page);

      await button(/lose the gpu/i).click();
      await entryOf(page, 'devicelost');
      expect(await entryOf(page, 'devicerestored')).toMatch(/Frame \d+ was drawn by another device/);
      expect(await stillPicture(page), 'after a lost device').toBe(before);

      // The engine notices a dead worker only while it waits for an answer of that worker, so the picture must
      // move.
      await setRunning(true);
      await button(/kill a worker/i).click();
      expect(await entryOf(page, 'error thread-not-answering')).toContain(
        'The render worker has not answered',
      );
      await entryOf(page, 'threadrestarted');
      await entryOf(page, 'surfacechange');
      await goesOn(page);
      await expect(button(/kill a worker/i)).toBeEnabled({ timeout: timeLimit(20_000) });
      await setRunning(false);

      let isBefore = await stillPicture(page);
      for (const mode of ['render+rhi', 'single', 'render'] as const) {
        await page
          .getByRole('radio', { name: mode, exact: false })
          .and(page.locator(`[value="${mode}"]`))
          .check();
        await expect(page.locator('#log [data-event="threading"]').first()).toContainText(`${mode} draws`, {
          timeout: timeLimit(60_000),
        });
        expect(await stillPicture(page), mode).toBe(isBefore);
        expect(new URL(page.url()).searchParams.get('threading')).toBe(mode);
        if (mode === 'single') await expect(button(/kill a worker/i)).toBeDisabled();
        await setRunning(true);
        await goesOn(page);
        if (mode === 'render+rhi') {
          await button(/kill a worker/i).click();
          await entryOf(page, 'threadrestarted', 2);
          await goesOn(page);
        }
        await setRunning(false);
        isBefore = await stillPicture(page);
      }
      // A message over the picture would mean that a recovery failed.
      await expect(page.locator('.message')).toHaveCount(0);
    });
  }

  test('a devicerestored event alone enables the button that kills a worker, and so does a replacement thread', async ({
    page,
    isolatedURL,
    expectErrors,
  }) => {
    test.setTimeout(timeLimit(120_000));
    expectErrors(/thread-(silent|not-answering)|render worker/);
    await drawCoarsely(page, 0.4);
    await openDemo(page, `${isolatedURL}/demo/swarm.html?count=20`);
    await goesOn(page);
    const kill = page.locator('#kill');
    const heightOf = async () => (await kill.boundingBox())?.height;
    const height = await heightOf();
    const during = await page.evaluate(() => {
      const button = document.querySelector<HTMLButtonElement>('#kill');
      button?.click();
      const text = button?.textContent;
      // The engine sends this event after replacing a device that was lost with the worker.
      const { engine } = window as unknown as { engine: Engine };
      engine.dispatchEvent(new CustomEvent('devicerestored', { detail: { frame: 1 } }));
      return [text, button?.getBoundingClientRect().height, button?.textContent];
    });
    expect(during).toEqual(['Terminated …', height, 'Kill a worker']);
    await expect(kill).toBeEnabled({ timeout: timeLimit(20_000) });
    await goesOn(page);
    // Once replacement threads draw pictures, the button changes too.
    await kill.click();
    await expect(kill).toHaveText('Terminated …');
    expect(await heightOf()).toBe(height);
    await expect(kill).toHaveText('Kill a worker', { timeout: timeLimit(30_000) });
  });

  test('while the page is blocked, the comets move on; the log and the note report the block', async ({
    page,
    isolatedURL,
  }) => {
    test.setTimeout(timeLimit(120_000));
    await drawCoarsely(page, 0.4);
    await openDemo(page, `${isolatedURL}/demo/swarm.html?count=20`);
    await goesOn(page);
    // The page's thread spins until three further frames have been presented.
    const frames = await page.evaluate(() => {
      const { engine } = window as unknown as { engine: Engine };
      const { presentedFrames } = engine.stats();
      const end = performance.now() + 60_000;
      while (engine.stats().presentedFrames < presentedFrames + 3 && performance.now() < end);
      return engine.stats().presentedFrames - presentedFrames;
    });
    expect(frames).toBeGreaterThanOrEqual(3);
    const block = page.locator('#block');
    await block.click();
    await entryOf(page, 'block');
    await expect(page.locator('#block-note')).toContainText(/The swarm stood still; the comets continued/);
    await expect(block).toBeEnabled();
    await goesOn(page);
    await page.locator('[value="single"]').check();
    await expect(page.locator('#log')).toContainText('single draws', { timeout: timeLimit(60_000) });
    await block.click();
    await entryOf(page, 'block', 2);
    await expect(page.locator('#block-note')).toContainText('the picture stood still');
    await goesOn(page);
  });

  test('X1, X5: the panel adds a pass to the picture, and shows the frame graph', async ({
    page,
    isolatedURL,
  }) => {
    test.setTimeout(timeLimit(120_000));
    await drawCoarsely(page);
    await openDemo(page, `${isolatedURL}/index.html`);
    const graph = page.locator('fencepost-frame-graph');
    const drawing = graph.locator('img');
    await page.locator('#graph').check();
    await expect(drawing).toHaveAttribute('alt', /scene .* tone mapping/s);
    await page.locator('#outline').check();
    await expect(drawing).toHaveAttribute('alt', /outline .*reads scene depth/);
    await page.locator('#outline').uncheck();
    await expect(drawing).not.toHaveAttribute('alt', /outline/);
    await graph.locator('section').focus();
    await page.keyboard.press('Escape');
    await expect(graph).toHaveCount(0);
    await expect(page.locator('#graph')).not.toBeChecked();
  });

  test('F10: the timeline opens and closes with its button and its key; the lag can be switched while running', async ({
    page,
    isolatedURL,
  }) => {
    test.setTimeout(timeLimit(120_000));
    await drawCoarsely(page, 0.4);
    await openDemo(page, `${isolatedURL}/demo/swarm.html?count=20`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const button = page.getByRole('button', { name: /^timeline/i });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(timeline).toBeVisible();
    await expect(button).toHaveAttribute('aria-pressed', 'true');
    await goesOn(page);
    await page.keyboard.press('Escape');
    await expect(timeline).toHaveCount(0);
    await expect(button).toBeFocused();
    await expect(button).toHaveAttribute('aria-pressed', 'false');
    await page.keyboard.press('F8');
    await expect(timeline).toBeVisible();
    await page.keyboard.press('F8');
    await expect(timeline).toHaveCount(0);
    await page.locator('#lag').uncheck();
    const lag = () => page.evaluate(() => (window as unknown as { engine: Engine }).engine.oneFrameThreadLag);
    expect(await lag()).toBe(false);
    await goesOn(page);
    await page.locator('#lag').check();
    expect(await lag()).toBe(true);
    await goesOn(page);
  });

  test('nothing is cut off at 1280 × 720 and at 390 × 844', async ({ page, isolatedURL }) => {
    test.setTimeout(timeLimit(120_000));
    await page.setViewportSize({ width: 1280, height: 720 });
    await drawCoarsely(page);
    await openDemo(page, `${isolatedURL}/demo/swarm.html?count=20`);
    for (const [width, height] of [
      [1280, 720],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      const wide = await page.evaluate(() =>
        [
          document.documentElement,
          ...document.querySelectorAll('#panel, #panel *:not(.hidden), .bar, .caption'),
        ]
          .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1)
          .filter((element) => getComputedStyle(element).display !== 'inline')
          .map((element) => `${element.tagName} ${element.id || element.className}`),
      );
      expect(wide, `${width} × ${height}`).toEqual([]);
      for (const id of ['block', 'lose', 'kill', 'timeline']) {
        // The button is scrolled to the middle of the view, because text that arrives above it may move it by a
        // line.
        await page.locator(`#${id}`).evaluate((button) => button.scrollIntoView({ block: 'center' }));
        await expect(page.locator(`#${id}`)).toBeInViewport({ ratio: 1 });
        // Nothing covers the button.
        await page.locator(`#${id}`).click({ trial: true });
      }
    }
  });
});
