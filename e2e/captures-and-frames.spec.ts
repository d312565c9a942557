import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

// R11: captures of any size in the life of an engine.

test('R11: captures of any size survive lost devices and changes of threads, and refuse bad options', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async (modes) => {
    const { boxGeometry, createEngine, unlitMaterial } = window.fencepost;
    const { kit } = window;
    const results: unknown[] = [];
    const another = await createEngine(document.createElement('canvas'), { backend: 'null' });
    const foreign = another.addView({ camera: another.world.addCamera() });
    for (const [index, threading] of modes.entries()) {
      const engine = await createEngine(kit.view, { threading, antialias: false, validation: true });
      const events = kit.listen(engine);
      const { world } = engine;
      world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#f00' }) });
      const camera = world.addCamera({ position: [0, 0, 2] });
      const view = engine.addView({ camera, rect: { x: 0, y: 0, width: 0.5, height: 0.5 } });
      // The first frame is drawn for the capture.
      const sizes = [await engine.captureFrame({ width: 20, height: 10 })];
      await engine.step(0);
      sizes.push(await engine.captureFrame({ height: 30 }), await view.captureFrame({ width: 12 }));
      // A view in the left half of its own canvas of 80 × 40 pixels is a square.
      const canvas = document.createElement('canvas');
      canvas.style.cssText = 'width: 80px; height: 40px';
      document.body.append(canvas);
      const half = engine.addView({ camera, canvas, rect: { x: 0, y: 0, width: 0.5, height: 1 } });
      await engine.whenReady();
      await engine.step(0);
      sizes.push(await half.captureFrame({ width: 24 }));
      half.dispose();
      canvas.remove();
      const wide = { width: 2060, height: 6, samples: 3 };
      const middle = async (capture: Promise<{ data: ArrayLike<number>; width: number }>) => {
        const { data, width } = await capture;
        return [...new Uint8ClampedArray(data).slice((3 * width + 1030) * 4, (3 * width + 1031) * 4)].join();
      };
      const pictures = [await middle(engine.captureFrame(wide))];
      const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
      const across = middle(engine.captureFrame(wide));
      await engine.simulateDeviceLoss();
      await restored;
      pictures.push(await across);
      const moved = middle(engine.captureFrame(wide));
      await engine.setThreading(modes[(index + 1) % modes.length] ?? 'single');
      pictures.push(await moved);
      engine.start();
      pictures.push(await middle(engine.captureFrame({ ...wide, view })));
      engine.stop();
      // Twice the largest texture of the device.
      const widest = await engine.captureFrame({ width: 16384, height: 3 });
      pictures.push(kit.pixel(widest, 8192, 1).join());
      // Two captures of one frame.
      const both = await Promise.all([engine.captureFrame(wide), view.captureFrame({ width: 8 })]);
      pictures.push(kit.pixel(both[0], 1030, 3).join());
      const codes: string[] = [];
      const refuse = async (options: unknown, of: { captureFrame(options: never): unknown } = engine) => {
        codes.push((await kit.refusal(() => of.captureFrame(options as never))).code);
      };
      for (const options of [
        { width: 0 },
        { width: -4 },
        { width: 16385, height: 1 },
        { height: Number.POSITIVE_INFINITY },
        { width: 10.5 },
        { height: Number.NaN },
        { width: '10' },
        { width: null },
        { samples: 65 },
        { samples: 0 },
        { samples: 1.5 },
        { samples: Number.NaN },
        { size: 10 },
        3,
        null,
        { view: {} },
        { view: foreign },
      ])
        await refuse(options);
      await refuse({ view }, view);
      view.enabled = false;
      await refuse({ width: 10 }, view);
      view.enabled = true;
      const outcome = (pending: Promise<unknown>) =>
        pending.then(
          () => 'captured',
          ({ code }) => code,
        );
      const without = outcome(view.captureFrame(wide));
      view.dispose();
      const outcomes = [await without];
      await refuse({ width: 10 }, view);
      const late = outcome(engine.captureFrame(wide));
      const { leaks } = await engine.dispose();
      outcomes.push(await late);
      await refuse({ width: 10 });
      results.push({
        sizes: sizes.map(({ width, height, data }) => [width, height, data.length / 4 / width]),
        pictures,
        codes,
        outcomes,
        events: events.filter((event) => event.startsWith('error')),
        leaks,
      });
    }
    await another.dispose();
    return results;
  }, MODES);
  expect(results).toHaveLength(MODES.length);
  for (const result of results) {
    expect.soft(result).toEqual({
      sizes: [
        [20, 10, 10],
        [30, 30, 30],
        [12, 12, 12],
        [24, 24, 24],
      ],
      pictures: Array(6).fill('255,0,0,255'),
      codes: [
        ...Array(12).fill('option-out-of-range'),
        'option-unknown',
        ...Array(4).fill('option-invalid'),
        'option-unknown',
        'view-not-drawn',
        'option-invalid',
        'engine-disposed',
      ],
      outcomes: ['option-invalid', 'engine-disposed'],
      events: [],
      leaks: [],
    });
  }
});

test('R11: captures of any size need no visible canvas, unless a size is missing', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async (modes) => {
    const { boxGeometry, createEngine, unlitMaterial } = window.fencepost;
    const { kit } = window;
    const results: unknown[] = [];
    for (const threading of modes) {
      const canvas = document.createElement('canvas');
      const hidden = document.createElement('div');
      hidden.style.display = 'none';
      hidden.append(canvas);
      document.body.append(hidden);
      const engine = await createEngine(canvas, { threading, antialias: 4, validation: true });
      const events = kit.listen(engine);
      engine.world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#0f0' }) });
      engine.world.addCamera({ position: [0, 0, 2] });
      const { code } = await kit.refusal(() => engine.captureFrame({ width: 8 }));
      const picture = await engine.captureFrame({ width: 8, height: 6, samples: 2 });
      const { leaks } = await engine.dispose();
      hidden.remove();
      results.push({ code, middle: kit.pixel(picture, 4, 3).join(), events, leaks });
    }
    return results;
  }, MODES);
  expect(results).toEqual(
    MODES.map(() => ({ code: 'canvas-hidden', middle: '0,255,0,255', events: [], leaks: [] })),
  );
});

test('R11: a tile that exceeds the memory for read-backs rejects its capture, and the engine continues', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async (modes) => {
    const { boxGeometry, createEngine, unlitMaterial } = window.fencepost;
    const { kit } = window;
    const results: unknown[] = [];
    for (const threading of modes) {
      const engine = await createEngine(kit.view, { threading, maximumReadBackBytes: 65536 });
      const events = kit.listen(engine);
      engine.world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#0f0' }) });
      engine.world.addCamera({ position: [0, 0, 2] });
      const { name, code } = await kit.refusal(() => engine.captureFrame({ width: 200, height: 200 }));
      const picture = await engine.captureFrame({ width: 60, height: 60 });
      const { leaks } = await engine.dispose();
      results.push({ name, code, middle: kit.pixel(picture, 30, 30).join(), events, leaks });
    }
    return results;
  }, MODES);
  const events = ['error staging-exhausted'];
  expect(results).toEqual(
    MODES.map(() => ({ name: 'RhiError', code: 'capture-failed', middle: '0,255,0,255', events, leaks: [] })),
  );
});

test('R11: captures change nothing in later frames, and free their memory', async ({ page, isolatedURL }) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async (modes) => {
    const { boxGeometry, createEngine, planeGeometry, sphereGeometry, standardMaterial } = window.fencepost;
    const { kit } = window;
    const run = async (threading: (typeof modes)[number], isCapturing: boolean) => {
      const engine = await createEngine(kit.view, { threading, antialias: 'taa', validation: true });
      const events = kit.listen(engine);
      const { world } = engine;
      engine.effects = { autoExposure: { speedUp: 2, speedDown: 2 }, grain: { amount: 0.1 }, bloom: true };
      const camera = world.addCamera({ position: [0, 1.5, 4], lookAt: [0, 0.5, 0] });
      const sun = world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 1, castShadow: true });
      world.setAmbient('#fff', 0.5);
      const stone = standardMaterial({ baseColor: '#8a9bb0', roughness: 0.8 });
      world.addMesh({ geometry: planeGeometry({ size: 20, facing: 'y' }), material: stone });
      const wall = boxGeometry({ size: [2, 1, 0.2] });
      world.addMesh({ geometry: wall, material: stone, position: [-0.5, 0.5, -1], occluder: true });
      const ball = world.addMesh({ geometry: sphereGeometry({ radius: 0.3 }), material: stone });
      for (let index = 0; index < 8; index++)
        world.addMesh({
          geometry: boxGeometry({ size: 0.3 }),
          material: standardMaterial({ baseColor: '#c8553d', opacity: index % 2 ? 0.5 : 1 }),
          position: [index * 0.5 - 2, 0.2, index % 3 ? -2.5 : 0],
        });
      for (const sort of [true, false])
        world.addParticles({
          rate: 60,
          life: 1.5,
          velocity: [0, 2, 0],
          spread: 0.6,
          gravity: [0, -5, 0],
          collide: { distance: 0.05 },
          size: 0.15,
          color: '#fd4',
          seed: 4,
          sort,
          position: [sort ? 1 : -1, 0.5, 0],
        });
      let seconds = 0;
      world.onTick((delta) => {
        seconds += delta;
        ball.position = [Math.sin(seconds * 3), 0.3, 0.5];
      });
      const rect = { x: 0.6, y: 0, width: 0.4, height: 0.4 };
      const part = engine.addView({ camera, rect, antialias: 'fxaa', effects: { autoExposure: false } });
      const frames: unknown[] = [];
      const memory: number[] = [];
      for (let step = 0; step < 7; step++) {
        if (step === 4) sun.light!.intensity = 6;
        await engine.step(0.1);
        await engine.whenReady();
        const picture = await kit.picture(engine);
        const { visible, primitives, drawCalls, skippedDraws } = engine.stats();
        frames.push({ step, picture, visible, primitives, drawCalls, skippedDraws });
        if (step === 2 || step === 5) {
          // A capture produces a frame.
          await (isCapturing ? part.captureFrame({ width: 40, samples: 3 }) : engine.step(0));
        }
        if (step === 4 || step === 5) {
          await (isCapturing ? engine.captureFrame({ width: 2100, height: 90, samples: 2 }) : engine.step(0));
        }
        await engine.flush();
        await engine.flush();
        memory.push(engine.stats().memory.gpu);
      }
      const { leaks } = await engine.dispose();
      return { frames, events, leaks, memory };
    };
    const results: { frames: unknown; plain: unknown; rest: unknown; memory: number[][] }[] = [];
    for (const threading of modes) {
      const plain = await run(threading, false);
      const { frames, events, leaks, memory } = await run(threading, true);
      results.push({ frames, plain: plain.frames, rest: { events, leaks }, memory: [plain.memory, memory] });
    }
    return results;
  }, MODES);
  expect(results).toHaveLength(MODES.length);
  for (const { frames, plain, rest, memory } of results) {
    expect.soft(frames).toEqual(plain);
    expect.soft(rest).toEqual({ events: [], leaks: [] });
    const [least = [], found = []] = memory;
    // Buffers keep the size that captures needed, but targets and sums are freed.
    expect.soft(found.at(-1), String(memory)).toBeLessThan((least.at(-1) as number) + 2 ** 20);
  }
});
