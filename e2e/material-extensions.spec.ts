import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

/** Parameters with a value that shows, the default, and what else the material needs for that. */
const CHANGES: readonly (readonly [name: string, value: unknown, usual: unknown, others?: object])[] = [
  ['ior', 2.4, 1.5],
  ['specular', 0, 1],
  ['specularColor', '#00f', '#fff'],
  ['anisotropy', 0.8, 0],
  ['anisotropyRotation', 1, 0, { anisotropy: 0.8 }],
  ['iridescence', 1, 0],
  ['iridescenceIor', 2, 1.3, { iridescence: 1 }],
  ['iridescenceThicknessMaximum', 700, 400, { iridescence: 1 }],
  ['sheenColor', '#fff', '#000', { sheenRoughness: 0.5 }],
  ['sheenRoughness', 0.3, 0.8, { sheenColor: '#fff' }],
  ['clearcoat', 1, 0],
  ['clearcoatRoughness', 0.5, 0, { clearcoat: 1 }],
];

test('R14: each parameter of a material extension changes the picture, and changes it back', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async (changes) => {
    const { createEngine, sphereGeometry, standardMaterial } = window.fencepost;
    const { kit } = window;
    const engine = await createEngine(kit.view, { antialias: false, background: '#000' });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 3] });
    world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
    await world.setEnvironment('studio');
    const mesh = world.addMesh({ geometry: sphereGeometry({ radius: 1, segments: 24 }) });
    const look = async (): Promise<string> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      return kit.picture(engine);
    };
    await engine.whenReady();
    const all: [name: string, hasChanged: boolean, isAsBefore: boolean][] = [];
    for (const [name, value, usual, others] of changes) {
      const material = standardMaterial({ baseColor: '#a42', roughness: 0.4, ...others, [name]: usual });
      mesh.mesh!.material = material;
      const before = await look();
      Object.assign(material, { [name]: value });
      const changed = await look();
      Object.assign(material, { [name]: usual });
      all.push([name, changed !== before, (await look()) === before]);
    }
    await engine.dispose();
    return all;
  }, CHANGES);
  expect(seen).toEqual(CHANGES.map(([name]) => [name, true, true]));
});

inEveryMode(
  'R14: a motion that gives a material varnish shows the same as a setter; all extensions show together',
  async (engine) => {
    const { animate, sphereGeometry, standardMaterial } = window.fencepost;
    const { kit } = window;
    const { world } = engine;
    engine.background = '#000';
    world.addCamera({ position: [0, 0, 3] });
    world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
    world.setAmbient('#fff', 0.3);
    const material = standardMaterial({ baseColor: '#a42', roughness: 0.4 });
    const mesh = world.addMesh({ geometry: sphereGeometry({ radius: 1, segments: 24 }), material });
    const look = async (): Promise<string> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      return kit.picture(engine);
    };
    const plain = await look();
    material.clearcoat = 0.5;
    const half = await look();
    material.clearcoat = 0;
    const last = await look();
    material.motion = animate({ times: [0, 1], clearcoat: [0, 1] });
    await engine.step(0); // The motion begins with this frame.
    await engine.step(0.5);
    const moved = await kit.picture(engine);
    mesh.mesh!.material = standardMaterial({
      baseColor: '#a42',
      roughness: 0.4,
      ior: 1.8,
      specularColor: '#fd8',
      anisotropy: 0.6,
      iridescence: 0.5,
      sheenColor: '#448',
      sheenRoughness: 0.5,
      clearcoat: 0.7,
      emissive: '#111',
    });
    const everything = await look();
    return {
      isPlainAgain: last === plain,
      isMotionEqual: moved === half,
      looks: new Set([plain, half, everything]).size,
    };
  },
  (seen) => expect(seen).toEqual({ isPlainAgain: true, isMotionEqual: true, looks: 3 }),
);
