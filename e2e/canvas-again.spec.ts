import { decodePng, pixelAt } from 'fencepost/testing';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES, modesOf } from './threading-modes.js';

// A canvas that an engine has released, an engine that is aborted while it starts, and a hidden canvas.

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`a canvas that an engine has released can be used again, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { createEngine } = window.fencepost;
      const all: unknown[] = [];
      for (const threading of modes) {
        const canvas = document.createElement('canvas');
        canvas.id = 'mine';
        canvas.style.cssText = 'width: 40px; height: 40px';
        window.kit.view.replaceChildren(canvas);
        const pixels: number[][] = [];
        const places: boolean[] = [];
        for (const background of ['#f00', '#0f0', '#00f']) {
          const engine = await createEngine(canvas, { threading, background });
          await engine.step(0);
          pixels.push(window.kit.pixel(await engine.captureFrame(), 20, 20));
          places.push(document.querySelector('#mine') === engine.canvas);
          const [first, second] = await Promise.all([engine.dispose(), engine.dispose()]);
          places.push(document.querySelector('#mine') === canvas, first === second);
        }
        // A running engine keeps its canvas. Disposal releases the canvas at once.
        const engine = await createEngine(canvas, { threading });
        const refusal = await window.kit.refusal(() => createEngine(canvas));
        const disposed = engine.dispose();
        const next = await createEngine(canvas, { threading });
        await disposed;
        await next.step(0);
        places.push(document.querySelector('#mine') === next.canvas);
        await next.dispose();
        all.push({ pixels, arePlaces: places.every(Boolean), code: refusal.code });
      }
      return all;
    }, modesOf(isolation));
    const expected = {
      pixels: [
        [255, 0, 0, 255],
        [0, 255, 0, 255],
        [0, 0, 255, 255],
      ],
      arePlaces: true,
      code: 'canvas-in-use',
    };
    expect(results).toEqual(modesOf(isolation).map(() => expected));
  });
}

test('createEngine stops when its signal aborts and leaves nothing behind, as React’s StrictMode requires', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async (modes) => {
    const { createEngine } = window.fencepost;
    const all: unknown[] = [];
    for (const threading of modes) {
      const canvas = document.createElement('canvas');
      window.kit.view.replaceChildren(canvas);
      const reasons: unknown[] = [];
      // The signal is aborted before the call, right after it, and while threads start.
      for (const turns of [-1, 0, 1, 5, 20]) {
        const controller = new AbortController();
        if (turns < 0) controller.abort('too early');
        const engine = createEngine(canvas, { threading, signal: controller.signal });
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setTimeout(resolve));
        controller.abort('unmounted');
        reasons.push(await engine.then((made) => made.dispose()).catch((reason: unknown) => reason));
      }
      // The engine is mounted, unmounted and mounted again in one turn of the event loop.
      const controller = new AbortController();
      const first = createEngine(canvas, { threading, signal: controller.signal }).catch((reason) => reason);
      controller.abort('unmounted');
      const engine = await createEngine(canvas, { threading, background: '#0f0' });
      reasons.push(await first);
      await engine.step(0);
      const pixel = window.kit.pixel(await engine.captureFrame(), 1, 1);
      const { leaks } = await engine.dispose();
      all.push({ reasons, pixel, leaks, canvases: document.querySelectorAll('canvas').length });
    }
    const refusal = await window.kit.refusal(() =>
      createEngine(document.createElement('canvas'), { signal: {} as AbortSignal }),
    );
    return { all, refusal: refusal.message };
  }, MODES);
  expect(results.refusal).toBe(
    'signal of createEngine is an object; it has to be an AbortSignal: new AbortController().signal.',
  );
  for (const { reasons, ...rest } of results.all as { reasons: unknown[] }[]) {
    expect(rest).toEqual({ pixel: [0, 255, 0, 255], leaks: [], canvases: 1 });
    expect(reasons[0]).toBe('too early');
    expect(reasons[1]).toBe('unmounted');
    expect(reasons.at(-1)).toBe('unmounted');
    // If the engine was ready before the abort, `createEngine` has resolved with it.
    for (const reason of reasons) {
      if (typeof reason === 'object') expect(reason).toEqual({ leaks: [] });
      else expect(['too early', 'unmounted']).toContain(reason);
    }
  }
  // A worker that was starting ends once it has answered.
  await expect.poll(() => page.workers().length).toBe(0);
});

for (const threading of MODES) {
  test(`a hidden canvas is captured at its last shown size, and the ready event waits until it shows: ${threading}`, async ({
    page,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolatedURL);
    const result = await page.evaluate(async (threading) => {
      const { view } = window.kit;
      view.style.display = 'none';
      const engine = await window.fencepost.createEngine(view, { threading, background: '#0f0' });
      let isReady = false;
      const ready = new Promise<void>((resolve) =>
        engine.addEventListener('ready', () => {
          isReady = true;
          resolve();
        }),
      );
      await engine.step(0);
      await engine.whenReady();
      const unshown = await window.kit.refusal(() => engine.captureFrame());
      const early = isReady;
      view.style.display = '';
      await ready;
      const shown = await engine.captureFrame();
      const hidden = new Promise((resolve) => engine.addEventListener('resize', resolve, { once: true }));
      view.style.display = 'none';
      await hidden;
      engine.background = '#00f';
      await engine.step(0);
      const captured = await engine.captureFrame();
      await engine.dispose();
      return {
        code: unshown.code,
        early,
        sizes: [shown.width, captured.width, captured.height],
        pixels: [window.kit.pixel(shown, 5, 5), window.kit.pixel(captured, 5, 5)],
      };
    }, threading);
    expect(result).toEqual({
      code: 'canvas-hidden',
      early: false,
      sizes: [128, 128, 128],
      pixels: [
        [0, 255, 0, 255],
        [0, 0, 255, 255],
      ],
    });
  });
}

test('a pixel ratio that changes while the canvas is briefly out of the document applies to captures, in every mode', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const sizes = await page.evaluate(async (modes) => {
    const { fencepost } = window;
    const { view } = window.kit;
    const sizes: number[][] = [];
    for (const threading of modes) {
      const engine = await fencepost.createEngine(view, { threading, pixelRatio: 1 });
      await engine.step(0);
      const before = await engine.captureFrame();
      view.remove();
      engine.pixelRatio = 1.25;
      document.body.append(view);
      const after = await engine.captureFrame();
      sizes.push([before.width, after.width, after.height]);
      await engine.dispose();
    }
    return sizes;
  }, MODES);
  expect(sizes).toEqual(MODES.map(() => [128, 160, 160]));
});

for (const threading of MODES) {
  test(`a canvas in an iframe that is removed and put back shows the picture again: ${threading}`, async ({
    page,
    isolatedURL,
    expectErrors,
  }) => {
    // When a canvas dies with its document, the engine reports that and replaces the canvas.
    expectErrors(/its document is gone/);
    await openEnginePage(page, isolatedURL);
    await page.evaluate(async (threading) => {
      const frame = document.createElement('iframe');
      frame.style.cssText = 'position: fixed; left: 0; top: 0; width: 100px; height: 100px; border: 0';
      document.body.append(frame);
      const view = (frame.contentDocument as Document).createElement('div');
      view.style.cssText = 'position: fixed; left: 0; top: 0; width: 80px; height: 80px';
      (frame.contentDocument as Document).body.append(view);
      const engine = await window.fencepost.createEngine(view, { threading, background: '#f00' });
      engine.start();
      await engine.whenReady();
      Object.assign(window, { frame, view, engine });
    }, threading);
    const shown = async (): Promise<number[]> => {
      const picture = decodePng(await page.screenshot({ clip: { x: 40, y: 40, width: 1, height: 1 } }));
      return pixelAt(picture, 0, 0).slice(0, 3);
    };
    await expect.poll(shown).toEqual([255, 0, 0]);
    await page.evaluate(async () => {
      const { frame, view, engine } = window as never as {
        frame: HTMLIFrameElement;
        view: HTMLElement;
        engine: import('fencepost').Engine;
      };
      frame.remove();
      await engine.step(0); // drawn while the canvas is in no document
      document.body.append(frame);
      (frame.contentDocument as Document).body.append(view);
      engine.background = '#0f0';
    });
    await expect.poll(shown).toEqual([0, 255, 0]);
    const isThere = await page.evaluate(() => {
      const { view, engine } = window as never as { view: HTMLElement; engine: import('fencepost').Engine };
      return view.contains(engine.canvas) && view.children.length === 1;
    });
    expect(isThere).toBe(true);
  });
}
