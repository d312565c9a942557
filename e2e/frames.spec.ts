/** The frame protocol as it really runs, in the page: who is in which frame, and what waits for what. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

interface Span {
  readonly lane: string;
  readonly frame: number;
  readonly begin: number;
  readonly end: number;
}

/** Runs 40 frames in which the game computes for a while, and returns the log of who worked when on what. */
async function runLogged(page: import('@playwright/test').Page, oneFrameThreadLag: boolean): Promise<Span[]> {
  const trace = await page.evaluate(async (lag) => {
    const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
    window.kit.view.style.cssText = 'width:16px;height:16px';
    const engine = await createEngine(window.kit.view, { oneFrameThreadLag: lag });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 40], lookAt: [0, 0, 0], far: 100 });
    world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
    const geometry = boxGeometry();
    const material = standardMaterial({ baseColor: '#48f' });
    const actors = Array.from({ length: 200 }, (_, index) =>
      world.addMesh({
        geometry,
        material,
        position: [(index % 20) - 10, Math.floor(index / 20) - 5, 0],
        scale: 0.5,
      }),
    );
    await engine.step(0);
    world.onTick((deltaSeconds) => {
      for (const actor of actors) actor.rotateY(deltaSeconds);
      const began = performance.now();
      while (performance.now() - began < 20); // the game's own work, longer than the GPU's
    });
    await engine.startTrace();
    // Free-running: each step begins as soon as the frame protocol lets it, not at an animation frame.
    await Promise.all(Array.from({ length: 40 }, () => engine.step(0.01)));
    await engine.flush();
    const result = await engine.stopTrace();
    await engine.dispose();
    return result;
  }, oneFrameThreadLag);
  const lanes = new Map(
    trace.traceEvents
      .filter(({ name }) => name === 'thread_name')
      .map(({ tid, args }) => [tid, String(args.name)]),
  );
  return trace.traceEvents
    .filter(({ ph }) => ph === 'X')
    .map(({ tid, ts, dur, args }) => ({
      lane: lanes.get(tid) ?? '',
      frame: Number(args.frame),
      begin: ts ?? 0,
      end: (ts ?? 0) + (dur ?? 0),
    }));
}

test('R5, R15: with lag the game is in N while the render thread is in N − 1, and never further ahead', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const spans = await runLogged(page, true);
  const game = spans.filter(({ lane }) => lane === 'game');
  const render = new Map(spans.filter(({ lane }) => lane === 'render').map((span) => [span.frame, span]));
  expect(game.length).toBe(40);

  const overlapping = game.filter((span) => {
    const before = render.get(span.frame - 1);
    return before !== undefined && before.begin < span.end && before.end > span.begin;
  });
  console.log(`game N overlapped render N − 1 in ${overlapping.length} of ${game.length} frames`);
  // How often depends on how busy the machine is: a render thread that waits for the GPU works when it may.
  expect(overlapping.length).toBeGreaterThan(0);
  for (const span of game) {
    const twoBefore = render.get(span.frame - 2);
    // Clocks of two threads agree to about 0.1 ms.
    if (twoBefore) expect(twoBefore.end).toBeLessThanOrEqual(span.begin + 200);
  }
});

test('R5: without lag they take turns', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const spans = await runLogged(page, false);
  const render = new Map(spans.filter(({ lane }) => lane === 'render').map((span) => [span.frame, span]));
  const game = spans.filter(({ lane }) => lane === 'game');
  expect([game.length, render.size]).toEqual([40, 40]);
  for (const span of game) {
    const before = render.get(span.frame - 1);
    if (before) expect(before.end).toBeLessThanOrEqual(span.begin + 200);
  }
});

test('R6, L9: flush waits for everything; a clean scene leaves no leaks; frameSync present steps as well', async ({
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

test('stats have every figure of the contract, numbers or null', async ({ page, plainURL }) => {
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

test('G6: what the game does while frame N is being drawn shows in N + 1, not in N', async ({
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
    // Frame 2 is on its way to the render thread: everything about the cube changes behind its back.
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

test('L9: disposing while frames are in flight and a capture is pending leaks nothing and leaves nobody waiting', async ({
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
