import { decodePng, pixelAt } from '../src/testing/index.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { isolationsOf, modesOf } from './threading-modes.js';

// Options of the look draw the same picture whether they are set at creation or while the engine runs.

const CURVES = ['none', 'aces', 'agx', 'khronos-neutral'] as const;

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`setting the look while running draws the same picture as setting it at creation, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { createEngine, sphereGeometry, unlitMaterial } = window.fencepost;
      const look = {
        background: '#2040a080',
        exposure: 1.7,
        toneMapping: 'agx',
        antialias: 1,
        pixelRatio: 1.5,
      } as const;
      const all: Record<string, unknown> = {};
      const pictures = new Set<string>();
      const compare = async (threading: 'single' | 'render' | 'render+rhi', hdr: boolean) => {
        const draw = async (engine: Awaited<ReturnType<typeof createEngine>>) => {
          await engine.step(0);
          return window.kit.picture(engine);
        };
        const addScene = (engine: Awaited<ReturnType<typeof createEngine>>) => {
          window.kit.addScene(engine);
          const material = unlitMaterial({ baseColor: '#ff2', opacity: 0.5 });
          engine.world.addMesh({ geometry: sphereGeometry(), material, position: [0.5, 0, 1] });
        };
        const from = await createEngine(window.kit.view, { threading, hdr, ...look });
        addScene(from);
        const expected = await draw(from);
        await from.dispose();
        pictures.add(`${hdr} ${expected}`);

        const engine = await createEngine(window.kit.view, { threading });
        addScene(engine);
        const before = await draw(engine);
        Object.assign(engine, look, { hdr });
        const after = await draw(engine);
        const read = {
          background: engine.background,
          exposure: engine.exposure,
          toneMapping: engine.toneMapping,
          antialias: engine.antialias,
          pixelRatio: engine.pixelRatio,
        };
        const isRead = engine.hdr === hdr && JSON.stringify(read) === JSON.stringify(look);
        const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
        await engine.simulateDeviceLoss();
        await restored;
        const afterLoss = await window.kit.picture(engine);
        await engine.setThreading(threading === 'single' ? 'render' : 'single');
        const afterSwitch = await window.kit.picture(engine);
        Object.assign(engine, {
          background: '#000',
          exposure: 1,
          hdr: true,
          toneMapping: 'none',
          antialias: true,
          pixelRatio: null,
        });
        const back = await draw(engine);
        await engine.dispose();
        all[`${threading}, hdr ${hdr}`] = {
          isRead,
          isChanged: before !== after,
          pictures: [after, afterLoss, afterSwitch].map((picture) => picture === expected),
          isBack: back === before,
        };
      };
      for (const threading of modes) {
        for (const hdr of [true, false]) await compare(threading, hdr);
      }
      return { all, pictures: pictures.size };
    }, modesOf(isolation));
    const expected = { isRead: true, isChanged: true, pictures: [true, true, true], isBack: true };
    expect(Object.keys(results.all)).toHaveLength(2 * modesOf(isolation).length);
    for (const [name, result] of Object.entries(results.all)) expect(result, name).toEqual(expected);
    expect(results.pictures, 'one with high dynamic range and one without, in all modes').toBe(2);
  });
}

test('unlit colours are shown exactly as given, with any tone mapping and exposure', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const pictures = await page.evaluate(async (curves) => {
    const { createEngine, planeGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const all: Record<string, Record<string, number[][]>> = {};
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      for (const antialias of [1, 4] as const) {
        const engine = await createEngine(window.kit.view, { threading, antialias, background: '#123456' });
        const { world } = engine;
        world.addCamera({ position: [0, 0, 2], lookAt: [0, 0, 0], orthographic: { halfHeight: 1 } });
        world.addDirectionalLight({ direction: [0, 0, -1], intensity: 3 });
        const quad = (material: ReturnType<typeof unlitMaterial>, x: number, y: number, z = 0) =>
          world.addMesh({ geometry: planeGeometry({ size: 0.5 }), material, position: [x, y, z] });
        // The first row has unlit colours. The second has lit and unlit quads in front of each other. In the
        // third, a half-transparent quad covers a lit one.
        quad(unlitMaterial({ baseColor: '#ff7a1a' }), -0.6, 0.6);
        quad(unlitMaterial({ baseColor: '#ffffff' }), 0, 0.6);
        quad(unlitMaterial({ baseColor: '#808080', toneMapped: true }), 0.6, 0.6);
        quad(standardMaterial({ baseColor: '#808080' }), -0.6, 0);
        quad(standardMaterial({ baseColor: '#808080' }), 0, 0, -0.1);
        quad(unlitMaterial({ baseColor: '#20c040' }), 0, 0);
        quad(unlitMaterial({ baseColor: '#20c040' }), 0.6, 0, -0.1);
        quad(standardMaterial({ baseColor: '#808080' }), 0.6, 0);
        quad(standardMaterial({ baseColor: '#808080' }), -0.6, -0.6, -0.1);
        quad(unlitMaterial({ baseColor: '#ffffff', opacity: 0.5 }), -0.6, -0.6);
        for (const toneMapping of curves) {
          engine.toneMapping = toneMapping;
          engine.exposure = 2;
          await engine.step(0);
          const picture = await engine.captureFrame();
          const at = (x: number, y: number) => window.kit.pixel(picture, 64 + x * 38, 64 + y * 38);
          const name = `${threading} ${antialias} ${toneMapping}`;
          all[name] = {
            given: [at(-1, -1), at(0, -1), at(0, 0)],
            mapped: [at(1, -1)],
            lit: [at(-1, 0), at(1, 0)],
            blended: [at(-1, 1)],
            background: [window.kit.pixel(picture, 1, 1)],
          };
        }
        await engine.dispose();
      }
    }
    return all;
  }, CURVES);
  expect(Object.keys(pictures)).toHaveLength(3 * 2 * CURVES.length);
  for (const [name, { given, mapped, lit, blended, background }] of Object.entries(pictures)) {
    expect(given, name).toEqual([
      [255, 122, 26, 255],
      [255, 255, 255, 255],
      [32, 192, 64, 255],
    ]);
    expect(background, name).toEqual([[18, 52, 86, 255]]);
    // An exposure of 2 changes #808080 under every curve. A lit quad looks the same alone and in front of an
    // unlit one.
    expect(mapped[0]![0], name).not.toBe(128);
    expect(lit?.[0], name).toEqual(lit?.[1]);
    // Half-transparent white blends with the tone-mapped light behind it, in linear light.
    const linear = (value: number) =>
      value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    expect(linear(blended[0]![0]!), name).toBeCloseTo(0.5 + 0.5 * linear(lit[0]![0]!), 2);
  }
});

for (const threading of ['single', 'render', 'render+rhi'] as const) {
  for (const isolation of isolationsOf(threading)) {
    test(`the page shows through a transparent background: ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const frame = await page.evaluate(async (threading) => {
        const { createEngine, planeGeometry, unlitMaterial } = window.fencepost;
        document.body.style.background = '#00c000';
        const { view } = window.kit;
        view.style.cssText = 'position:fixed;left:0;top:0;width:100px;height:100px;background:#00c000';
        const engine = await createEngine(view, { threading, background: 'transparent' });
        const { world } = engine;
        world.addCamera({ position: [0, 0, 2], lookAt: [0, 0, 0], orthographic: { halfHeight: 1 } });
        const geometry = planeGeometry({ size: 1 });
        const quad = (opacity: number, x: number, y: number) => {
          const material = unlitMaterial({ baseColor: '#f00', opacity });
          world.addMesh({ geometry, material, position: [x, y, 0] });
        };
        quad(1, -0.5, 0.5);
        quad(0.5, 0.5, 0.5);
        await engine.step(0);
        const picture = await engine.captureFrame();
        const { kit } = window;
        const captured = [kit.pixel(picture, 25, 25), kit.pixel(picture, 75, 25), kit.pixel(picture, 50, 90)];
        Object.assign(window, { engine });
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        return captured;
      }, threading);
      expect(frame).toEqual([
        [255, 0, 0, 255],
        [255, 0, 0, 128],
        [0, 0, 0, 0],
      ]);
      const shown = decodePng(await page.screenshot());
      expect(pixelAt(shown, 25, 25)).toEqual([255, 0, 0, 255]);
      const [red, green, blue] = pixelAt(shown, 75, 25);
      expect(Math.abs(red! - 128) + Math.abs(green! - 96) + blue!, `${red} ${green} ${blue}`).toBeLessThan(6);
      expect(pixelAt(shown, 50, 90)).toEqual([0, 192, 0, 255]);
      // An opaque background then hides the page again.
      await page.evaluate(async () => {
        const { engine } = window as unknown as {
          engine: Awaited<ReturnType<typeof window.fencepost.createEngine>>;
        };
        engine.background = '#0000ff';
        await engine.step(0);
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      });
      expect(pixelAt(decodePng(await page.screenshot()), 50, 90)).toEqual([0, 0, 255, 255]);
    });
  }
}
