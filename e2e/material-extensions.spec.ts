import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

inEveryMode(
  'R14: each parameter of a material extension changes the picture, by setters and motions, and changes it back',
  async (engine) => {
    const { animate, sphereGeometry, standardMaterial } = window.fencepost;
    const { kit } = window;
    const { world } = engine;
    engine.background = '#000';
    world.addCamera({ position: [0, 0, 3] });
    world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
    await world.setEnvironment('studio');
    const material = standardMaterial({ baseColor: '#a42', roughness: 0.4 });
    world.addMesh({ geometry: sphereGeometry({ radius: 1, segments: 24 }), material });
    const look = async (): Promise<string> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      return kit.picture(engine);
    };
    await engine.whenReady();
    const plain = await look();
    const seen: Record<string, readonly boolean[]> = {};
    /** Values of a parameter: changed, and as before. */
    const changes: readonly (readonly [string, unknown, unknown, object?])[] = [
      ['ior', 2.4, 1.5],
      ['specular', 0, 1],
      ['specularColor', '#00f', '#fff'],
      ['anisotropy', 0.8, 0],
      ['anisotropyRotation', 1, 0, { anisotropy: 0.8 }],
      ['iridescence', 1, 0],
      ['iridescenceIor', 2, 1.3, { iridescence: 1 }],
      ['iridescenceThicknessMaximum', 700, 400, { iridescence: 1 }],
      ['sheenColor', '#fff', '#000', { sheenRoughness: 0.5 }],
      ['sheenRoughness', 0.3, 0.8, { sheenColor: '#fff', sheenRoughness: 0.8 }],
      ['clearcoat', 1, 0],
      ['clearcoatRoughness', 0.5, 0, { clearcoat: 1 }],
    ];
    for (const [name, value, usual, others = {}] of changes) {
      Object.assign(material, others);
      const before = await look();
      Object.assign(material, { [name]: value });
      const changed = await look();
      Object.assign(material, { [name]: usual });
      const restored = await look();
      for (const other of Object.keys(others))
        Object.assign(material, { [other]: other === 'sheenColor' ? '#000' : 0 });
      seen[name] = [changed !== before, restored === before];
    }
    material.clearcoat = 0.5;
    const half = await look();
    material.clearcoat = 0;
    const last = await look();
    material.motion = animate({ times: [0, 1], clearcoat: [0, 1], loop: false });
    await engine.step(0); // The motion begins with this frame.
    await engine.step(0.5);
    const moved = await kit.picture(engine);
    return { seen, isPlainAgain: last === plain, isMotionEqual: moved === half, isCoated: half !== plain };
  },
  (result) => {
    const { seen, ...rest } = result as { seen: Record<string, readonly boolean[]> };
    for (const [name, each] of Object.entries(seen)) expect(each, name).toEqual([true, true]);
    expect(Object.keys(seen)).toHaveLength(12);
    expect(rest).toEqual({ isPlainAgain: true, isMotionEqual: true, isCoated: true });
  },
);
