/** `fencepost/element`: a model in a page by markup alone. */

import type { Page } from '@playwright/test';
import type { FencepostViewer } from 'fencepost/element';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { modesOf } from './threading-modes.js';

declare global {
  interface Window {
    seen: string[];
  }
}

/** Shows a page with the markup, then loads the module that defines the element. */
async function show(page: Page, origin: string, markup: string): Promise<void> {
  await page.goto(`${origin}/e2e/pages/blank.html`);
  await page.evaluate((html) => {
    window.seen = [];
    for (const type of ['load', 'error', 'progress']) {
      const note = ({ target, detail }: CustomEventInit & Event) => {
        const text = type === 'error' ? `${type} ${detail.code}` : type;
        const isViewer = target instanceof Element && target.localName === 'fencepost-viewer';
        if (isViewer && !window.seen.includes(text)) window.seen.push(text);
      };
      document.addEventListener(type, note as EventListener, true);
    }
    document.body.innerHTML = html;
    const script = document.createElement('script');
    script.type = 'module';
    script.src = '/dist/element.js';
    document.body.append(script);
  }, markup);
  await page.evaluate(() => customElements.whenDefined('fencepost-viewer'));
}

const viewerIn = (page: Page) => page.locator('fencepost-viewer').first();

/**
 * Returns the share of drawn pixels, the number of drawn pixels at the rim, the middle pixel, and the size.
 */
const pictureOf = (page: Page) =>
  viewerIn(page).evaluate(async (element) => {
    const viewer = element as FencepostViewer;
    await viewer.whenReady();
    const { data, width, height } = await viewer.view!.captureFrame();
    const isDrawn = (x: number, y: number) => (data[(y * width + x) * 4 + 3] as number) > 128;
    let drawn = 0;
    let rim = 0;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (!isDrawn(x, y)) continue;
        drawn++;
        if (x === 0 || y === 0 || x === width - 1 || y === height - 1) rim++;
      }
    }
    const middle = (((height >> 1) * width + (width >> 1)) * 4) as number;
    return {
      share: drawn / (width * height),
      rim,
      middle: [...data.slice(middle, middle + 4)],
      width,
      height,
    };
  });

/** A red picture of 2 × 1 pixels. */
const PANORAMA =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADUlEQVR4nGP4z8AARAAI/gH/xp559wAAAABJRU5ErkJggg==';

const SIZE = 'style="width: 128px; height: 96px"';

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const threading of modesOf(isolation)) {
    test(`the element frames the whole model, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      const origin = isolation === 'isolated' ? isolatedURL : plainURL;
      await show(
        page,
        origin,
        `<fencepost-viewer ${SIZE} threading="${threading}" src="/island.glb" alt="An island"><p>Loading</p></fencepost-viewer>`,
      );
      const picture = await pictureOf(page);
      expect(picture.share).toBeGreaterThan(0.05);
      expect(picture.share).toBeLessThan(0.9);
      expect(picture.rim).toBe(0);
      expect(await page.evaluate(() => window.seen)).toEqual(['progress', 'load']);
      const viewer = viewerIn(page);
      await expect(viewer.getByRole('img', { name: 'An island' })).toBeAttached();
      await viewer.evaluate((element) => element.removeAttribute('alt'));
      await expect(viewer.getByRole('img')).not.toBeAttached();
      await expect(viewer.getByText('Loading', { exact: true })).toBeHidden();
      expect(await viewer.evaluate((element) => (element as FencepostViewer).engine?.threading)).toBe(
        threading,
      );
    });
  }
}

test('changed attributes change the picture', async ({ page, isolatedURL }) => {
  await show(
    page,
    isolatedURL,
    `<fencepost-viewer ${SIZE} src="/island.glb" environment="none"></fencepost-viewer>`,
  );
  const set = (name: string, value: string | null) =>
    viewerIn(page).evaluate(
      (element, [attribute, text]) => {
        if (text === null) element.removeAttribute(attribute);
        else element.setAttribute(attribute, text);
      },
      [name, value] as const,
    );
  const dark = await pictureOf(page);
  await set('environment', 'studio');
  const lit = await pictureOf(page);
  const sum = ([red = 0, green = 0, blue = 0]: number[]) => red + green + blue;
  expect(sum(lit.middle)).toBeGreaterThan(sum(dark.middle));
  await set('environment-intensity', '0.2');
  expect(sum((await pictureOf(page)).middle)).toBeLessThan(sum(lit.middle));
  await set('environment-intensity', null);
  expect((await pictureOf(page)).middle).toEqual(lit.middle);
  await set('exposure', '0.25');
  const dim = await pictureOf(page);
  expect(sum(dim.middle)).toBeLessThan(sum(lit.middle));
  await set('background', '#00f');
  expect((await pictureOf(page)).rim).toBeGreaterThan(0);
  await set('background', null);
  await set('renderer', 'deferred');
  expect((await pictureOf(page)).share).toBeCloseTo(dim.share, 1);
  await set('threading', 'render+rhi');
  expect((await pictureOf(page)).share).toBeCloseTo(dim.share, 1);
  await set('src', null);
  expect((await pictureOf(page)).share).toBe(0);
  expect(await page.evaluate(() => window.seen.filter((each) => each.startsWith('error')))).toEqual([]);
});

test('a wrong attribute is reported in an error, and the element works after the page has corrected it', async ({
  page,
  isolatedURL,
  expectErrors,
}) => {
  expectErrors(
    /setThreading is "many"|attribute exposure of <fencepost-viewer> is "bright"|404|has no animations?[ ,].*"flies"/,
  );
  await show(
    page,
    isolatedURL,
    `<fencepost-viewer ${SIZE} src="/missing.glb" exposure="bright" threading="many"></fencepost-viewer>`,
  );
  const codeOf = () =>
    viewerIn(page).evaluate((element) =>
      (element as FencepostViewer).whenReady().then(
        () => 'ready',
        (error: { code: string }) => error.code,
      ),
    );
  expect(await codeOf()).toBe('option-invalid');
  await viewerIn(page).evaluate((element) => element.removeAttribute('threading'));
  expect(await codeOf()).toBe('option-invalid');
  await viewerIn(page).evaluate((element) => element.setAttribute('exposure', '1'));
  expect(await codeOf()).toBe('fetch-failed');
  await viewerIn(page).evaluate((element) => element.setAttribute('src', '/island.glb'));
  expect(await codeOf()).toBe('ready');
  await viewerIn(page).evaluate((element) => element.setAttribute('animation', 'flies'));
  expect(await codeOf()).toBe('animation-unknown');
  const removed = await viewerIn(page).evaluate((element) => {
    element.remove();
    const viewer = element as FencepostViewer;
    return new Promise((resolve) =>
      queueMicrotask(() => viewer.whenReady().catch((error: { code: string }) => resolve(error.code))),
    );
  });
  expect(removed).toBe('element-not-connected');
});

test('a page that allows no inline styles shows the element in its box', async ({ page, isolatedURL }) => {
  const policy = "style-src 'self'";
  await page.route('**/e2e/pages/blank.html', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), 'content-security-policy': policy };
    await route.fulfill({ response, headers });
  });
  await show(page, isolatedURL, '<fencepost-viewer environment="none"><p>Loading</p></fencepost-viewer>');
  const box = () =>
    viewerIn(page).evaluate((element) => {
      const { width, height } = element.getBoundingClientRect();
      return [width, height, getComputedStyle(element).position];
    });
  expect(await box()).toEqual([300, 200, 'relative']);
  // Style sheets of this document do not apply in another document.
  await page.evaluate(async () => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const viewer = document.querySelector('fencepost-viewer') as FencepostViewer;
    frame.contentDocument?.body.append(viewer);
    await viewer.whenReady();
    document.body.append(viewer);
  });
  expect(await box()).toEqual([300, 200, 'relative']);
});

test('a failed environment is reported once, and causes no further error', async ({
  page,
  isolatedURL,
  expectErrors,
}) => {
  expectErrors(/404/);
  await show(page, isolatedURL, `<fencepost-viewer ${SIZE} src="/island.glb"></fencepost-viewer>`);
  const codes = await viewerIn(page).evaluate(async (element) => {
    const viewer = element as FencepostViewer;
    const codes: string[] = [];
    const note = ({ detail }: { readonly detail: { readonly code: string } }): void => {
      codes.push(detail.code);
    };
    viewer.addEventListener('error', note);
    viewer.setAttribute('environment', '/missing.hdr');
    await viewer.whenReady().catch(() => {});
    viewer.src = '/island.glb?again';
    await viewer.whenReady().catch(() => {});
    viewer.removeEventListener('error', note);
    return codes;
  });
  expect(codes).toEqual(['fetch-failed']);
});

test('the last of several sources is shown; a moved element keeps its world, and a removed element ends its world', async ({
  page,
  isolatedURL,
}) => {
  // These requests are never answered, because the browser would log a 404 that arrived before the abort.
  await page.route(/(missing|nothing)\.glb$/, () => {});
  await show(page, isolatedURL, `<fencepost-viewer ${SIZE}></fencepost-viewer><main></main>`);
  const result = await viewerIn(page).evaluate(async (element) => {
    const viewer = element as FencepostViewer;
    await viewer.whenReady();
    viewer.src = '/missing.glb';
    viewer.src = '/nothing.glb';
    viewer.src = '/island.glb';
    await viewer.whenReady();
    const { engine, world, controls } = viewer;
    document.querySelector('main')?.append(viewer);
    await viewer.whenReady();
    const isKept = viewer.world === world && viewer.controls === controls;
    viewer.remove();
    await Promise.resolve();
    const isEnded = viewer.engine === null && world?.disposed.aborted;
    // The element is removed during its load, and returns later.
    document.body.append(viewer);
    while (!viewer.engine) await new Promise(requestAnimationFrame);
    viewer.remove();
    await new Promise(requestAnimationFrame);
    document.querySelector('main')?.append(viewer);
    await viewer.whenReady();
    return { isKept, isEnded, isShared: viewer.engine === engine, actors: viewer.level?.actors.length ?? 0 };
  });
  expect(result).toMatchObject({ isKept: true, isEnded: true, isShared: true });
  expect(result.actors).toBeGreaterThan(5);
  expect(await page.evaluate(() => window.seen.filter((each) => each.startsWith('error')))).toEqual([]);
});

test('elements share one engine; a file that never arrives delays only its own element; models out of view are unloaded', async ({
  page,
  isolatedURL,
}) => {
  await page.route(/missing\.glb$/, () => {});
  await show(
    page,
    isolatedURL,
    `<fencepost-viewer ${SIZE} src="/missing.glb"></fencepost-viewer>
     <fencepost-viewer ${SIZE} src="/island.glb" background="#f00"></fencepost-viewer>
     <div style="height: 3000px"></div>
     <fencepost-viewer ${SIZE} src="/island.glb" exposure="0.2"></fencepost-viewer>`,
  );
  const result = await page.evaluate(async () => {
    const viewers = [...document.querySelectorAll('fencepost-viewer')] as FencepostViewer[];
    const [, second, third] = viewers as [FencepostViewer, FencepostViewer, FencepostViewer];
    await second.whenReady();
    await third.whenReady();
    const engines = new Set(viewers.map(({ engine }) => engine)).size;
    const shown = [second.view!.enabled, third.view!.enabled];
    (third.constructor as typeof FencepostViewer).memoryBudget = 1;
    const { level } = second;
    const rested = async ({ level }: FencepostViewer, viewer: FencepostViewer) => {
      while (viewer.level === level) await new Promise(requestAnimationFrame);
      return viewer.level;
    };
    scrollTo(0, 2900);
    const lost = await rested(second, second);
    const { azimuth } = second.controls!;
    scrollTo(0, 0);
    await new Promise((resolve) => second.addEventListener('load', resolve, { once: true }));
    return {
      engines,
      shown,
      lost,
      isBack: second.level !== level,
      azimuth: second.controls!.azimuth - azimuth,
    };
  });
  expect(result).toEqual({ engines: 1, shown: [true, false], lost: null, isBack: true, azimuth: 0 });
  expect(page.workers().length).toBeLessThanOrEqual(3);
});

test('an element below the fold starts when it is seen; its poster, camera, shadow and light follow its attributes', async ({
  page,
  isolatedURL,
}) => {
  await show(
    page,
    isolatedURL,
    `<div style="height: 3000px"></div>
     <fencepost-viewer ${SIZE} src="/island.glb" poster="${PANORAMA}" environment-image="${PANORAMA}"
      camera-orbit="90deg 90deg 150%" field-of-view="40deg" shadow-intensity="1" background="#fff">
     </fencepost-viewer>${`<fencepost-viewer ${SIZE}></fencepost-viewer>`.repeat(100)}`,
  );
  const result = await viewerIn(page).evaluate(async (element) => {
    const viewer = element as FencepostViewer;
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    const poster = viewer.shadowRoot?.querySelector('img') as HTMLImageElement;
    const before = [viewer.engine, poster.checkVisibility(), poster.naturalWidth];
    const shown = new Promise((resolve) => viewer.addEventListener('load', resolve, { once: true }));
    viewer.scrollIntoView();
    await shown;
    const { controls, view } = viewer;
    const { data, width, height } = await view!.captureFrame();
    // The shadow darkens the white background beneath the model. A red panorama lights the model.
    let [grey, red, green] = [0, 0, 0];
    for (let at = 0; at < data.length; at += 4) {
      const [r = 0, g = 0, b = 0] = data.slice(at, at + 3);
      if (r === g && g === b && r < 250) grey++;
      if (r !== g) {
        red += r;
        green += g;
      }
    }
    const distance = controls!.distance;
    viewer.setAttribute('camera-orbit', `45deg 90deg ${distance}m`);
    viewer.setAttribute('max-camera-orbit', 'auto 80deg auto');
    await viewer.whenReady();
    const posterAfter = poster.checkVisibility();
    return {
      before,
      posterAfter,
      pose: [controls!.azimuth, controls!.polar].map((radians) => Math.round((radians * 180) / Math.PI)),
      greys: grey / (width * height) > 0.01,
      isRed: red > 1.5 * green,
      engines: new Set([...document.querySelectorAll('fencepost-viewer')].map(({ engine }) => engine)).size,
    };
  });
  expect(result).toMatchObject({ before: [null, true, 2], posterAfter: false, greys: true, isRed: true });
  expect(result.pose).toEqual([90, 80]);
  // Elements below the fold have not started.
  expect(result.engines).toBe(2);
  expect(await page.evaluate(() => window.seen.filter((each) => each.startsWith('error')))).toEqual([]);
});

test('a server that renders pages can import the element', async () => {
  const { FencepostViewer } = (await import(
    new URL('../dist/element.js', import.meta.url).href
  )) as typeof import('fencepost/element');
  expect(FencepostViewer.observedAttributes).toContain('src');
});

test('the element draws when something changes, and while its model moves in view', async ({
  page,
  isolatedURL,
}) => {
  await show(
    page,
    isolatedURL,
    `<fencepost-viewer ${SIZE} src="/island.glb"></fencepost-viewer><div style="height: 3000px"></div>`,
  );
  await pictureOf(page);
  const framesIn = (milliseconds: number) =>
    viewerIn(page).evaluate(async (element, duration) => {
      const { engine } = element as FencepostViewer;
      const begun = engine?.stats().frame as number;
      const end = performance.now() + duration;
      while (performance.now() < end) await new Promise(requestAnimationFrame);
      return (engine?.stats().frame as number) - begun;
    }, milliseconds);
  // While the model moves, frames follow each other, however long each takes.
  const goesOn = async () => {
    const frame = () =>
      viewerIn(page).evaluate((element) => (element as FencepostViewer).engine?.stats().frame);
    const begun = (await frame()) as number;
    await expect.poll(frame, { timeout: timeLimit(60_000) }).toBeGreaterThan(begun + 3);
  };
  // Data that arrived meanwhile may cause up to two more frames.
  expect(await framesIn(500)).toBeLessThan(3);
  await viewerIn(page).evaluate((element) => element.setAttribute('auto-rotate', '1'));
  await goesOn();
  await page.evaluate(() => scrollTo(0, 2000));
  await expect.poll(() => framesIn(500), { timeout: timeLimit(20_000) }).toBe(0);
  await page.evaluate(() => scrollTo(0, 0));
  await goesOn();
});
