/**
 * R3: switching threads while the engine runs. The picture does not change by a byte, and work in flight is not
 * lost.
 */
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { referenceGlb } from './reference-glb.js';
import { RUNS_ALL_MODES } from './threading-modes.js';

const modes = ['single', 'render', 'render+rhi'] as const;

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`R3 H2 H9: switching from every mode to every other keeps pixels and command bytes, and the scene continues, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.setTimeout(timeLimit(180_000));
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const all = await page.evaluate(
      async (modes) => {
        const { kit } = window;
        const rhiModule = '/dist/rhi.js';
        const { decodeCapture } = (await import(rhiModule)) as typeof import('fencepost/rhi');
        const all = [];
        for (const from of modes) {
          for (const to of modes) {
            const engine = await window.fencepost.createEngine(kit.view, {
              threading: from,
              background: '#123',
            });
            const cube = kit.addScene(engine);
            const events = kit.listen(engine);
            await engine.step(0.1);
            const before = await kit.picture(engine);
            const { canvas } = engine;
            canvas.dataset.mine = 'yes';
            const frames = engine.stats().presentedFrames;
            // A switch draws one frame. If the mode stays the same, a step draws this frame.
            if (from === to) await engine.step(0);
            else await engine.setThreading(to);
            const after = await kit.picture(engine);
            const isSameCanvas = engine.canvas === canvas;
            const isInPlace = kit.view.children.length === 1 && kit.view.firstChild === engine.canvas;
            const mine = engine.canvas.dataset.mine;
            cube.rotateY(0.5);
            await engine.startCapture();
            await engine.step(0.1);
            const moved = await kit.picture(engine);
            cube.rotateY(-0.5);
            await engine.step(0.1);
            cube.rotateY(0.5);
            await engine.step(0.1);
            const { stream } = decodeCapture(await engine.stopCapture());
            if (from !== to) await engine.setThreading(from);
            const back = await kit.picture(engine);
            const total = engine.stats().presentedFrames;
            const { leaks } = await engine.dispose();
            all.push({
              from,
              to,
              before,
              after,
              moved,
              back,
              commands: kit.hash(new Uint8Array(stream.buffer, stream.byteOffset, stream.byteLength)),
              words: stream.byteLength / 4,
              isSameCanvas,
              isInPlace,
              mine,
              events,
              leaks,
              hasGrown: total > frames,
            });
          }
        }
        return all;
      },
      isolation === 'isolated' || RUNS_ALL_MODES ? modes : (['render', 'render+rhi'] as const),
    );
    for (const result of all) {
      const label = `${result.from} to ${result.to}`;
      expect(result.after, label).toBe(result.before);
      expect(result.moved, label).not.toBe(result.before);
      expect(result.back, label).toBe(result.moved);
      const keepsCanvas = result.from === result.to || (result.from !== 'single' && result.to !== 'single');
      expect(result.isSameCanvas, label).toBe(keepsCanvas);
      expect(result.events, label).toEqual(keepsCanvas ? [] : ['surfacechange', 'surfacechange']);
      expect(result, label).toMatchObject({ isInPlace: true, mine: 'yes', leaks: [], hasGrown: true });
    }
    expect(new Set(all.map(({ before }) => before)).size).toBe(1);
    // The frames after a switch have the same commands as without a switch, for all pairs of modes.
    expect(all[0]?.words).toBeGreaterThan(100);
    expect(new Set(all.map(({ commands }) => commands)).size).toBe(1);
  });
}

test('R3: threads can be switched during a load, with every call in flight, and while running', async ({
  page,
  isolatedURL,
}) => {
  test.setTimeout(timeLimit(120_000));
  await openEnginePage(page, isolatedURL);
  const glb = await referenceGlb();
  const all = await page.evaluate(
    async ([modes, base64]) => {
      const { kit } = window;
      const all = [];
      const run = async (from: (typeof modes)[number], to: (typeof modes)[number]) => {
        const engine = await window.fencepost.createEngine(kit.view, { threading: from, background: '#123' });
        const events = kit.listen(engine);
        engine.world.addCamera({ position: [1.5, 1.2, 3], lookAt: [0.2, 0, 0] });
        await engine.step(0);
        const load = engine.world.load(kit.bytes(base64));
        const calls = Promise.all([
          engine.step(0.1),
          engine.captureFrame(),
          engine.flush(),
          engine.whenReady(),
          engine.setThreading(to),
          engine.step(0.1),
          engine.captureFrame(),
          engine.flush(),
          engine.whenReady(),
        ]);
        await Promise.all([load, calls]);
        await engine.whenReady();
        await engine.step(0);
        const loaded = await kit.picture(engine);
        engine.start();
        // Three switches, back and forth, are requested without waiting for each other.
        await Promise.all([engine.setThreading(from), engine.setThreading(to), engine.setThreading(from)]);
        const { frame } = engine.stats();
        await new Promise<void>((resolve) => {
          engine.world.onTick(() => engine.stats().frame > frame + 3 && resolve());
        });
        engine.stop();
        const running = await kit.picture(engine);
        const { threading } = engine;
        const { leaks } = await engine.dispose();
        return {
          from,
          to,
          loaded,
          running,
          threading,
          leaks,
          errors: events.filter((event) => event.startsWith('error')),
        };
      };
      for (const from of modes) for (const to of modes) if (from !== to) all.push(await run(from, to));
      return all;
    },
    [modes, glb] as const,
  );
  for (const { from, to, threading, leaks, errors } of all) {
    expect({ threading, leaks, errors }, `${from} to ${to}`).toEqual({
      threading: from,
      leaks: [],
      errors: [],
    });
  }
  expect(new Set(all.flatMap(({ loaded, running }) => [loaded, running])).size).toBe(1);
});

test('R3: pictures requested while a device is lost and threads change still arrive', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async (modes) => {
    const { kit } = window;
    const seen = [];
    for (const threading of modes) {
      const engine = await window.fencepost.createEngine(kit.view, { threading });
      const events = kit.listen(engine);
      kit.addScene(engine);
      await engine.step(0);
      const pictures = new Set([await kit.picture(engine)]);
      for (const to of ['single', 'render', threading] as const) {
        const asked = [kit.picture(engine), engine.simulateDeviceLoss(), engine.setThreading(to)];
        for (const picture of await Promise.all([...asked, kit.picture(engine)]))
          if (picture) pictures.add(picture);
      }
      const { leaks } = await engine.dispose();
      seen.push({ pictures: [...pictures], leaks, errors: events.filter((event) => /^error/.test(event)) });
    }
    return seen;
  }, modes);
  for (const { leaks, errors } of seen) expect({ leaks, errors }).toEqual({ leaks: [], errors: [] });
  expect(new Set(seen.flatMap(({ pictures }) => pictures)).size).toBe(1);
});

test('R3: a failed switch rejects and the old threads continue; a failed start leaves the canvas usable', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/no-such-file|404|Failed to load/);
  await openEnginePage(page, plainURL);
  const result = await page.evaluate(async () => {
    const { kit } = window;
    const workerUrl = '/no-such-file.js';
    const engine = await window.fencepost.createEngine(kit.view, {
      threading: 'single',
      workerUrl,
      background: '#00f',
    });
    const { canvas } = engine;
    const events = kit.listen(engine);
    await engine.step(0);
    const refusals = [];
    for (const mode of ['render', 'render+rhi', 'both'] as const)
      refusals.push((await kit.refusal(() => engine.setThreading(mode as 'render'))).code);
    await engine.step(0);
    const pixel = kit.pixel(await engine.captureFrame(), 64, 64);
    const isSame = engine.canvas === canvas && kit.view.children.length === 1;
    const { threading } = engine;
    await engine.dispose();

    const own = document.createElement('canvas');
    kit.view.append(own);
    const failed = await kit.refusal(() => window.fencepost.createEngine(own, { workerUrl }));
    const next = await window.fencepost.createEngine(own, { background: '#0f0' });
    await next.step(0);
    const after = kit.pixel(await next.captureFrame(), 64, 64);
    await next.dispose();
    own.remove();
    return { refusals, pixel, isSame, threading, events, failed: failed.code, after };
  });
  expect(result).toEqual({
    refusals: ['worker-failed-to-start', 'worker-failed-to-start', 'option-invalid'],
    pixel: [0, 0, 255, 255],
    isSame: true,
    threading: 'single',
    events: [],
    failed: 'worker-failed-to-start',
    after: [0, 255, 0, 255],
  });
});

test('R3: a new canvas takes the attributes and the place of the old one; size, focus and controls follow', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async () => {
    const { kit } = window;
    const canvas = document.createElement('canvas');
    canvas.id = 'mine';
    canvas.className = 'a b';
    canvas.tabIndex = 3;
    canvas.dataset.kind = 'view';
    canvas.setAttribute('aria-label', 'A scene');
    canvas.style.cssText = 'width:100px;height:50px';
    const after = document.createElement('i');
    kit.view.append(document.createElement('b'), canvas, after);
    const engine = await window.fencepost.createEngine(canvas, { threading: 'single', background: '#123' });
    kit.addScene(engine);
    const controls = window.fencepost.orbitControls(engine, engine.world.addCamera({ position: [0, 0, 4] }));
    await engine.step(0);
    canvas.focus();
    const changed: unknown[] = [];
    engine.addEventListener('surfacechange', ({ detail }) =>
      changed.push(
        detail.oldCanvas === canvas,
        detail.newCanvas === engine.canvas,
        engine.canvas.isConnected,
      ),
    );
    await engine.setThreading('render');
    const fresh = engine.canvas;
    const attributes = ['id', 'class', 'tabindex', 'data-kind', 'aria-label', 'style'].map((name) =>
      fresh.getAttribute(name),
    );
    const isPlaced = fresh.nextSibling === after && !canvas.isConnected;
    const isFocused = document.activeElement === fresh;
    const azimuth = controls.azimuth;
    const pointer = {
      pointerId: 1,
      isPrimary: true,
      bubbles: true,
      clientX: 20,
      clientY: 20,
      button: 0,
      buttons: 1,
    };
    fresh.setPointerCapture = () => {};
    fresh.dispatchEvent(new PointerEvent('pointerdown', pointer));
    fresh.dispatchEvent(new PointerEvent('pointermove', { ...pointer, clientX: 60 }));
    fresh.dispatchEvent(new PointerEvent('pointerup', pointer));
    const hasTurned = controls.azimuth !== azimuth;
    const resized = new Promise((resolve) =>
      engine.addEventListener('resize', ({ detail }) => resolve(detail)),
    );
    fresh.style.width = '80px';
    const size = await resized;
    await engine.step(0);
    const { width, height } = await engine.captureFrame();
    await engine.dispose();
    kit.view.replaceChildren();
    return { changed, attributes, isPlaced, isFocused, hasTurned, size, captured: { width, height } };
  });
  expect(result).toMatchObject({
    changed: [true, true, true],
    isPlaced: true,
    isFocused: true,
    hasTurned: true,
    size: { width: 80, height: 50 },
    captured: { width: 80, height: 50 },
  });
  expect(result.attributes.slice(0, 5)).toEqual(['mine', 'a b', '3', 'view', 'A scene']);
  expect(result.attributes[5]).toMatch(/width: ?100px/);
});

test('R5: the lag can be switched while running without losing a frame', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async () => {
    const { kit } = window;
    const engine = await window.fencepost.createEngine(kit.view, { background: '#123' });
    kit.addScene(engine);
    const events = kit.listen(engine);
    await engine.step(0);
    const before = await kit.picture(engine);
    engine.start();
    const lags = [engine.oneFrameThreadLag];
    for (let time = 0; time < 6; time++) {
      engine.oneFrameThreadLag = !engine.oneFrameThreadLag;
      lags.push(engine.oneFrameThreadLag);
      await Promise.all([engine.step(0), engine.step(0)]);
    }
    engine.stop();
    const after = await kit.picture(engine);
    await engine.dispose();
    return { isSame: before === after, lags, events };
  });
  expect(result).toEqual({ isSame: true, lags: [true, false, true, false, true, false, true], events: [] });
});
