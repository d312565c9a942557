/** Picks at invalid places and times, and labels whose actor is destroyed. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

test('picks outside the canvas, during a load, on a lost device and after the end give a correct answer or a typed error; in every mode', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const floats = new Float32Array([-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0]);
    const data = btoa(String.fromCharCode(...new Uint8Array(floats.buffer)));
    const json = {
      asset: { version: '2.0' },
      buffers: [{ byteLength: 48, uri: `data:application/octet-stream;base64,${data}` }],
      bufferViews: [{ buffer: 0, byteLength: 48 }],
      accessors: [{ bufferView: 0, componentType: 5126, type: 'VEC3', count: 4 }],
      meshes: [{ primitives: [{ mode: 5, attributes: { POSITION: 0 } }] }],
      nodes: [{ mesh: 0, name: 'loaded' }],
    };
    const file = new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer;
    const results: unknown[] = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await fencepost.createEngine(kit.view, { threading });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 2 } });
      const geometry = fencepost.boxGeometry({ size: [1, 1, 1] });
      const box = world.addMesh({ geometry, position: [0, 0, -3], name: 'box' });
      const pick = async (x: number, y: number): Promise<string | null> => {
        const found = engine.pick(x, y).then(
          (hit) => (hit ? hit.actor.name : null),
          (error: { name: string; code?: string }) => `${error.name} ${error.code}`,
        );
        await engine.step(0).catch(() => {});
        return found;
      };
      await engine.step(0);
      const outside = [await pick(-5, 10), await pick(64, 1e6), await pick(Number.NaN, 0)];
      const load = world.load(file);
      const during = await pick(64, 64);
      const level = await load;
      const loaded = await pick(64, 64);
      level.unload();
      // One pick is requested before the loss, one right after it, and one when the device has been restored.
      const before = engine.pick(64, 64).then(
        (hit) => hit?.actor.name ?? null,
        (error: unknown) => error instanceof fencepost.FencepostError,
      );
      const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
      await engine.simulateDeviceLoss();
      const lost = engine.pick(64, 64).then(
        (hit) => hit?.actor.name ?? null,
        (error: unknown) => error instanceof fencepost.FencepostError,
      );
      await restored;
      await engine.step(0);
      const both = [await before, await lost].map((answer) => answer === 'box' || answer === true);
      const again = await pick(64, 64);
      box.destroy();
      const gone = await pick(64, 64);
      await engine.dispose();
      results.push({ outside, during, loaded, both, again, gone, ended: await pick(64, 64) });
    }
    return results;
  });
  expect(seen).toHaveLength(3);
  for (const each of seen) {
    expect(each).toEqual({
      outside: [null, null, expect.stringMatching(/^OptionError option-/)],
      ...{ during: 'box', loaded: 'loaded', both: [true, true], again: 'box', gone: null },
      ended: expect.stringMatching(/^StateError engine-disposed$/),
    });
  }
});

test('destroying an actor removes its label, even before the label’s first frame, and other labels stay', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view);
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.code));
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10] });
    const geometry = fencepost.boxGeometry();
    const [first, second, third] = [0, 1, 2].map((x) => world.addMesh({ geometry, position: [x, 0, 0] }));
    const labels = [first, second, third].map((actor) => {
      const label = document.createElement('div');
      label.textContent = 'label';
      engine.attachElement(label, actor!);
      return label;
    });
    const isSeen = () =>
      labels.map(
        (label) =>
          label.isConnected &&
          getComputedStyle(label).visibility !== 'hidden' &&
          getComputedStyle(label).display !== 'none',
      );
    first!.destroy();
    await engine.step(0);
    const early = isSeen();
    second!.destroy();
    await engine.step(0);
    const late = isSeen();
    let refused = '';
    try {
      engine.attachElement(document.createElement('div'), second!);
    } catch (error) {
      refused = (error as { code: string }).code;
    }
    await engine.dispose();
    return { early, late, errors, refused };
  });
  expect(seen).toEqual({
    early: [false, true, true],
    late: [false, false, true],
    errors: [],
    refused: 'option-invalid',
  });
});
