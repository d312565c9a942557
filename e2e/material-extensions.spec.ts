import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

/**
 * Each row: a parameter, a value that changes the picture, the default, and the other parameters without which
 * the change would not show.
 */
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
  ['transmission', 1, 0],
  ['thickness', 1, 0, { transmission: 1 }],
  ['attenuationDistance', 0.5, 5, { transmission: 1, thickness: 1, attenuationColor: '#f00' }],
  ['attenuationColor', '#0f0', '#fff', { transmission: 1, thickness: 1, attenuationDistance: 1 }],
  ['dispersion', 8, 0, { transmission: 1, thickness: 1 }],
  ['diffuseTransmission', 1, 0],
  ['diffuseTransmissionColor', '#00f', '#fff', { diffuseTransmission: 1 }],
];

test('R14: each parameter of a material extension changes the picture, and its default restores the picture', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async (changes) => {
    const { boxGeometry, createEngine, sphereGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { kit } = window;
    const engine = await createEngine(kit.view, { antialias: false, background: '#000' });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 3] });
    world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
    await world.setEnvironment('studio');
    const mesh = world.addMesh({ geometry: sphereGeometry({ radius: 1, segments: 24 }) });
    // A bar behind the sphere, visible through it.
    const bar = boxGeometry({ size: [0.4, 4, 0.1] });
    world.addMesh({
      geometry: bar,
      material: unlitMaterial({ baseColor: '#ccc' }),
      position: [0.4, 0, -1.5],
    });
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
      transmission: 0.3,
      thickness: 0.5,
      attenuationColor: '#fa8',
      attenuationDistance: 1,
      dispersion: 2,
      diffuseTransmission: 0.4,
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
