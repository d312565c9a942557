/** Observes the frame protocol in the page: which thread works on which frame, and which thread waits for another. */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';
import { atStartOfWorkers } from './workers.js';

interface Span {
  readonly lane: string;
  readonly frame: number;
  readonly begin: number;
  readonly end: number;
}

/**
 * Puts a gate into the render thread's frame. Events instead of time then decide how long recording takes. The
 * threads share a block of numbers. A thread that waits for more than ten seconds throws.
 */
async function gateRenderThread(context: BrowserContext, page: Page): Promise<void> {
  await atStartOfWorkers(context, `(${installGate})();`);
  await page.addInitScript(() => {
    const meeting = new Int32Array(new SharedArrayBuffer(24));
    Object.assign(window, { meeting });
    const NativeWorker = Worker;
    window.Worker = class extends NativeWorker {
      constructor(...parameters: ConstructorParameters<typeof Worker>) {
        super(...parameters);
        this.postMessage(meeting);
      }
    };
  });
}

/** Indices of the numbers in `meeting`. */
const NUMBERS = { entered: 0, recorded: 1, gameEntered: 2, gameLeft: 3, turns: 4, lag: 5 } as const;

/** Installs the gate. Runs in the worker before its script. Indices are those of `NUMBERS`. */
function installGate(): void {
  let meeting: Int32Array = new Int32Array(0);
  addEventListener('message', (event: MessageEvent) => {
    if (!(event.data instanceof Int32Array)) return;
    event.stopImmediatePropagation();
    meeting = event.data;
  });
  const waitUntil = (index: number, value: number): void => {
    for (let now = Atomics.load(meeting, index); now < value; now = Atomics.load(meeting, index)) {
      if (Atomics.wait(meeting, index, now, 10_000) === 'timed-out')
        throw new Error('The page did not open the gate within ten seconds.');
    }
  };
  globalThis.fencepostFrameStep = (step, frame) => {
    if (step === 'recorded') Atomics.store(meeting, 1, frame);
    else {
      Atomics.store(meeting, 0, frame);
      const lag = Atomics.load(meeting, 5);
      // With lag, recording lasts until the game has left the tick of the next frame.
      if (lag > frame) waitUntil(3, frame + 1);
      // Without lag, the page's event loop turns 20 times, and the game must not tick meanwhile.
      if (lag === 0) waitUntil(4, Atomics.load(meeting, 4) + 20);
    }
  };
}

const FRAMES = 40;

interface GatedRun {
  readonly spans: Span[];
  /** Per tick: its frame, and the last frames that the render thread had entered and recorded by then. */
  readonly ticks: { readonly frame: number; readonly entered: number; readonly recorded: number }[];
}

/**
 * Runs `FRAMES` frames through the gate. Returns the spans of each thread's work and the log of ticks.
 * @param isSwitched whether the engine is created with the opposite lag, and switched after its first frame
 */
async function runGated(page: Page, oneFrameThreadLag: boolean, isSwitched = false): Promise<GatedRun> {
  const { trace, ticks } = await page.evaluate(
    async ([lag, isSwitched, frames, { entered, recorded, gameEntered, gameLeft, turns, lag: lagIndex }]) => {
      const { meeting } = window as unknown as { meeting: Int32Array };
      const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
      window.kit.view.style.cssText = 'width:16px;height:16px';
      meeting[lagIndex] = -1;
      const engine = await createEngine(window.kit.view, { oneFrameThreadLag: lag !== isSwitched });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 4], lookAt: [0, 0, 0] });
      const cube = world.addMesh({ geometry: boxGeometry(), material: standardMaterial() });
      await engine.step(0);
      if (isSwitched) engine.oneFrameThreadLag = lag;
      meeting[lagIndex] = lag ? frames + 1 : 0;
      const ticks: { frame: number; entered: number; recorded: number }[] = [];
      world.onTick((deltaSeconds) => {
        const frame = ticks.length + 2;
        ticks.push({
          frame,
          entered: Atomics.load(meeting, entered),
          recorded: Atomics.load(meeting, recorded),
        });
        Atomics.store(meeting, gameEntered, frame);
        const began = performance.now();
        // With lag, the tick lasts until the render thread is in the previous frame, so neither thread can
        // continue alone.
        while (lag && frame > 2 && Atomics.load(meeting, entered) < frame - 1) {
          if (performance.now() - began > 10_000)
            throw new Error(`The render thread did not begin frame ${frame - 1} within ten seconds.`);
        }
        cube.rotateY(deltaSeconds);
        const met = performance.now();
        while (performance.now() - met < 2); // long enough to show in the log although the clocks differ by 0.1 ms
        Atomics.store(meeting, gameLeft, frame);
        Atomics.notify(meeting, gameLeft);
      });
      await engine.startTrace();
      // Each step begins as soon as the frame protocol allows it, not at an animation frame.
      let isDone = false;
      const all = Promise.all(Array.from({ length: frames }, () => engine.step(0.01))).finally(() => {
        isDone = true;
      });
      const { port1, port2 } = new MessageChannel();
      while (!isDone) {
        await new Promise((resolve) => {
          port2.onmessage = resolve;
          port1.postMessage(0);
        });
        Atomics.add(meeting, turns, 1);
        Atomics.notify(meeting, turns);
      }
      await all;
      await engine.flush();
      const trace = await engine.stopTrace();
      await engine.dispose();
      return { trace, ticks };
    },
    [oneFrameThreadLag, isSwitched, FRAMES, NUMBERS] as const,
  );
  const spans = trace.traceEvents
    .filter(({ ph, name }) => ph === 'X' && /^(tick|update|record) /.test(name))
    .map(({ name, ts, dur, args }) => ({
      lane: name.startsWith('record') ? 'render' : 'game',
      frame: Number(args.frame),
      begin: ts ?? 0,
      end: (ts ?? 0) + (dur ?? 0),
    }));
  return { spans, ticks };
}

/** Returns each frame N whose game part overlapped in time with the render thread's work on frame N − 1. */
function overlaps(spans: readonly Span[]): number[] {
  const render = new Map(spans.filter(({ lane }) => lane === 'render').map((span) => [span.frame, span]));
  // The game part lasts from the start of the tick to the end of the update.
  const game: Span[] = [];
  for (const span of spans.filter(({ lane }) => lane === 'game')) {
    const tick = game.find(({ frame }) => frame === span.frame);
    if (tick) game[game.indexOf(tick)] = { ...tick, end: span.end };
    else game.push(span);
  }
  expect([game.length, render.size]).toEqual([FRAMES, FRAMES]);
  return game
    .filter(({ frame, begin, end }) => {
      const before = render.get(frame - 1);
      // Clocks of two threads agree to about 0.1 ms. Times are in microseconds.
      return before !== undefined && before.begin + 200 < end && before.end > begin + 200;
    })
    .map(({ frame }) => frame);
}

/** Expects that the game worked on N while the render thread worked on N − 1, in every frame after the first. */
function expectLag({ spans, ticks }: GatedRun): void {
  // The first frame was drawn without the gate. Each later frame could end only because both threads worked at
  // once.
  expect(overlaps(spans)).toEqual(Array.from({ length: FRAMES - 1 }, (_, index) => index + 3));
  expect(ticks.map(({ frame }) => frame)).toEqual(Array.from({ length: FRAMES }, (_, index) => index + 2));
  for (const { frame, recorded } of ticks) expect(recorded).toBeGreaterThanOrEqual(frame - 2);
}

/** Expects that each tick began after the previous frame had been recorded. */
function expectTurns({ spans, ticks }: GatedRun): void {
  expect(overlaps(spans)).toEqual([]);
  expect(ticks).toEqual(
    Array.from({ length: FRAMES }, (_, index) => ({
      frame: index + 2,
      entered: index + 1,
      recorded: index + 1,
    })),
  );
}

test('R5, R15: with lag the game is in frame N while the render thread is in frame N − 1, in every frame, and never further ahead', async ({
  page,
  context,
  isolatedURL,
}) => {
  await gateRenderThread(context, page);
  await openEnginePage(page, isolatedURL);
  expectLag(await runGated(page, true));
});

test('R5: without lag game and render thread take turns, also when the render thread is slow and the page is idle', async ({
  page,
  context,
  isolatedURL,
}) => {
  await gateRenderThread(context, page);
  await openEnginePage(page, isolatedURL);
  expectTurns(await runGated(page, false));
});

test('R5: a lag switched while running applies from the next frame on, in both directions', async ({
  page,
  context,
  isolatedURL,
}) => {
  await gateRenderThread(context, page);
  await openEnginePage(page, isolatedURL);
  expectTurns(await runGated(page, false, true));
  await openEnginePage(page, isolatedURL);
  expectLag(await runGated(page, true, true));
});

test('flush refuses unknown options', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  const error = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    const refusal = await window.kit.refusal(() => engine.flush({ GPU: true } as object));
    await engine.flush({ gpu: true, deferredDeletes: false });
    await engine.dispose();
    return refusal;
  });
  expect(error).toMatchObject({ name: 'OptionError', code: 'option-unknown' });
  expect(error.message).toMatch(/flush has no option "GPU".*gpu/);
});

test('R6, L9: with frameSync set to present, steps draw, flush waits for all releases, and an emptied scene leaves no leaks', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async () => {
    const { createEngine, sphereGeometry, standardMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { frameSync: 'present', threading: 'render+rhi' });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
    const actors = Array.from({ length: 20 }, (_, index) =>
      world.addMesh({ geometry: sphereGeometry({ segments: 8 + index }), material: standardMaterial() }),
    );
    for (let frame = 0; frame < 5; frame++) await engine.step(0.01);
    const full = engine.stats();
    for (const actor of actors) actor.destroy();
    for (let frame = 0; frame < 8; frame++) await engine.step(0.01);
    await engine.flush();
    const empty = engine.stats();
    return { full, empty, report: await engine.dispose() };
  });
  expect(result.full).toMatchObject({
    frame: 5,
    primitives: 20,
    visible: 20,
    framesInFlight: 0,
    skippedDraws: 0,
  });
  expect(result.empty).toMatchObject({
    frame: 13,
    primitives: 0,
    drawCalls: result.full.drawCalls - 20,
    pendingReleases: 0,
  });
  expect(result.report).toEqual({ leaks: [] });
});

test('stats have every documented figure, as a number or null', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  const stats = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    await engine.step(0.1);
    await engine.step(0.1);
    const figures = engine.stats();
    await engine.dispose();
    return { ...figures };
  });
  const names = [
    'frame',
    'gameThreadMs',
    'renderThreadMs',
    'rhiThreadMs',
    'gpuMs',
    'gameWaitMs',
    'renderWaitMs',
    'drawCalls',
    'instances',
    'primitives',
    'visible',
    'skippedDraws',
    'uploadBytes',
    'renderCommandBytes',
    'rhiCommandBytes',
    'liveResources',
    'pendingReleases',
    'framesInFlight',
    'presentedFrames',
  ] as const;
  for (const name of names) {
    if (name === 'gpuMs' && stats.gpuMs === null) continue;
    expect(stats[name], name).toBeGreaterThanOrEqual(0);
  }
  expect(stats.frame).toBe(2);
  expect(stats.rhiCommandBytes).toBeGreaterThan(0);
});

for (const threading of ['single', 'render', 'render+rhi'] as const) {
  test(`GPU times in ${threading} are measured once statistics are requested, also by replacement threads`, async ({
    page,
    plainURL,
  }) => {
    await openEnginePage(page, plainURL);
    const measured = await page.evaluate(async (threading) => {
      const adapter = await navigator.gpu.requestAdapter();
      const canMeasure = adapter?.features.has('timestamp-query');
      const engine = await window.fencepost.createEngine(window.kit.view, { threading });
      const stepUntilKnown = async (): Promise<number | null> => {
        while (canMeasure && engine.stats().gpuMs === null) await engine.step(0.1);
        return engine.stats().gpuMs;
      };
      await engine.step(0.1);
      const times = [await stepUntilKnown()];
      if (threading !== 'single') {
        await engine.setThreading(threading === 'render' ? 'render+rhi' : 'render');
        times.push(await stepUntilKnown());
      }
      const report = await engine.dispose();
      return { canMeasure, times, report };
    }, threading);
    for (const time of measured.times) {
      if (measured.canMeasure) expect(time).toBeGreaterThanOrEqual(0);
      else expect(time).toBeNull();
    }
    expect(measured.report).toEqual({ leaks: [] });
  });
}

test('G4: a frame sends only changed components, each once; a component with a new proxy does not send its parameters separately', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const sent = await page.evaluate(async () => {
    const { createEngine, boxGeometry, instanceColors, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { threading: 'single' });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
    const [shape, material] = [boxGeometry(), unlitMaterial()];
    const places = Array.from({ length: 2 }, () =>
      world.addInstances({ geometry: shape, material, count: 4, colors: instanceColors('rgb') }),
    );
    const meshes = Array.from({ length: 100 }, () => world.addMesh({ geometry: shape, material }).mesh!);
    const other = boxGeometry({ size: 2 });
    world.addMesh({ geometry: other, material });
    await engine.step(0);
    const [first, second] = meshes;
    const bytesOf = async (change: () => void): Promise<number> => {
      change();
      await engine.step(0);
      return engine.stats().renderCommandBytes;
    };
    const rest = await bytesOf(() => {});
    const above = async (change: () => void): Promise<number> => (await bytesOf(change)) - rest;
    const sent = {
      parameters: await above(() => {
        first!.castShadow = !first!.castShadow;
      }),
      twice: await above(() => {
        first!.castShadow = !first!.castShadow;
        first!.receiveShadow = !first!.receiveShadow;
        first!.layers = 2;
        first!.layers = 1;
      }),
      ofTwo: await above(() => {
        first!.castShadow = !first!.castShadow;
        second!.castShadow = !second!.castShadow;
      }),
      proxy: await above(() => {
        first!.geometry = other;
      }),
      both: await above(() => {
        first!.geometry = shape;
        first!.castShadow = !first!.castShadow;
      }),
      placesOfOne: await above(() => {
        for (const each of places) each.colors.fill(0.5);
        places[0]!.touch();
      }),
      placesOfTwo: await above(() => {
        for (const each of places) {
          each.colors.fill(0.25);
          each.touch();
        }
      }),
      after: await above(() => {}),
    };
    await engine.dispose();
    return sent;
  });
  expect(sent.parameters).toBeGreaterThan(0);
  expect(sent.proxy).toBeGreaterThan(0);
  expect(sent.placesOfOne).toBeGreaterThan(0);
  expect(sent).toEqual({
    parameters: sent.parameters,
    twice: sent.parameters,
    ofTwo: 2 * sent.parameters,
    proxy: sent.proxy,
    both: sent.proxy,
    placesOfOne: sent.placesOfOne,
    placesOfTwo: 2 * sent.placesOfOne,
    after: 0,
  });
});

test('G6: changes of the game while frame N is drawn show in N + 1, not in N', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const centers = await page.evaluate(async () => {
    const { createEngine, boxGeometry, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view);
    const { world } = engine;
    world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
    const material = unlitMaterial({ baseColor: '#0f0' });
    const cube = world.addMesh({ geometry: boxGeometry(), material });
    await engine.step(0);
    const drawn = engine.step(0.1);
    while (engine.stats().frame < 2) await Promise.resolve();
    // Frame 2 is on its way to the render thread while the game changes everything about the cube.
    material.baseColor = '#f00';
    cube.position.set(100, 0, 0);
    world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#00f' }) });
    await drawn;
    const frame2 = await engine.captureFrame();
    await engine.step(0.1);
    const frame3 = await engine.captureFrame();
    await engine.dispose();
    return [window.kit.pixel(frame2, 64, 64), window.kit.pixel(frame3, 64, 64)];
  });
  expect(centers).toEqual([
    [0, 255, 0, 255],
    [0, 0, 255, 255],
  ]);
});

test('G6: frame N is drawn as it was sent although the game has published N + 1 meanwhile', async ({
  page,
  context,
  isolatedURL,
}) => {
  await gateRenderThread(context, page);
  await openEnginePage(page, isolatedURL);
  const centers = await page.evaluate(async ({ gameLeft, lag }) => {
    const { meeting } = window as unknown as { meeting: Int32Array };
    const { createEngine, boxGeometry, unlitMaterial } = window.fencepost;
    meeting[lag] = -1;
    const engine = await createEngine(window.kit.view, { antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
    const material = unlitMaterial({ baseColor: '#0f0' });
    const cube = world.addMesh({ geometry: boxGeometry(), material });
    await engine.step(0);
    // The render thread begins to record frame 2, and goes on only after frame 3 has been published.
    meeting[lag] = 3;
    const second = engine.captureFrame();
    while (engine.stats().frame < 2) await Promise.resolve();
    material.baseColor = '#f00';
    cube.position.set(100, 0, 0);
    world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#00f' }) });
    const stepped = engine.step(0.1);
    while (engine.stats().frame < 3) {
      await new Promise<void>((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve();
        port2.postMessage(0);
      });
    }
    Atomics.store(meeting, gameLeft, 3);
    Atomics.notify(meeting, gameLeft);
    const frame2 = await second;
    await stepped;
    const frame3 = await engine.captureFrame();
    await engine.dispose();
    return [window.kit.pixel(frame2, 64, 64), window.kit.pixel(frame3, 64, 64)];
  }, NUMBERS);
  expect(centers).toEqual([
    [0, 255, 0, 255],
    [0, 0, 255, 255],
  ]);
});

test('L9: disposing while frames are in flight and a capture is pending leaks nothing and settles every promise', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
    const all = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await createEngine(window.kit.view, { threading });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
      world.addMesh({ geometry: boxGeometry(), material: standardMaterial() });
      engine.start();
      await engine.whenReady();
      const pending = [
        window.kit.refusal(() => Promise.all(Array.from({ length: 20 }, () => engine.step(0.01)))),
        window.kit.refusal(() => engine.captureFrame()),
      ];
      const { leaks } = await engine.dispose();
      const codes = (await Promise.all(pending)).map(({ code }) => code);
      all.push({ leaks: leaks.map(({ label }) => label), codes });
    }
    return all;
  });
  expect(results).toEqual(
    Array.from({ length: 3 }, () => ({ leaks: [], codes: ['engine-disposed', 'engine-disposed'] })),
  );
});

for (const isRunning of [true, false]) {
  const which = isRunning ? 'running' : 'stopped';
  test(`whenReady waits for images that only its own frame requests: ${which} engine`, async ({
    page,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolatedURL);
    const centers = await page.evaluate(async (isRunning) => {
      const { createEngine, boxGeometry, standardMaterial, texture } = window.fencepost;
      const canvas = new OffscreenCanvas(4, 4);
      const context = canvas.getContext('2d')!;
      context.fillStyle = '#0f0';
      context.fillRect(0, 0, 4, 4);
      const green = URL.createObjectURL(await canvas.convertToBlob());
      const all = [];
      for (const threading of ['single', 'render', 'render+rhi'] as const) {
        const engine = await createEngine(window.kit.view, { threading });
        const { world } = engine;
        world.addCamera({ position: [0, 0, 2], lookAt: [0, 0, 0] });
        const material = standardMaterial({
          baseColor: '#000',
          emissive: '#fff',
          emissiveTexture: texture(green),
        });
        world.addMesh({ geometry: boxGeometry(), material });
        if (isRunning) engine.start();
        await engine.whenReady();
        if (!isRunning) await engine.step(0);
        all.push(window.kit.pixel(await engine.captureFrame(), 64, 64));
        await engine.dispose();
      }
      return all;
    }, isRunning);
    expect(centers).toEqual(Array.from({ length: 3 }, () => [0, 255, 0, 255]));
  });
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`whenReady waits for an image from the moment a mesh uses it, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const pictures = await page.evaluate(async (modes) => {
      const { createEngine, boxGeometry, texture, unlitMaterial } = window.fencepost;
      const canvas = new OffscreenCanvas(4, 4);
      const context = canvas.getContext('2d')!;
      context.fillStyle = '#0f0';
      context.fillRect(0, 0, 4, 4);
      const png = await canvas.convertToBlob();
      const sources = {
        url: () => URL.createObjectURL(png),
        png: () => png,
        bitmap: () => createImageBitmap(png),
      };
      const all: Record<string, number[]> = {};
      for (const threading of modes) {
        for (const [kind, source] of Object.entries(sources)) {
          const engine = await createEngine(window.kit.view, { threading });
          const { world } = engine;
          world.addCamera({ position: [0, 0, 2], lookAt: [0, 0, 0] });
          await engine.step(0);
          const image = await source();
          const material = unlitMaterial({ baseColorTexture: texture(image) });
          const mesh = world.addMesh({ geometry: boxGeometry(), material });
          await engine.whenReady();
          await engine.step(0);
          all[`${threading}, ${kind}, stopped`] = window.kit.pixel(await engine.captureFrame(), 64, 64);

          mesh.destroy();
          engine.start();
          await engine.whenReady();
          world.addMesh({
            geometry: boxGeometry(),
            material: unlitMaterial({ baseColorTexture: texture(await source()) }),
          });
          await engine.whenReady();
          all[`${threading}, ${kind}, running`] = window.kit.pixel(await engine.captureFrame(), 64, 64);
          await engine.dispose();
        }
      }
      return all;
    }, modesOf(isolation));
    for (const [name, pixel] of Object.entries(pictures)) expect(pixel, name).toEqual([0, 255, 0, 255]);
    expect(Object.keys(pictures)).toHaveLength(6 * modesOf(isolation).length);
  });
}

test('whenReady draws an image that arrives while its own frame is being drawn', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const pictures = await page.evaluate(async () => {
    const { createEngine, boxGeometry, texture, unlitMaterial } = window.fencepost;
    const canvas = new OffscreenCanvas(4, 4);
    const context = canvas.getContext('2d')!;
    context.fillStyle = '#0f0';
    context.fillRect(0, 0, 4, 4);
    const green = await canvas.convertToBlob();
    const all = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await createEngine(window.kit.view, { threading });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 2], lookAt: [0, 0, 0] });
      const material = unlitMaterial();
      world.addMesh({ geometry: boxGeometry(), material });
      // The image is decoded already. A request during a frame of whenReady therefore completes before that
      // frame is submitted.
      const decoded = await createImageBitmap(green);
      const decode = window.createImageBitmap;
      window.createImageBitmap = () => Promise.resolve(decoded);
      await engine.step(0);
      engine.start();
      const { frame } = engine.stats();
      const ready = engine.whenReady();
      // The loop ends in a microtask right after whenReady has produced its frame. Nothing is pending for
      // that frame yet.
      while (engine.stats().frame === frame) await undefined;
      material.baseColorTexture = texture(green);
      await ready;
      window.createImageBitmap = decode;
      all.push(window.kit.pixel(await engine.captureFrame(), 64, 64));
      await engine.dispose();
    }
    return all;
  });
  expect(pictures).toEqual(Array.from({ length: 3 }, () => [0, 255, 0, 255]));
});

test('G1: the sum of frame times determines the number of fixed steps, in every mode, and their motion is drawn', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { kit, fencepost } = window;
    const seen: unknown[] = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await fencepost.createEngine(kit.view, {
        threading,
        background: '#000',
        antialias: false,
      });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 5], orthographic: { halfHeight: 4 } });
      const material = fencepost.unlitMaterial({ baseColor: '#fff' });
      const box = world.addMesh({ geometry: fencepost.boxGeometry(), material, position: [-3, 0, 0] });
      const times: number[] = [];
      // Each step of 1/50 s moves the box by a quarter of a metre.
      const end = world.onFixedTick(
        (_, timeSeconds) => {
          times.push(timeSeconds);
          box.position.x += 0.25;
        },
        { hertz: 50 },
      );
      for (const seconds of [0.03, 0.03, 0.001, 0.059, 1]) await engine.step(seconds);
      const frame = await engine.captureFrame();
      end();
      await engine.step(1);
      const row = [24, 48, 56, 72].map((x) => kit.pixel(frame, x, 64)[0]);
      seen.push({ times: times.map((time) => Math.round(time * 50)), row });
      await engine.dispose();
    }
    return seen;
  });
  // The first 120 ms contain six steps. The following second is limited to five steps. Each step moves the box
  // by four pixels, from pixel 16 on.
  const expected = { times: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], row: [0, 0, 255, 0] };
  expect(results).toEqual([expected, expected, expected]);
});
