/** Code that the engine loads on demand: captures, the flight recorder, validation, the backend without a GPU. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

for (const isIsolated of [true, false]) {
  const isolation = isIsolated ? 'isolated' : 'not isolated';
  for (const threading of modesOf(isIsolated)) {
    test(`a capture of two frames replays to the same pixels, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const { captured, replayed, frames, errors } = await page.evaluate(async (mode) => {
        const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
        const engine = await createEngine(window.kit.view, { threading: mode, pixelRatio: 1 });
        const { world } = engine;
        world.addCamera({ position: [3, 2, 4], lookAt: [0, 0, 0] });
        world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3, castShadow: true });
        const material = standardMaterial({ baseColor: '#ff7a1a' });
        const cube = world.addMesh({ geometry: boxGeometry(), material });
        world.addMesh({ geometry: boxGeometry({ size: [4, 0.1, 4] }), material, position: [0, -1, 0] });
        await engine.step(0.1);
        // After this change, the earlier pipelines are still alive, but their bind group layout is destroyed.
        world.setAmbient('#8fa3c8', 0.5);
        world.onTick((seconds) => cube.rotateY(seconds));
        // The capture begins after the first frame, so the file must include everything that exists by then.
        await engine.step(0.1);
        await engine.startCapture();
        await engine.step(0.1);
        await engine.step(0.1);
        const file = await engine.stopCapture();
        const shown = await engine.captureFrame();
        await engine.dispose();

        const { picture, ...replay } = await window.kit.replayed(file);
        return { captured: window.kit.hash(shown.data), replayed: picture, ...replay };
      }, threading);
      expect(errors).toEqual([]);
      expect(frames).toBe(2);
      expect(replayed).toBe(captured);
    });

    test(`a capture that begins while draws are in a bundle includes the bundle, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const { captured, replayed, errors } = await page.evaluate(async (mode) => {
        const { createEngine, boxGeometry, unlitMaterial } = window.fencepost;
        const engine = await createEngine(window.kit.view, { threading: mode, pixelRatio: 1 });
        const { world } = engine;
        world.addCamera({ position: [0, 0, 20], lookAt: [0, 0, 0] });
        for (let index = 0; index < 72; index++) {
          world.addMesh({
            geometry: boxGeometry({ size: 0.4 + index / 1000 }),
            material: unlitMaterial({ baseColor: `#${(0x402010 + index).toString(16)}` }),
            position: [(index % 9) - 4, Math.floor(index / 9) - 4, 0],
          });
        }
        for (let frame = 0; frame < 5; frame++) await engine.step(0.1);
        await engine.startCapture();
        await engine.step(0.1);
        const file = await engine.stopCapture();
        const shown = await engine.captureFrame();
        await engine.dispose();

        const { picture, ...replay } = await window.kit.replayed(file);
        return { captured: window.kit.hash(shown.data), replayed: picture, ...replay };
      }, threading);
      expect(errors).toEqual([]);
      expect(replayed).toBe(captured);
    });

    test(`startCapture resolves if the engine is disposed of meanwhile, and rejects afterwards, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const outcomes = await page.evaluate(async (mode) => {
        const engine = await window.fencepost.createEngine(window.kit.view, {
          threading: mode,
          pixelRatio: 1,
        });
        engine.world.addCamera({ position: [3, 2, 4], lookAt: [0, 0, 0] });
        await engine.step(0.1);
        const started = engine.startCapture();
        await engine.dispose();
        const outcomeOf = (promise: Promise<void>) => promise.then(() => 'resolved', String);
        return [await outcomeOf(started), await outcomeOf(engine.startCapture())];
      }, threading);
      expect(outcomes).toEqual(['resolved', 'StateError: The engine was disposed. Create another one.']);
    });

    test(`validation reports nothing about the renderer, and changes no pixel, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const pictures = await page.evaluate(async (mode) => {
        const { createEngine, sphereGeometry, standardMaterial } = window.fencepost;
        const hashes: string[] = [];
        for (const validation of [false, true]) {
          const engine = await createEngine(window.kit.view, { threading: mode, validation, pixelRatio: 1 });
          const { world } = engine;
          world.addCamera({ position: [0, 0, 4], lookAt: [0, 0, 0] });
          world.addPointLight({ position: [2, 2, 3], intensity: 60 });
          const geometry = sphereGeometry({ radius: 0.6, segments: 16 });
          const material = standardMaterial({ baseColor: '#2a7aff', roughness: 0.4 });
          const left = world.addMesh({ geometry, material, position: [-0.8, 0, 0] });
          world.addMesh({ geometry, material, position: [0.8, 0, 0] });
          await engine.step(0.1);
          left.destroy();
          await engine.step(0.1);
          const { data } = await engine.captureFrame();
          hashes.push(`${window.kit.hash(data)} ${engine.stats().skippedDraws}`);
          await engine.dispose();
        }
        return hashes;
      }, threading);
      expect(pictures[1]).toBe(pictures[0]);
      expect(pictures[0]).toMatch(/ 0$/);
    });

    test(`an error event has a recording of the frames before it, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const recording = await page.evaluate(async (mode) => {
        const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
        const engine = await createEngine(window.kit.view, {
          threading: mode,
          pixelRatio: 1,
          flightRecorder: { seconds: 1 },
        });
        const { world } = engine;
        world.addCamera({ position: [3, 2, 4], lookAt: [0, 0, 0] });
        world.addMesh({ geometry: boxGeometry(), material: standardMaterial({}) });
        engine.addEventListener('error', () => {});
        const recorded = new Promise<{ file: ArrayBuffer; code: string }>((resolve) =>
          engine.addEventListener('flightrecording', ({ detail: { file, error } }) =>
            resolve({ file, code: error.code }),
          ),
        );
        for (let frame = 0; frame < 3; frame++) await engine.step(0.1);
        world.onTick(() => {
          throw new Error('a slip of the page');
        });
        await engine.step(0.1);
        const { file, code } = await recorded;
        await engine.dispose();
        const rhiModule = '/dist/rhi.js';
        const { decodeCapture } = (await import(rhiModule)) as typeof import('fencepost/rhi');
        const capture = decodeCapture(file);
        return { code, commands: capture.renderCommands?.stream.length ?? 0, words: capture.stream.length };
      }, threading);
      expect(recording.code).toBe('tick-failed');
      expect(recording.words).toBeGreaterThan(0);
      expect(recording.commands).toBeGreaterThan(0);
    });
  }
}

test('stopCapture without startCapture or without a frame rejects with the reason', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const refusals = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    const without = await window.kit.refusal(() => engine.stopCapture());
    await engine.startCapture();
    const empty = await window.kit.refusal(() => engine.stopCapture());
    await engine.dispose();
    return [without.code, empty.code];
  });
  expect(refusals).toEqual(['no-capture', 'capture-empty']);
});

test('the backend without a GPU runs in a worker', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  const frames = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view, { backend: 'null' });
    await engine.step(0.1);
    await engine.step(0.1);
    const { frame } = engine.stats();
    await engine.dispose();
    return frame;
  });
  expect(frames).toBe(2);
});

test('without worker-tools.js, calls that need it reject, and the engine continues', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/404|Failed to load resource/);
  await page.context().route(/worker-tools/, (route) => route.fulfill({ status: 404 }));
  await openEnginePage(page, plainURL);
  const outcome = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    const refused = await window.kit.refusal(() => engine.startCapture());
    await engine.step(0.1);
    await engine.flush();
    return { refused, report: await engine.dispose() };
  });
  expect(outcome.refused).toMatchObject({ name: 'ThreadError', code: 'features-missing' });
  expect(outcome.report.leaks).toEqual([]);
});

test('an engine that can’t start reports the missing file, and leaves no worker', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/404|Failed to load resource/);
  await openEnginePage(page, plainURL);
  await page.context().route(/worker-tools/, (route) => route.fulfill({ status: 404 }));
  const { code } = await page.evaluate(() =>
    window.kit.refusal(() => window.fencepost.createEngine(window.kit.view, { flightRecorder: true })),
  );
  expect(code).toBe('features-missing');
  await expect.poll(() => page.workers().length).toBe(0);
  // A file with other content counts as missing. The engine does not start without the requested validation.
  await page.context().unroute(/worker-tools/);
  await page
    .context()
    .route(/worker-tools/, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'export const other = 1;' }),
    );
  const refused = await page.evaluate(() =>
    window.kit.refusal(() => window.fencepost.createEngine(window.kit.view, { validation: true })),
  );
  expect(refused.code).toBe('features-missing');
});

test('pending calls reject with the reason when the engine is disposed of', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  const codes = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    await engine.step(0.1);
    const pending = [
      () => engine.startCapture(),
      () => engine.startTrace(),
      () => engine.flush(),
      () => engine.captureFrame(),
    ].map((call) =>
      (call() as Promise<unknown>).then(
        () => 'answered before',
        (error: { code: string }) => error.code,
      ),
    );
    await engine.dispose();
    return Promise.all(pending);
  });
  for (const code of codes) expect(['answered before', 'engine-disposed']).toContain(code);
  expect(codes[3]).toBe('engine-disposed');
});

test('offline, calls that need further files reject, all others continue, and dispose loads nothing', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/ERR_FAILED|Failed to load|Failed to fetch/);
  await openEnginePage(page, plainURL);
  await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    await engine.step(0.1);
    Object.assign(window, { engine });
  });
  await page.context().route(/\/dist\//, (route) => route.abort());
  const { codes, width, leaks } = await page.evaluate(async () => {
    const { engine } = window as unknown as { engine: import('fencepost').Engine };
    const codes: string[] = [];
    for (const call of [() => engine.startCapture(), () => engine.startTrace(), () => engine.fences()]) {
      codes.push((await window.kit.refusal(call)).code);
    }
    const { width } = await engine.captureFrame();
    await engine.flush();
    return { codes, width, leaks: (await engine.dispose()).leaks };
  });
  expect(codes).toEqual(['features-missing', 'part-missing', 'part-missing']);
  expect(width).toBeGreaterThan(0);
  expect(leaks).toEqual([]);
  await expect.poll(() => page.workers().length).toBe(0);
});
