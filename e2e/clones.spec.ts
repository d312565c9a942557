import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';
import { skinnedGltf } from './skinned-gltf.js';

// Cloned actors, through the public API.

declare global {
  interface Window {
    skinnedFile: typeof skinnedGltf;
  }
}

inEveryMode(
  'actor.clone copies an actor with all attached actors, and shares geometry and material',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    // 16 pixels are 1 m.
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const red = fencepost.unlitMaterial({ baseColor: '#f00' });
    const box = world.addMesh({ geometry: fencepost.boxGeometry(), material: red, position: [-3, 0, 0] });
    const green = fencepost.unlitMaterial({ baseColor: '#0f0' });
    const child = world.addMesh({
      geometry: fencepost.boxGeometry({ size: 0.5 }),
      material: green,
      position: [0, 2, 0],
      name: 'child',
    });
    child.attachTo(box);
    const dots = async (): Promise<string> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      const at = (x: number, y: number) => {
        const [r = 0, g = 0] = kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 - y * 16));
        return r > 128 ? 'r' : g > 128 ? 'g' : '.';
      };
      return [at(-3, 0), at(-3, 2), at(2, 0), at(2, 2)].join('');
    };
    const alone = await dots();
    const copy = box.clone({ position: [2, 0, 0] });
    const twice = await dots();
    red.baseColor = '#0f0';
    const recolored = await dots();
    red.baseColor = '#f00';
    box.destroy();
    const left = await dots();
    const third = copy.clone({ position: [-3, 0, 0] });
    third.visible = false;
    const hidden = await dots();
    third.visible = true;
    const names = world.actors.map(({ name }) => name);
    return [alone, twice, recolored, left, hidden, await dots(), names];
  },
  (seen) =>
    expect(seen).toEqual([
      'rg..',
      'rgrg',
      'gggg',
      '..rg',
      '..rg',
      'rgrg',
      ['camera', 'mesh', 'child', 'mesh', 'child'],
    ]),
);

test('a clone of a skinned actor has joints of its own', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  await page.evaluate(`window.skinnedFile = ${skinnedGltf}`);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { antialias: false, validation: true });
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    world.addDirectionalLight({ direction: [0, 0, -1], intensity: 3 });
    const level = await world.load(window.skinnedFile());
    const copy = level.root?.clone({ position: [2, 0, 0] });
    const lit = async (): Promise<boolean[]> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      const at = (x: number, y: number) =>
        (kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 - y * 16))[1] as number) > 60;
      return [at(0, 0.5), at(2, 0.5), at(-0.8, 1), at(1.2, 1)];
    };
    const both = await lit();
    // The original bends to the left, and the copy stays straight.
    level.play('bend', { speed: 0, startSeconds: 1 });
    const bent = await lit();
    const bounds = copy?.bounds.max.map((value) => Math.round(value * 100) / 100);
    level.unload();
    const gone = await lit();
    const { leaks } = await engine.dispose();
    return { both, bent, bounds, gone, leaks, errors, isDestroyed: copy?.isDestroyed };
  });
  expect(seen).toEqual({
    both: [true, true, false, false],
    bent: [true, true, true, false],
    bounds: [2.25, 2, 0],
    // The copy belongs to the original's level, so it is destroyed with that level.
    gone: [false, false, false, false],
    isDestroyed: true,
    leaks: [],
    errors: [],
  });
});
