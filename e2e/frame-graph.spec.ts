// X1, X3, X4, X5, H6: the frame graph, as `engine.frameGraph()` returns it and the overlay shows it.
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const threading of modesOf(isolation)) {
    test(`X5: a frame's graph is available as data, text, drawing and difference, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const result = await page.evaluate(async (threading) => {
        const { createEngine, renderTexture } = window.fencepost;
        const engine = await createEngine(window.kit.view, { threading });
        const { passes: beforeAll } = await engine.frameGraph();
        window.kit.addScene(engine);
        await engine.step(0);
        const graph = await engine.frameGraph();
        const again = (await engine.frameGraph()).changesSince(graph);
        const texture = renderTexture({ width: 32, height: 32 });
        engine.addView({ camera: engine.world.addCamera(), target: texture });
        await engine.step(0);
        const changes = (await engine.frameGraph()).changesSince(graph);
        // Times arrive some frames after their request.
        let timed = graph;
        for (let frame = 0; frame < 30 && timed.passes.some(({ gpuMs }) => gpuMs === null); frame++) {
          await engine.step(0);
          await engine.flush({ until: 'completed' });
          timed = await engine.frameGraph();
        }
        const svg = new DOMParser().parseFromString(graph.toSvg(), 'image/svg+xml');
        const { leaks } = await engine.dispose();
        return {
          beforeAll,
          names: graph.passes.map(({ name }) => name),
          text: graph.toString(),
          again,
          changes,
          times: timed.passes.map(({ gpuMs }) => gpuMs),
          drawn: [...svg.querySelectorAll('[font-weight=bold]')].map(({ textContent }) => textContent),
          leaks,
        };
      }, threading);
      expect(result.beforeAll).toEqual([]);
      expect(result.names).toEqual(['scene', 'tone mapping']);
      expect(result.drawn).toEqual(['scene', 'tone mapping']);
      expect(result.text.split('\n')).toEqual([
        'graph: 2 passes run, 0 more left out; transients share 0.9 MB (0.9 MB if unshared)',
        expect.stringMatching(
          /^ {2}1 raster {2}scene +graphics( {2}[\d.]+ ms)? {2}writes scene colour, 4 samples \(color\), scene colour \(resolve\), scene depth \(depth\)$/,
        ),
        expect.stringMatching(
          /^ {2}2 raster {2}tone mapping .*reads scene colour \(sampled\) {2}writes surface \(color\)$/,
        ),
        expect.stringMatching(
          /scene colour, 4 samples +texture 128 × 128 rgba16float, 4 samples .* scene to scene {2}memory 0$/,
        ),
        expect.stringMatching(
          /scene colour +texture 128 × 128 rgba16float .* scene to tone mapping {2}memory 1$/,
        ),
        expect.stringMatching(
          /scene depth +texture 128 × 128 depth32float, 4 samples .* scene to scene {2}memory 2$/,
        ),
        expect.stringMatching(/surface +texture 128 × 128 \w+ .* tone mapping to tone mapping {2}imported$/),
      ]);
      expect(result.again).toEqual([]);
      expect(result.changes).toContainEqual(expect.stringMatching(/^\+ raster {2}tone mapping, texture 0 /));
      expect(result.times.length).toBeGreaterThan(1);
      expect(result.times.filter((time) => typeof time !== 'number')).toEqual([]);
      expect(result.leaks).toEqual([]);
    });
  }
}

test('X3: views of one size share textures, so the second view adds only its picture', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async () => {
    const { createEngine, renderTexture } = window.fencepost;
    const engine = await createEngine(window.kit.view, {});
    window.kit.addScene(engine);
    const camera = engine.world.addCamera({ position: [0, 0, 5] });
    const bytes = async (): Promise<number> => {
      await engine.step(0);
      await engine.flush({ until: 'released' });
      const { textures, renderTargets } = engine.stats().memory;
      return textures + renderTargets;
    };
    const alone = await bytes();
    engine.addView({ camera, target: renderTexture({ width: 128, height: 128, mipmaps: false }) });
    const withOne = await bytes();
    const other = renderTexture({ width: 96, height: 96, mipmaps: false });
    const view = engine.addView({ camera, target: other });
    const withAnotherSize = await bytes();
    view.dispose();
    const { unsharedBytes, sharedBytes } = await (async () => {
      await engine.step(0);
      return engine.frameGraph();
    })();
    await engine.dispose();
    return { first: withOne - alone, another: withAnotherSize - withOne, ratio: sharedBytes / unsharedBytes };
  });
  // 4 bytes per texel.
  expect(result.first).toBe(128 * 128 * 4);
  // 56 more bytes per texel: colour with 4 samples (8 × 4), resolved colour (8), depth with 4 samples (4 × 4).
  expect(result.another).toBe(96 * 96 * (4 + 56));
  expect(result.ratio).toBeLessThanOrEqual(0.6);
});

test('X1, X5: shadow maps, environments and picks are timed passes of the graph', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async () => {
    const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, {});
    const { world } = engine;
    world.addCamera({ position: [0, 2, 5], lookAt: [0, 0, 0] });
    world.addDirectionalLight({ direction: [-1, -2, -1], castShadow: { mapSize: 128, cascades: 1 } });
    const box = world.addMesh({ geometry: boxGeometry(), material: standardMaterial({}) });
    const graphOf = async () => {
      await engine.step(0);
      const { passes } = await engine.frameGraph();
      return passes.map(({ name, reads }) => ({ name, reads: reads.map(({ resource }) => resource) }));
    };
    await graphOf();
    await graphOf();
    const resting = await graphOf();
    box.rotateY(0.5);
    const moving = await graphOf();
    let shadowTime: number | null = null;
    for (let frame = 0; frame < 30 && shadowTime === null; frame++) {
      box.rotateY(0.5);
      await engine.step(0);
      await engine.flush({ until: 'completed' });
      const { passes } = await engine.frameGraph();
      shadowTime = passes.find(({ name }) => name === 'shadow maps')?.gpuMs ?? null;
    }
    await world.setEnvironment('studio');
    const lit = await graphOf();
    const after = await graphOf();
    // The engine is idle, so the pick draws a frame of its own. The graph then describes that frame.
    const hit = (await engine.pick(64, 64))?.actor === box;
    const picked = (await engine.frameGraph()).passes.map(({ name }) => ({ name }));
    const { leaks } = await engine.dispose();
    return { resting, moving, shadowTime, lit, after, picked, hit, leaks };
  });
  const namesOf = (passes: readonly { readonly name: string }[]) => passes.map(({ name }) => name);
  expect(namesOf(result.moving)).toEqual(['shadow maps', 'scene', 'tone mapping']);
  // Unchanged shadow maps stay in the graph, so that its shape does not change.
  expect(result.resting).toEqual(result.moving);
  expect(result.moving[1]?.reads).toEqual(['shadow maps']);
  expect(result.shadowTime).toBeGreaterThanOrEqual(0);
  expect(namesOf(result.lit)).toContain('environment, irradiance');
  expect(namesOf(result.lit).filter((name) => name.startsWith('environment, reflected'))).toHaveLength(30);
  expect(namesOf(result.after)).toEqual(['shadow maps', 'scene', 'tone mapping']);
  expect(result.after[1]?.reads).toEqual(['shadow maps', 'environment', 'irradiance', 'reflectance']);
  expect(namesOf(result.picked)).toEqual(['shadow maps', 'pick', 'pick, read back', 'scene', 'tone mapping']);
  expect(result.hit).toBe(true);
  expect(result.leaks).toEqual([]);
});

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const threading of modesOf(isolation)) {
    test(`X1, X4: every pass of the engine is checked with validation, and the engine’s own copies and compute passes have a queue, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const results = await page.evaluate(async (threading) => {
        const { createEngine, boxGeometry, renderTexture, standardMaterial } = window.fencepost;
        const results = [];
        for (const validation of [true, false]) {
          const engine = await createEngine(window.kit.view, { threading, validation, renderer: 'deferred' });
          const errors: string[] = [];
          engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
          const { world } = engine;
          const camera = world.addCamera({ position: [0, 2, 5], lookAt: [0, 0, 0] });
          world.addDirectionalLight({ direction: [-1, -2, -1], castShadow: { mapSize: 128, cascades: 1 } });
          world.addMesh({ geometry: boxGeometry(), material: standardMaterial({}) });
          const target = renderTexture({ width: 32, height: 32 });
          engine.addView({ camera, target, exposure: 2 });
          engine.addView({ camera, canvas: new OffscreenCanvas(16, 16), antialias: false });
          engine.effects.vignette = true;
          await engine.step(0);
          await world.setEnvironment('studio');
          await engine.pick(64, 64);
          const { passes, resources } = await engine.frameGraph();
          const lives = resources.find(({ name }) => name === 'environment, unfiltered')?.lives;
          const { leaks } = await engine.dispose();
          const queues = passes
            .filter(({ queue, isCulled }) => queue !== 'graphics' && !isCulled)
            .map(({ name, queue }) => `${name}: ${queue}`);
          const checked = passes.filter(({ isChecked }) => isChecked).length;
          results.push({ count: passes.length, checked, queues, lives, errors, leaks });
        }
        return results;
      }, threading);
      const [strict, trusting] = results;
      expect(strict?.count).toBeGreaterThan(90);
      expect(strict?.checked).toBe(strict?.count);
      expect(trusting).toMatchObject({ count: strict?.count, checked: 0 });
      for (const { queues, lives, errors, leaks } of results) {
        expect(queues).toEqual(['environment, irradiance: compute', 'pick, read back: copy']);
        // The cube map lives until the last pass before the pass that waits for the irradiance.
        expect(lives).toEqual(['environment, source 1, level 0, face 0', 'shadow maps']);
        expect({ errors, leaks }).toEqual({ errors: [], leaks: [] });
      }
    });
  }
}

test('X4, H6: compute passes go to their queue, automatically and by hand, and resources live until the queue is awaited', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const engine = await createEngine(window.kit.view, { antialias: false });
    window.kit.addScene(engine);
    const source = `export default ({ graph }) => {
      const compute = (name, queue, readers) => graph.addPass('frame', () => ({
        name,
        kind: 'compute',
        ...(queue && { queue }),
        setup(builder) {
          // Only this pass uses the buffer. It lives longer than the pass only because the queue is awaited
          // later.
          const scratch = builder.createBuffer({ name: name + ' scratch', byteLength: 16 });
          builder.write(scratch, 'storage');
          builder.write(builder.createBuffer({ name: name + ' result', byteLength: 16 }), 'storage');
        },
        execute() {},
      }));
      compute('beside', undefined);
      compute('by hand', 'compute');
      compute('kept back', 'graphics');
      graph.addPass('picture', (picture) => ({
        name: 'last',
        kind: 'raster',
        setup(builder) {
          for (const name of ['beside', 'by hand', 'kept back']) builder.read(builder.findBuffer(name + ' result'), 'storage');
          picture.attach(builder);
        },
        execute() {},
      }));
    };`;
    await engine.addRenderModule(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
    await engine.startTrace();
    for (let frame = 0; frame < 4; frame++) await engine.step(0);
    await engine.flush({ until: 'completed' });
    const { traceEvents } = await engine.stopTrace();
    const { passes, resources } = await engine.frameGraph();
    const { leaks } = await engine.dispose();
    const names = traceEvents
      .filter(({ name }) => name === 'thread_name')
      .map(({ args }) => String(args.name));
    return {
      queues: passes.map(({ name, queue }) => `${name}: ${queue}`),
      lives: Object.fromEntries(resources.map(({ name, lives }) => [name, lives])),
      lanes: names.filter((name) => name.startsWith('GPU')),
      leaks,
    };
  });
  expect(result.queues).toEqual([
    'beside: compute',
    'by hand: compute',
    'kept back: graphics',
    'scene: graphics',
    'tone mapping: graphics',
    'last: graphics',
  ]);
  // The buffers live until the last pass before the pass that waits for the queue.
  expect(result.lives['beside scratch']).toEqual(['beside', 'tone mapping']);
  expect(result.lives['by hand scratch']).toEqual(['beside', 'tone mapping']);
  expect(result.lives['kept back scratch']).toEqual(['kept back', 'kept back']);
  expect(result.lanes).toEqual(expect.arrayContaining(['GPU · 3D queue', 'GPU · compute queue']));
  expect(result.leaks).toEqual([]);
});

test('X5: the overlay of the graph follows changes, and leaves nothing behind', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  await page.evaluate(async () => {
    const { createEngine, renderTexture } = window.fencepost;
    const engine = await createEngine(window.kit.view, {});
    window.kit.addScene(engine);
    engine.start();
    await engine.whenReady();
    const handle = await engine.showFrameGraph();
    Object.assign(window, { engine, handle, texture: renderTexture({ width: 16, height: 16 }) });
  });
  const panel = page.locator('fencepost-frame-graph');
  const drawing = panel.locator('img');
  await expect(drawing).toHaveAttribute('alt', /1 raster {2}scene/);
  await expect
    .poll(() => drawing.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(200);
  await page.evaluate(() => {
    const { engine, texture } = window as unknown as {
      engine: import('fencepost').Engine;
      texture: import('fencepost').RenderTexture;
    };
    engine.addView({ camera: engine.world.addCamera(), target: texture });
  });
  await expect(drawing).toHaveAttribute('alt', /tone mapping, texture 0/);
  await expect(panel.locator('output')).toContainText('+ raster  tone mapping, texture 0');
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(panel).toHaveCount(0);
  const refusals = await page.evaluate(async () => {
    const { engine } = window as unknown as { engine: import('fencepost').Engine };
    const codeOf = (options: object) =>
      engine.showFrameGraph(options).then(
        () => 'none',
        ({ code }: { code: string }) => code,
      );
    let timers = 0;
    const { setInterval } = window;
    Object.assign(window, {
      setInterval: (...parameters: Parameters<typeof setInterval>) => {
        timers++;
        return setInterval(...parameters);
      },
    });
    const codes = [await codeOf({ size: 3 }), await codeOf({ container: 3 })];
    codes.push(`${timers} timers`);
    Object.assign(window, { setInterval });
    await engine.showFrameGraph();
    codes.push(await codeOf({ size: 3 }));
    const frame = await engine.frameGraph();
    codes.push((await window.kit.refusal(() => frame.changesSince(3 as never))).code);
    await engine.dispose();
    const other = await window.fencepost.createEngine(window.kit.view, {});
    await other.showFrameGraph().then((handle) => handle.close());
    const late = other.showFrameGraph().then(
      () => 'none',
      ({ code }: { code: string }) => code,
    );
    await other.dispose();
    codes.push(await late);
    return codes;
  });
  expect(refusals).toEqual([
    'option-unknown',
    'option-invalid',
    '0 timers',
    'option-unknown',
    'option-invalid',
    'engine-disposed',
  ]);
  await expect(panel).toHaveCount(0);
});
