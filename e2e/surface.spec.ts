/** The engine follows its element: size, pixel ratio, visibility. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

test('the canvas size follows the element, pixelRatio scales it, and the resize event reports it', async ({
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

test('a hidden page stops drawing, still allows steps, and draws again once it is visible', async ({
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

test('a started engine presents its picture on the page', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view, { background: '#0a0' });
    const ready = new Promise((resolve) => engine.addEventListener('ready', resolve));
    engine.start();
    await ready;
    const target = engine.stats().presentedFrames + 3;
    while (engine.stats().presentedFrames < target) await new Promise(requestAnimationFrame);
  });
  // This checks the compositor's picture, not a read-back.
  const { PNG } = await import('pngjs');
  const shot = PNG.sync.read(await page.screenshot({ clip: { x: 32, y: 32, width: 4, height: 4 } }));
  expect([...shot.data.subarray(0, 4)]).toEqual([0, 0xaa, 0, 255]);
});

test('a canvas with another context is refused and left unchanged', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const all = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const canvas = document.createElement('canvas'); // without a CSS size
      document.body.append(canvas);
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      context.fillStyle = '#0f0';
      context.fillRect(0, 0, 300, 150);
      const { code } = await window.kit.refusal(() => window.fencepost.createEngine(canvas, { threading }));
      const pixel = [...context.getImageData(10, 10, 1, 1).data];
      all.push({ code, pixel, style: canvas.getAttribute('style'), isThere: canvas.isConnected });
      canvas.remove();
    }
    return all;
  });
  for (const result of results) {
    expect(result).toEqual({ code: 'canvas-in-use', pixel: [0, 255, 0, 255], style: null, isThere: true });
  }
});

test('a canvas keeps its layout at pixel ratio 2, however its size is given', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const styles = [
      '',
      'width:200px',
      'height:50px',
      'width:50%',
      'width:80px;height:60px',
      'max-width:100px',
    ];
    document.body.style.width = '400px';
    const all = [];
    for (const threading of ['single', 'render'] as const) {
      for (const style of styles) {
        const canvas = document.createElement('canvas');
        canvas.style.cssText = `display:block;${style}`;
        document.body.append(canvas);
        const sizes = [`${canvas.clientWidth} × ${canvas.clientHeight}`];
        const engine = await window.fencepost.createEngine(canvas, { threading, pixelRatio: 2 });
        for (let frame = 0; frame < 3; frame++) {
          await engine.step(0.01);
          await new Promise(requestAnimationFrame);
        }
        sizes.push(`${canvas.clientWidth} × ${canvas.clientHeight}`);
        const { width, height } = await engine.captureFrame();
        sizes.push(`${width / 2} × ${height / 2}`);
        await engine.dispose();
        canvas.remove();
        all.push({ threading, style, sizes });
      }
    }
    return all;
  });
  for (const { threading, style, sizes } of results) {
    expect(new Set(sizes), `${threading}: ${style} ${sizes.join(', ')}`).toHaveProperty('size', 1);
  }
});

test('a canvas larger than the largest texture is drawn and captured in its proportions', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const { limit, sizes } = await page.evaluate(async () => {
    const limit = (await navigator.gpu.requestAdapter())!.limits.maxTextureDimension2D;
    window.kit.view.style.width = `${limit * 2}px`;
    window.kit.view.style.height = '64px';
    const sizes = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading, background: '#00f' });
      await engine.step(0);
      const frame = await engine.captureFrame();
      const { canvas } = engine;
      const hasSize = (): boolean => canvas.width === frame.width && canvas.height === frame.height;
      while (!hasSize()) await new Promise(requestAnimationFrame); // a worker's canvas reports its size with its picture
      sizes.push([frame.width, frame.height, ...window.kit.pixel(frame, frame.width - 1, 31)]);
      await engine.dispose();
    }
    return { limit, sizes };
  });
  for (const size of sizes) expect(size).toEqual([limit, 32, 0, 0, 255, 255]);
});
