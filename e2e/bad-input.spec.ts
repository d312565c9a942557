/**
 * Bad input of every kind. The engine throws a typed error or handles the input sensibly. Nothing hangs, and
 * the rest of the scene is still drawn. Each test runs in the page against the public API, in the default
 * threading mode unless the test names another.
 */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { atStartOfWorkers } from './workers.js';

test.beforeEach(async ({ page, isolatedURL }, { title }) => {
  if (!title.includes('own page')) await openEnginePage(page, isolatedURL);
});

/** Returns the error with which `createEngine` rejects. */
function refusedCreation(page: Page, threading: 'single' | 'render' | 'render+rhi') {
  return page.evaluate(
    (mode) => window.kit.refusal(() => window.fencepost.createEngine(window.kit.view, { threading: mode })),
    threading,
  );
}

test('without WebGPU, createEngine rejects with a typed error (own page)', async ({ page, plainURL }) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }));
  await openEnginePage(page, plainURL);
  for (const threading of ['single', 'render', 'render+rhi'] as const) {
    const error = await refusedCreation(page, threading);
    expect(error).toMatchObject({ name: 'PlatformError', code: 'webgpu-missing' });
    expect(error.message).toMatch(/no WebGPU/);
  }
});

test('without an adapter, createEngine rejects with a typed error (own page)', async ({
  page,
  context,
  plainURL,
}) => {
  const noAdapter = 'GPU.prototype.requestAdapter = async () => null;';
  await page.addInitScript(noAdapter);
  await atStartOfWorkers(context, noAdapter);
  await openEnginePage(page, plainURL);
  for (const threading of ['single', 'render', 'render+rhi'] as const) {
    expect(await refusedCreation(page, threading)).toMatchObject({
      name: 'PlatformError',
      code: 'adapter-missing',
    });
  }
});

test('where only workers lack WebGPU, the error advises the single mode (own page)', async ({
  page,
  context,
  plainURL,
}) => {
  await atStartOfWorkers(
    context,
    "Object.defineProperty(WorkerNavigator.prototype, 'gpu', { get: () => undefined });",
  );
  await openEnginePage(page, plainURL);
  for (const threading of ['render', 'render+rhi'] as const) {
    const error = await page.evaluate((threading) => window.kit.startRefusal({ threading }), threading);
    expect(error).toMatchObject({ name: 'PlatformError', code: 'webgpu-missing' });
    expect(error.message).toMatch(/not in workers.*threading: 'single'/);
  }
});

test('a canvas that can’t be transferred to a worker is not reported as in use (own page)', async ({
  page,
  plainURL,
}) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(HTMLCanvasElement.prototype, 'transferControlToOffscreen');
  });
  await openEnginePage(page, plainURL);
  for (const threading of ['render', 'render+rhi'] as const) {
    const error = await refusedCreation(page, threading);
    expect(error).toMatchObject({ name: 'PlatformError', code: 'offscreen-canvas-missing' });
    expect(error.message).toMatch(/threading: 'single'/);
  }
});

test('a page without workers gets a typed error (own page)', async ({ page, plainURL }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'Worker'));
  await openEnginePage(page, plainURL);
  for (const threading of ['render', 'render+rhi'] as const) {
    const error = await refusedCreation(page, threading);
    expect(error).toMatchObject({ name: 'ThreadError', code: 'worker-failed-to-start' });
    expect(error.message).toMatch(/no workers.*threading: 'single'/);
  }
});

test('a missing worker script gives a typed error', async ({ page, expectErrors }) => {
  expectErrors(/404/);
  const error = await page.evaluate(() =>
    window.kit.refusal(() =>
      window.fencepost.createEngine(window.kit.view, { workerUrl: '/nowhere/worker.js' }),
    ),
  );
  expect(error).toMatchObject({ name: 'ThreadError', code: 'worker-failed-to-start' });
  expect(error.message).toMatch(/workerUrl/);
});

test('a canvas that is already in use is refused', async ({ page }) => {
  const errors = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const withContext = document.createElement('canvas');
    document.body.append(withContext);
    withContext.getContext('2d');
    const first = document.createElement('canvas');
    document.body.append(first);
    const engine = await createEngine(first);
    const refusals = [
      await window.kit.refusal(() => createEngine(withContext)),
      await window.kit.refusal(() => createEngine(withContext, { threading: 'single' })),
      await window.kit.refusal(() => createEngine(first)),
    ];
    await engine.dispose();
    return refusals;
  });
  for (const error of errors) expect(error).toMatchObject({ name: 'PlatformError', code: 'canvas-in-use' });
});

test('a missing canvas is refused', async ({ page }) => {
  const error = await page.evaluate(() =>
    window.kit.refusal(() =>
      window.fencepost.createEngine(document.querySelector('#nowhere') as unknown as HTMLElement),
    ),
  );
  expect(error).toMatchObject({ name: 'OptionError', code: 'canvas-missing' });
});

test('an element that can’t hold a canvas is refused', async ({ page }) => {
  const refusals = await page.evaluate(async () => {
    const create = (name: string, threading?: 'single' | 'render' | 'render+rhi') =>
      window.kit.refusal(() =>
        window.fencepost.createEngine(document.createElement(name), threading && { threading }),
      );
    return [
      await create('img'),
      await create('img', 'single'),
      await create('video', 'render'),
      await create('input', 'render+rhi'),
    ];
  });
  for (const error of refusals) {
    expect(error).toMatchObject({ name: 'OptionError', code: 'option-invalid' });
    expect(error.message).toMatch(/can't contain a canvas.*container element/);
  }
});

test('a canvas can be removed while the engine runs, and put back', async ({ page }) => {
  const result = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const engine = await createEngine(window.kit.view, { background: '#f00' });
    engine.start();
    await engine.whenReady();
    const { canvas } = engine;
    const resized = (wanted: number) =>
      new Promise<void>((resolve) => {
        engine.addEventListener('resize', ({ detail }) => {
          if (detail.width === wanted) resolve();
        });
      });
    const gone = resized(0);
    canvas.remove();
    await gone;
    await engine.step(0.1);
    await engine.step(0.1);
    const back = resized(128);
    window.kit.view.append(canvas);
    await back;
    await engine.step(0.1);
    const frame = await engine.captureFrame();
    await engine.dispose();
    return { width: frame.width, pixel: window.kit.pixel(frame, 64, 64) };
  });
  expect(result).toEqual({ width: 128, pixel: [255, 0, 0, 255] });
});

test('a canvas of size zero draws nothing and recovers', async ({ page }) => {
  const result = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    window.kit.view.style.width = '0';
    const engine = await createEngine(window.kit.view, { background: '#0f0' });
    await engine.step(0.1);
    const empty = await engine.captureFrame();
    const resized = new Promise((resolve) => engine.addEventListener('resize', resolve, { once: true }));
    window.kit.view.style.width = '64px';
    await resized;
    await engine.step(0.1);
    const frame = await engine.captureFrame();
    await engine.dispose();
    return [empty.width * empty.height, empty.data.length, frame.width, window.kit.pixel(frame, 32, 64)];
  });
  expect(result).toEqual([0, 0, 64, [0, 255, 0, 255]]);
});

test('transforms reject NaN and infinity; meshes with negative scales, a million metres from the origin, are drawn', async ({
  page,
}) => {
  const result = await page.evaluate(async () => {
    const { createEngine, boxGeometry, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view);
    const { world } = engine;
    const far = 1e6;
    world.addCamera({ position: [far, 0, 3], lookAt: [far, 0, 0] });
    const material = unlitMaterial({ baseColor: '#fff' });
    const cube = world.addMesh({
      geometry: boxGeometry(),
      material,
      position: [far, 0, 0],
      scale: [-1, 1, 1],
    });
    const refusals = [
      await window.kit.refusal(() => cube.position.set(Number.NaN, 0, 0)),
      await window.kit.refusal(() => {
        cube.scale.x = Number.POSITIVE_INFINITY;
      }),
      await window.kit.refusal(() => cube.rotateY(Number.NaN)),
    ];
    await engine.step(0.1);
    const frame = await engine.captureFrame();
    await engine.dispose();
    return { refusals, center: window.kit.pixel(frame, 64, 64), corner: window.kit.pixel(frame, 2, 2) };
  });
  for (const error of result.refusals) {
    expect(error).toMatchObject({ name: 'SceneError', code: 'transform-not-finite' });
  }
  expect(result.center).toEqual([255, 255, 255, 255]);
  expect(result.corner).toEqual([0, 0, 0, 255]);
});

test('components added twice or after their end, cyclic attachments and unknown options are refused', async ({
  page,
}) => {
  const codes = await page.evaluate(async () => {
    const { Actor, createEngine, MeshComponent, boxGeometry, standardMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view);
    const { world } = engine;
    const component = new MeshComponent({ geometry: boxGeometry(), material: standardMaterial() });
    const actor = world.spawn(component);
    const other = world.spawn(new Actor());
    const child = world.spawn(new Actor());
    child.attachTo(other);
    const refusals = [
      await window.kit.refusal(() => other.addComponent(component)),
      await window.kit.refusal(() => other.attachTo(child)),
      await window.kit.refusal(() => world.addCamera({ fov: 1 } as never)),
      await window.kit.refusal(() => world.addCamera({ fovY: 60 })),
      await window.kit.refusal(() => createEngine(window.kit.view, { threads: 2 } as never)),
      await window.kit.refusal(() => createEngine(window.kit.view, { background: 'nocolor' })),
    ];
    actor.destroy();
    refusals.push(await window.kit.refusal(() => other.addComponent(component)));
    await engine.step(0.1);
    await engine.dispose();
    return refusals.map(({ code, message }) => `${code} ${message}`);
  });
  // A refused creation starts no worker.
  await expect.poll(() => page.workers().length).toBe(0);
  expect(codes).toEqual([
    expect.stringMatching(/^component-already-registered/),
    expect.stringMatching(/^attachment-cycle/),
    expect.stringMatching(/^option-unknown .*fov/),
    expect.stringMatching(
      /^option-out-of-range .*fovY of the camera is 60;.*60 looks like degrees: write 60/,
    ),
    expect.stringMatching(/^option-unknown .*threads/),
    expect.stringMatching(/^color-invalid .*nocolor/),
    expect.stringMatching(/^component-destroyed/),
  ]);
});

test('bad files give typed errors (404, truncated, not glTF, bad indices, unknown extension), and a broken image gives a warning', async ({
  page,
  expectErrors,
}) => {
  expectErrors(/404/);
  const result = await page.evaluate(async () => {
    const { createEngine, boxGeometry, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view);
    const { world } = engine;
    world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
    world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#0ff' }) });
    const load = (json: unknown) =>
      world.load(new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer);
    const dataUri = (array: Float32Array | Uint16Array) =>
      `data:application/octet-stream;base64,${btoa(String.fromCharCode(...new Uint8Array(array.buffer)))}`;
    const triangle = (index: number, material: object = {}) => ({
      asset: { version: '2.0' },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 2 }, indices: 1, material: 0 }] }],
      materials: [material],
      images: [{ uri: 'data:image/png;base64,AAAAAAAA' }],
      textures: [{ source: 0 }],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
        { bufferView: 1, componentType: 5123, count: 3, type: 'SCALAR' },
        { bufferView: 2, componentType: 5126, count: 3, type: 'VEC2' },
      ],
      bufferViews: [
        { buffer: 0, byteLength: 36 },
        { buffer: 1, byteLength: 6 },
        { buffer: 2, byteLength: 24 },
      ],
      buffers: [
        { byteLength: 36, uri: dataUri(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0)) },
        { byteLength: 6, uri: dataUri(Uint16Array.of(0, 1, index)) },
        { byteLength: 24, uri: dataUri(new Float32Array(6)) },
      ],
    });
    const glbHeader = Uint32Array.of(0x46546c67, 2, 5000, 4000, 0x4e4f534a);
    const refusals = [
      await window.kit.refusal(() => world.load('/nowhere.glb')),
      await window.kit.refusal(() => world.load(glbHeader.buffer)),
      await window.kit.refusal(() => world.load(new TextEncoder().encode('hello').buffer as ArrayBuffer)),
      await window.kit.refusal(() => load(triangle(7))),
      await window.kit.refusal(() =>
        load({ ...triangle(2), extensionsRequired: ['ACME_magic'], extensionsUsed: ['ACME_magic'] }),
      ),
    ];
    const badImage = await load(triangle(2, { pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }));
    await engine.step(0.1);
    const frame = await engine.captureFrame();
    const { levels } = world;
    await engine.dispose();
    return {
      refusals: refusals.map(({ name, code, message }) => `${name} ${code} ${message}`),
      warnings: badImage.warnings,
      levels: levels.length,
      center: window.kit.pixel(frame, 64, 64),
    };
  });
  expect(result.refusals).toEqual([
    expect.stringMatching(/^AssetError fetch-failed .*nowhere\.glb.*404/),
    expect.stringMatching(/^AssetError gltf-truncated/),
    expect.stringMatching(/^AssetError not-gltf/),
    expect.stringMatching(/^AssetError indices-out-of-range/),
    expect.stringMatching(/^AssetError extension-unsupported .*ACME_magic/),
  ]);
  expect(result.warnings.join()).toMatch(/image/i);
  expect(result.levels).toBe(2);
  expect(result.center).toEqual([0, 255, 255, 255]);
});

test('a load rejects when it is aborted, its level is unloaded, or the engine is disposed of', async ({
  page,
  context,
}) => {
  // The file never arrives, so only the abort, the unload or the disposal can end the load.
  await context.route('**/never.glb', () => {});
  const result = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const engine = await createEngine(window.kit.view);
    const { world } = engine;
    const controller = new AbortController();
    const aborted = window.kit.refusal(() => world.load('/never.glb', { signal: controller.signal }));
    await engine.step(0.1);
    controller.abort();
    const names = [(await aborted).name];

    const unloaded = window.kit.refusal(() => world.load('/never.glb', { name: 'doomed' }));
    await engine.step(0.1); // the request has been sent
    world.levels.find((level) => level.name === 'doomed')?.unload();
    names.push((await unloaded).name);
    names.push(String(world.levels.length));

    const disposed = window.kit.refusal(() => world.load('/never.glb'));
    await engine.step(0.1);
    await engine.dispose();
    names.push((await disposed).code);
    names.push((await window.kit.refusal(() => engine.step(0.1))).code);
    return names;
  });
  expect(result).toEqual(['AbortError', 'AbortError', '1', 'engine-disposed', 'engine-disposed']);
});

test('two engines draw on one page', async ({ page }) => {
  const pixels = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const second = document.createElement('div');
    second.style.cssText = 'width:32px;height:32px';
    document.body.append(second);
    const engines = await Promise.all([
      createEngine(window.kit.view, { background: '#f00' }),
      createEngine(second, { background: '#00f', threading: 'render+rhi' }),
    ]);
    for (const engine of engines) engine.start();
    await Promise.all(engines.map((engine) => engine.whenReady()));
    const frames = await Promise.all(engines.map((engine) => engine.captureFrame()));
    await engines[0].dispose();
    await engines[1].step(0.1);
    await engines[1].dispose();
    // A new engine starts in the same container at once.
    const next = await createEngine(window.kit.view, { background: '#0f0' });
    await next.step(0);
    frames.push(await next.captureFrame());
    await next.dispose();
    return frames.map((frame) => [frame.width, ...window.kit.pixel(frame, 16, 16)]);
  });
  expect(pixels).toEqual([
    [128, 255, 0, 0, 255],
    [32, 0, 0, 255, 255],
    [128, 0, 255, 0, 255],
  ]);
});

test('an unstyled canvas at pixel ratio 2 keeps its layout (own page)', async ({ browser, isolatedURL }) => {
  const context = await browser.newContext({ deviceScaleFactor: 2 });
  const page = await context.newPage();
  await openEnginePage(page, isolatedURL);
  const sizes = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    document.body.append(canvas);
    const engine = await window.fencepost.createEngine(canvas);
    const seen: number[] = [];
    engine.start();
    await engine.whenReady();
    for (let frame = 0; frame < 4; frame++) {
      await engine.step(0.01);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      seen.push(canvas.clientWidth, canvas.clientHeight);
    }
    const { width, height } = await engine.captureFrame();
    await engine.dispose();
    return { seen: [...new Set(seen)], width, height };
  });
  expect(sizes).toEqual({ seen: [300, 150], width: 600, height: 300 });
  await context.close();
});

test('captureFrame before the first frame rejects', async ({ page }) => {
  const error = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    const refusal = await window.kit.refusal(() => engine.captureFrame());
    await engine.dispose();
    return refusal;
  });
  expect(error).toMatchObject({ name: 'StateError', code: 'no-frame-yet' });
});

test('type errors in plain JavaScript are named, and leave the scene unchanged', async ({ page }) => {
  const result = await page.evaluate(async () => {
    const { createEngine, boxGeometry, orbitControls, standardMaterial, texture } = window.fencepost;
    const engine = await createEngine(window.kit.view);
    const { world } = engine;
    const cube = world.addMesh({ geometry: boxGeometry() });
    const { refusal } = window.kit;
    const wrong = 5 as never;
    const refusals = [
      await refusal(() => Object.assign(cube, { position: [0, 1] })),
      await refusal(() => standardMaterial({ baseColorTexture: 'a.png' as never })),
      await refusal(() => texture(wrong)),
      await refusal(() => texture({ width: 1.5, height: 2, data: new Uint8Array(12) })),
      await refusal(() => world.load(undefined as never)),
      await refusal(() => world.spawn({} as never)),
      await refusal(() => world.onTick(wrong)),
      await refusal(() => orbitControls(engine, null as never)),
      await refusal(() => cube.attachTo(undefined as never)),
      await refusal(() => world.addCamera({ lookAt: [0, 0, 0] })),
      await refusal(() => world.addPointLight({ color: [255, 0, 0] })),
      await refusal(() => world.persistentLevel.unload()),
      await refusal(() => world.load('a.glb', { signal: wrong })),
      await refusal(() => createEngine(window.kit.view, { signal: 'now' as never })),
      await refusal(() => cube.addEventListener('click', () => {}, { signal: wrong })),
    ];
    await engine.step(0);
    const { actors } = world;
    await engine.dispose();
    return { refusals: refusals.map(({ code, message }) => `${code} ${message}`), actors: actors.length };
  });
  expect(result.actors).toBe(1);
  expect(result.refusals).toEqual([
    expect.stringMatching(/^transform-not-finite .*position.*3 finite numbers/),
    expect.stringMatching(/^option-invalid .*baseColorTexture.*texture\('/),
    expect.stringMatching(/^option-invalid .*texture takes/),
    expect.stringMatching(/^option-out-of-range .*whole number/),
    expect.stringMatching(/^load-source-invalid /),
    expect.stringMatching(/^option-invalid .*components/),
    expect.stringMatching(/^option-invalid .*function/),
    expect.stringMatching(/^option-invalid .*camera/),
    expect.stringMatching(/^option-invalid .*attachTo/),
    expect.stringMatching(/^option-invalid .*lookAt/),
    expect.stringMatching(/^color-invalid .*8-bit/),
    expect.stringMatching(/^level-persistent /),
    expect.stringMatching(/^option-invalid signal of load is 5; .*AbortSignal/),
    expect.stringMatching(/^option-invalid signal of createEngine is "now"/),
    expect.stringMatching(/^option-invalid signal of addEventListener is 5/),
  ]);
});

test('the engine survives a callback that throws in every frame, and a geometry whose buffer was transferred', async ({
  page,
}) => {
  const result = await page.evaluate(async () => {
    const { createEngine, boxGeometry, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view);
    const { world } = engine;
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => {
      errors.push(`${detail.code} ${detail.message} | ${(detail.cause as Error | undefined)?.message}`);
    });
    world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
    const broken = boxGeometry();
    world.addMesh({ geometry: broken, name: 'gift' });
    structuredClone(broken.data, { transfer: [broken.data] });
    const cube = world.addMesh({ geometry: boxGeometry(), material: unlitMaterial(), visible: false });
    world.onTick(() => {
      throw new Error('oops');
    });
    world.onTick(() => {
      cube.visible = true;
    });
    for (let frame = 0; frame < 3; frame++) await engine.step(0.1);
    const frame = await engine.captureFrame();
    await engine.dispose();
    return { errors, center: window.kit.pixel(frame, 64, 64) };
  });
  expect(result.center).toEqual([255, 255, 255, 255]);
  expect(result.errors).toEqual([
    expect.stringMatching(/^tick-failed .*"pre-physics".*oops \| oops$/),
    expect.stringMatching(/^geometry-detached .*"box" of "gift"/),
  ]);
});

test('a chain of five thousand actors is shown and destroyed', async ({ page }) => {
  const pixels = await page.evaluate(async () => {
    const { Actor, createEngine, boxGeometry, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view);
    const { world } = engine;
    world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
    const root = world.spawn(new Actor());
    root.position.set(-5, 0, 0);
    let last = root;
    for (let depth = 1; depth < 5000; depth++) {
      const next = world.spawn(new Actor());
      next.position.set(0.001, 0, 0);
      next.attachTo(last);
      last = next;
    }
    // 4,999 steps of a millimetre from −5 m end at the middle of the picture.
    world.addMesh({ geometry: boxGeometry(), material: unlitMaterial() }).attachTo(last);
    await engine.step(0.1);
    const shown = window.kit.pixel(await engine.captureFrame(), 64, 64);
    root.destroy();
    await engine.step(0.1);
    const gone = window.kit.pixel(await engine.captureFrame(), 64, 64);
    await engine.dispose();
    return { shown, gone };
  });
  expect(pixels).toEqual({ shown: [255, 255, 255, 255], gone: [0, 0, 0, 255] });
});

test('orbit controls work in a page that draws on demand, and end with the engine', async ({ page }) => {
  await page.evaluate(async () => {
    const { createEngine, orbitControls } = window.fencepost;
    const engine = await createEngine(window.kit.view);
    const camera = engine.world.addCamera({ position: [0, 0, 5] });
    orbitControls(engine, camera);
    engine.invalidate();
    await engine.whenReady();
    Object.assign(window, {
      state: () => ({ x: camera.position.x, z: camera.position.z, frame: engine.stats().frame }),
      end: () => engine.dispose(),
    });
  });
  interface Held {
    state(): { x: number; z: number; frame: number };
    end(): Promise<unknown>;
  }
  const state = () => page.evaluate(() => (window as unknown as Held).state());
  const before = await state();
  await page.mouse.move(64, 64);
  await page.mouse.down();
  await page.mouse.move(32, 64);
  await page.mouse.up();
  // A drag to the left over a quarter of the height turns the camera a quarter turn to the right. It has turned
  // that far once damping has ended.
  await expect.poll(async () => (await state()).x).toBeCloseTo(5, 3);
  await expect.poll(async () => (await state()).frame).toBeGreaterThan(before.frame);
  await page.mouse.wheel(0, 200);
  await expect.poll(async () => (await state()).x).toBeCloseTo(5 * Math.exp(0.2), 3);
  const isLeftAlone = await page.evaluate(async () => {
    const canvas = document.querySelector('canvas');
    await (window as unknown as Held).end();
    return canvas?.dispatchEvent(new WheelEvent('wheel', { deltaY: 100, cancelable: true }));
  });
  expect(isLeftAlone).toBe(true);
});
