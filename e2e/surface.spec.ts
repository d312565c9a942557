/** The engine follows its element: size, pixel ratio, visibility. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

test('size follows the element; pixelRatio scales it; the resize event tells', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view, { pixelRatio: 1.5 });
    await engine.step(0);
    const sizes = [(await engine.captureFrame()).width];
    const resized = new Promise<{ width: number; height: number }>((resolve) =>
      engine.addEventListener('resize', ({ detail }) => resolve(detail), { once: true }),
    );
    window.kit.view.style.width = '40px';
    const detail = await resized;
    await engine.step(0);
    sizes.push((await engine.captureFrame()).width);
    const { canvas } = engine;
    await engine.dispose();
    return { sizes, detail, isGone: !canvas.isConnected };
  });
  expect(result).toEqual({ sizes: [192, 60], detail: { width: 60, height: 192 }, isGone: true });
});

test('a hidden page stops drawing, steps all the same, and resumes in one frame', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const result = await page.evaluate(async () => {
    let isHidden = false;
    Object.defineProperty(document, 'hidden', { get: () => isHidden });
    const engine = await window.fencepost.createEngine(window.kit.view);
    const frames = (count: number) =>
      new Promise<void>((resolve) => {
        const next = (left: number): void => {
          if (left === 0) resolve();
          else requestAnimationFrame(() => next(left - 1));
        };
        next(count);
      });
    engine.start();
    await engine.whenReady();
    isHidden = true;
    await frames(2);
    const before = engine.stats().frame;
    await frames(5);
    const hidden = engine.stats().frame - before;
    await engine.step(0.1);
    const stepped = engine.stats().frame - before;
    isHidden = false;
    await frames(3);
    const resumed = engine.stats().frame - before;
    await engine.dispose();
    return { hidden, stepped, resumed };
  });
  expect(result.hidden).toBe(0);
  expect(result.stepped).toBe(1);
  expect(result.resumed).toBeGreaterThan(1);
});

test('start, ready, presented frames: the picture is on the page', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view, { background: '#0a0' });
    const ready = new Promise((resolve) => engine.addEventListener('ready', resolve));
    engine.start();
    await ready;
    const target = engine.stats().presentedFrames + 3;
    while (engine.stats().presentedFrames < target) await new Promise(requestAnimationFrame);
  });
  // The presentation path itself: what the compositor shows, not what was read back.
  const { PNG } = await import('pngjs');
  const shot = PNG.sync.read(await page.screenshot({ clip: { x: 32, y: 32, width: 4, height: 4 } }));
  expect([...shot.data.subarray(0, 4)]).toEqual([0, 0xaa, 0, 255]);
});
