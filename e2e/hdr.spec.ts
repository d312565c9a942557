import { decodePng, pixelAt } from '../src/testing/index.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

// With `hdr: false`, shaders of surfaces apply tone mapping and draw straight into the canvas. `look.spec.ts`
// switches this option in all modes.

test('opaque surfaces look the same with and without high dynamic range, in every view', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const differences = await page.evaluate(async () => {
    const { createEngine, planeGeometry, renderTexture, shaderMaterial, texture, unlitMaterial } =
      window.fencepost;
    const worst: Record<string, number> = {};
    const canvas = document.createElement('canvas');
    canvas.style.cssText = 'width:40px;height:40px';
    document.body.append(canvas);
    const engine = await createEngine(window.kit.view, { antialias: 1, exposure: 1.6, background: '#346' });
    const { world } = engine;
    window.kit.addScene(engine);
    const camera = world.activeCamera;
    const geometry = planeGeometry({ size: 0.8 });
    const data = Uint8Array.from({ length: 64 }, (_, index) =>
      index % 4 === 3 ? (index % 8) * 36 : index * 4,
    );
    const image = texture({ width: 4, height: 4, data });
    const add = (material: ReturnType<typeof unlitMaterial>, x: number, y: number) =>
      world.addMesh({ geometry, material, position: [x, y, 0.8] });
    add(unlitMaterial({ baseColor: '#3c8' }), 1.2, 0);
    add(unlitMaterial({ baseColor: [1, 0.8, 0.6], toneMapped: true }), 1.2, 1);
    add(unlitMaterial({ baseColorTexture: image, alphaMode: 'mask' }), -1, -0.6);
    const wgsl = `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
      (*appearance).emissive = vec3f(point.uv, 2.0);
    }`;
    world.addMesh({ geometry, position: [0.2, -0.8, 0.8], material: shaderMaterial({ wgsl }) });
    const above = world.addCamera({ position: [0, 3, 1], lookAt: [0, 0, 0] });
    const target = renderTexture({ width: 32, height: 32 });
    engine.addView({ camera: above, target });
    add(unlitMaterial({ baseColorTexture: target }), -1.2, 0.9);
    world.activeCamera = camera;
    await world.setEnvironment('sky', { intensity: 0.4, background: true });
    await engine.whenReady();
    const draw = async (hdr: boolean) => {
      engine.hdr = hdr;
      await engine.step(0);
      const alone = await engine.captureFrame();
      const corner = engine.addView({ camera: above, rect: { x: 0.5, y: 0, width: 0.5, height: 0.5 } });
      const other = engine.addView({ camera: above, canvas });
      await engine.whenReady();
      await engine.step(0);
      const split = await engine.captureFrame();
      const elsewhere = await other.captureFrame();
      corner.dispose();
      other.dispose();
      await engine.step(0);
      return { alone, split, elsewhere, again: await engine.captureFrame() };
    };
    const between = (first: Uint8ClampedArray, second: Uint8ClampedArray) =>
      first.reduce((most, byte, index) => Math.max(most, Math.abs(byte - second[index]!)), 0);
    for (const toneMapping of ['none', 'aces', 'agx', 'khronos-neutral'] as const) {
      engine.toneMapping = toneMapping;
      const high = await draw(true);
      const low = await draw(false);
      for (const name of Object.keys(high) as (keyof typeof high)[]) {
        worst[`${toneMapping}, ${name}`] = between(high[name].data, low[name].data);
      }
      worst[`${toneMapping}: alone, before and after`] = between(low.alone.data, low.again.data);
    }
    await engine.dispose();
    canvas.remove();
    return worst;
  });
  expect(Object.keys(differences)).toHaveLength(4 * 5);
  for (const [name, difference] of Object.entries(differences)) expect(difference, name).toBeLessThan(2);
});

test('with hdr: false, a single view has no pass after its scene', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const passes = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view, { hdr: false });
    window.kit.addScene(engine);
    await engine.step(0);
    const namesOf = async () => (await engine.frameGraph()).passes.map(({ name }) => name);
    const alone = await namesOf();
    const camera = engine.world.addCamera({ position: [0, 3, 1], lookAt: [0, 0, 0] });
    const view = engine.addView({ camera, rect: { x: 0, y: 0, width: 0.5, height: 0.5 } });
    await engine.whenReady();
    await engine.step(0);
    const split = await namesOf();
    view.dispose();
    engine.hdr = true;
    await engine.step(0);
    const high = await namesOf();
    await engine.dispose();
    return { alone, split, high };
  });
  expect(passes.alone).toEqual(['scene']);
  expect(passes.split).toContain('tone mapping');
  expect(passes.high).toEqual(['scene', 'tone mapping']);
});

test('passes of a render module continue when hdr is switched, in every mode', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const draw = async (threading: 'single' | 'render' | 'render+rhi', isSwitched: boolean) => {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading, hdr: isSwitched });
      const events = window.kit.listen(engine);
      window.kit.addScene(engine);
      await engine.step(0);
      const plain = await window.kit.picture(engine);
      await engine.addRenderModule(new URL('/outline.js', location.href).href);
      await engine.step(0);
      const outlined = await window.kit.picture(engine);
      engine.hdr = false;
      await engine.step(0);
      const low = await window.kit.picture(engine);
      engine.hdr = isSwitched;
      await engine.step(0);
      const back = await window.kit.picture(engine);
      const { leaks } = await engine.dispose();
      return { low, isOutlined: outlined !== plain, isBack: back === outlined, events, leaks };
    };
    const all = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const { low: expected } = await draw(threading, false);
      const { low, ...rest } = await draw(threading, true);
      all.push({ isSame: low === expected, ...rest });
    }
    return all;
  });
  const right = { isSame: true, isOutlined: true, isBack: true, events: [], leaks: [] };
  expect(results).toEqual([right, right, right]);
});

test('transparent surfaces mix colours as CSS does, also over the page', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const captured = await page.evaluate(async () => {
    const { createEngine, planeGeometry, unlitMaterial } = window.fencepost;
    document.body.style.background = '#00c000';
    const { view, pixel } = window.kit;
    view.style.cssText = 'position:fixed;left:0;top:0;width:100px;height:100px;background:#00c000';
    const engine = await createEngine(view, { hdr: false, background: '#0000ff80' });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 2], lookAt: [0, 0, 0], orthographic: { halfHeight: 1 } });
    const geometry = planeGeometry({ size: 1 });
    const quad = (baseColor: string, opacity: number, x: number, y: number, z = 0) =>
      world.addMesh({ geometry, material: unlitMaterial({ baseColor, opacity }), position: [x, y, z] });
    quad('#f00', 1, -0.5, 0.5);
    quad('#f00', 0.5, 0.5, 0.5);
    quad('#000', 1, -0.5, -0.5);
    quad('#fff', 0.5, -0.5, -0.5, 0.5);
    await engine.step(0);
    const picture = await engine.captureFrame();
    Object.assign(window, { engine });
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return [pixel(picture, 25, 25), pixel(picture, 25, 75), pixel(picture, 75, 75)];
  });
  expect(captured).toEqual([
    [255, 0, 0, 255],
    [127, 127, 127, 255],
    [0, 0, 255, 128],
  ]);
  const shown = decodePng(await page.screenshot());
  const nearly = (x: number, y: number, expected: readonly number[]) => {
    const found = pixelAt(shown, x, y);
    for (let channel = 0; channel < 3; channel++) {
      expect(Math.abs(found[channel]! - expected[channel]!), `${x} ${y}: ${found}`).toBeLessThan(3);
    }
  };
  nearly(25, 25, [255, 0, 0]);
  // The pixel is half red, a quarter the background's blue, and a quarter the page.
  nearly(75, 25, [128, 48, 64]);
  nearly(75, 75, [0, 96, 128]);
});

test('hdr accepts true or false, and must be true with the deferred renderer', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const refusals = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const { refusal, view } = window.kit;
    const engine = await createEngine(view, { hdr: false });
    window.kit.addScene(engine);
    await engine.step(0);
    const before = await window.kit.picture(engine);
    const codes = [
      await refusal(() => createEngine(view, { hdr: 'no' } as never)),
      await refusal(() => createEngine(view, { hdr: false, renderer: 'deferred' })),
      await refusal(() => Object.assign(engine, { hdr: 1 })),
      await refusal(() => Object.assign(engine, { renderer: 'deferred' })),
      await refusal(() => Object.assign(engine, { hdr: true, renderer: 'deferred', exposure: 0 })),
      await refusal(() => Object.assign(engine, { hdr: false })),
    ];
    const read = [engine.hdr, engine.renderer];
    Object.assign(engine, { renderer: 'forward' });
    engine.hdr = false;
    await engine.step(0);
    const isSame = (await window.kit.picture(engine)) === before;
    await engine.dispose();
    return {
      codes: codes.map(({ name, code, message }) => `${name} ${code} ${message.slice(0, 60)}`),
      read,
      isSame,
    };
  });
  expect(refusals.codes).toEqual([
    'OptionError option-invalid hdr of createEngine is "no"; it has to be true or false.',
    expect.stringContaining("OptionError option-invalid The renderer 'deferred' adds up light"),
    'OptionError option-invalid hdr of engine is 1; it has to be true or false.',
    expect.stringContaining("OptionError option-invalid The renderer 'deferred' adds up light"),
    expect.stringContaining('OptionError option-out-of-range exposure of engine'),
    expect.stringContaining("OptionError option-invalid The renderer 'deferred' adds up light"),
  ]);
  expect(refusals.read).toEqual([true, 'deferred']);
  expect(refusals.isSame).toBe(true);
});
