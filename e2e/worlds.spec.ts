import type { Page } from '@playwright/test';
import type { Actor, Engine, World } from 'fencepost';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { morphedGltf } from './morphed-gltf.js';
import { openEnginePage } from './open-engine-page.js';
import { changesOf } from './threading-modes.js';
import { holdWorkers } from './workers.js';

// G1: several worlds in one engine, through the public API.

declare global {
  interface Window {
    rooms: ReturnType<typeof createRooms>;
    morphedGltf: typeof morphedGltf;
  }
}

/**
 * Returns helpers that run in the page: two scenes that use much of a world's own state and share some
 * resources.
 */
function createRooms() {
  const { fencepost, kit } = window;
  const { boxGeometry, planeGeometry, sphereGeometry, spin, standardMaterial, texture, unlitMaterial } =
    fencepost;
  const texels = new Uint8Array(16 * 4).map((_, index) => ((index * 53) % 256) | (index % 4 === 3 ? 255 : 0));
  const checker = () => texture({ width: 4, height: 4, data: texels });
  const shared = {
    box: boxGeometry(),
    paint: standardMaterial({ baseColor: '#ff7a1a', roughness: 0.4 }),
    picture: standardMaterial({ baseColor: '#fff', baseColorTexture: checker() }),
    glass: unlitMaterial({ baseColor: '#4af8', alphaMode: 'blend' }),
  };
  return {
    shared,
    /** Adds a floor with shadows, a sun, a blended object and a spinning object. */
    async furnishHall(world: World): Promise<void> {
      world.addCamera({ position: [2, 2, 4], lookAt: [0, 0.4, 0] });
      world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3, castShadow: true });
      world.setAmbient('#334', 1);
      world.addMesh({ geometry: planeGeometry({ size: 6 }), material: shared.picture }).rotateX(-Math.PI / 2);
      const box = world.addMesh({ geometry: shared.box, material: shared.paint, position: [0, 0.6, 0] });
      box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
      world.addMesh({ geometry: shared.box, material: shared.glass, position: [1, 0.5, 1] });
      world.addMesh({ geometry: shared.box, material: shared.glass, position: [-1, 0.5, 1] });
      await world.load(window.morphedGltf(true));
    },
    /** Adds studio light, another floor, and the shared objects at other places. */
    async furnishStudio(world: World): Promise<void> {
      world.addCamera({ position: [0, 3, 3], lookAt: [0, 0, 0] });
      world.addPointLight({ position: [1, 2, 1], color: '#fa4', intensity: 30 });
      world.addMesh({ geometry: shared.box, material: shared.picture, position: [-0.8, 0, 0] });
      world.addMesh({
        geometry: sphereGeometry({ radius: 0.6 }),
        material: shared.paint,
        position: [0.8, 0, 0],
      });
      const level = await world.load(window.morphedGltf(false), { position: [0, 0, -2] });
      for (const component of level.find('face')!.components) {
        if (component instanceof fencepost.MeshComponent) component.setMorphWeight('right', 0.3);
      }
      await world.setEnvironment('studio', { background: true });
    },
    async show(engine: Engine, world: World): Promise<string> {
      engine.world = world;
      await engine.step(0);
      return kit.picture(engine);
    },
  };
}

async function openRooms(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.morphedGltf = ${morphedGltf}; window.rooms = (${createRooms})()`);
}

inEveryMode(
  'G1: views show two worlds side by side, and neither shows content of the other',
  async (engine) => {
    const { planeGeometry, unlitMaterial } = window.fencepost;
    const { kit } = window;
    const other = await engine.createWorld();
    const wall = planeGeometry({ size: 20 });
    engine.world.addMesh({ geometry: wall, material: unlitMaterial({ baseColor: '#f00' }) });
    other.addMesh({ geometry: wall, material: unlitMaterial({ baseColor: '#0f0' }) });
    const half = { y: 0, width: 0.5, height: 1 };
    const left = engine.addView({
      camera: engine.world.addCamera({ position: [0, 0, 5] }),
      rect: { x: 0, ...half },
    });
    const right = engine.addView({
      camera: other.addCamera({ position: [0, 0, 5] }),
      rect: { x: 0.5, ...half },
    });
    const look = async (): Promise<string[]> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return [20, 100].map((x) => kit.pixel(frame, x, 64).slice(0, 3).join());
    };
    const seen = [await look()];
    // The views swap their cameras, and with them the worlds that they show.
    const { camera } = left;
    left.camera = right.camera;
    right.camera = camera;
    seen.push(await look());
    return { seen, visible: engine.stats().visible, primitives: engine.stats().primitives };
  },
  (seen) =>
    expect(seen).toEqual({
      seen: [
        ['255,0,0', '0,255,0'],
        ['0,255,0', '255,0,0'],
      ],
      visible: 2,
      primitives: 2,
    }),
);

for (const isolated of [true, false]) {
  test(`G1: each world looks as if it were alone, also after a device loss and a change of threads, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.setTimeout(timeLimit(240_000));
    await openRooms(page, isolated ? isolatedURL : plainURL);
    const { alone, results } = await page.evaluate(async (changes) => {
      const { fencepost, kit, rooms } = window;
      const create = (threading: (typeof changes)[number][0]): Promise<Engine> =>
        fencepost.createEngine(kit.view, {
          threading,
          antialias: false,
          validation: true,
          background: '#123',
        });
      // Other tests show that all modes draw the same picture of one world. So one mode gives the expected
      // picture of each world.
      const alone: string[] = [];
      for (const furnish of [rooms.furnishHall, rooms.furnishStudio]) {
        const engine = await create('render');
        await furnish(engine.world);
        await engine.step(0.5);
        alone.push(await kit.picture(engine));
        await engine.dispose();
      }
      const results = [];
      for (const [threading, next] of changes) {
        const engine = await create(threading);
        const events = kit.listen(engine);
        const hall = engine.world;
        const studio = await engine.createWorld({ name: 'studio' });
        await Promise.all([rooms.furnishHall(hall), rooms.furnishStudio(studio)]);
        await engine.step(0.5);
        const both = async () => [await rooms.show(engine, hall), await rooms.show(engine, studio)];
        const together = [await both()];
        const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
        await engine.simulateDeviceLoss();
        await restored;
        together.push(await both());
        await engine.setThreading(next);
        together.push(await both());
        const { leaks } = await engine.dispose();
        results.push({
          together,
          leaks,
          errors: events.filter((event) => event.startsWith('error')),
        });
      }
      return { alone, results };
    }, changesOf(isolated));
    expect(new Set(alone).size).toBe(2);
    expect(results.length).toBeGreaterThan(0);
    for (const { together, leaks, errors } of results) {
      expect({ leaks, errors }).toEqual({ leaks: [], errors: [] });
      expect(together).toEqual([alone, alone, alone]);
    }
  });
}

inEveryMode(
  'G1: a level streams into and out of a second world while both show, and a destroyed world frees all its memory',
  async (engine) => {
    const { boxGeometry, planeGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { kit } = window;
    const { world } = engine;
    const geometry = boxGeometry();
    const material = unlitMaterial({ baseColor: '#f00' });
    world.addMesh({ geometry, material });
    const half = { y: 0, width: 0.5, height: 1 };
    engine.addView({ camera: world.addCamera({ position: [0, 0, 2] }), rect: { x: 0, ...half } });
    await engine.step(0);
    await engine.flush();
    const { liveResources, retainedBytes } = engine.stats();
    const look = async (): Promise<string> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return [32, 96].map((x) => kit.pixel(frame, x, 64).slice(0, 3).join()).join(' ');
    };
    const seen: string[] = [];
    let live: number[] = [];
    // The second round reuses the ids of the first round's world and view.
    for (let round = 0; round < 2; round++) {
      const other = await engine.createWorld();
      const view = engine.addView({
        camera: other.addCamera({ position: [0, 0, 2] }),
        rect: { x: 0.5, ...half },
      });
      seen.push(await look());
      const file = {
        asset: { version: '2.0' },
        scenes: [{ nodes: [0] }],
        scene: 0,
        nodes: [{ mesh: 0 }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
        materials: [
          {
            pbrMetallicRoughness: { baseColorFactor: [0, 1, 0, 1] },
            extensions: { KHR_materials_unlit: {} },
          },
        ],
        extensionsUsed: ['KHR_materials_unlit'],
        accessors: [
          { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [-9, -9, 0], max: [9, 9, 0] },
        ],
        bufferViews: [{ buffer: 0, byteLength: 36 }],
        buffers: [
          {
            byteLength: 36,
            uri: `data:application/octet-stream;base64,${btoa(
              String.fromCharCode(...new Uint8Array(new Float32Array([-9, -9, 0, 9, -9, 0, 0, 9, 0]).buffer)),
            )}`,
          },
        ],
      };
      const level = await other.load(new File([JSON.stringify(file)], 'wall.gltf'));
      seen.push(await look());
      level.unload();
      // Resources that both worlds use stay as long as one of them uses them.
      const box = other.addMesh({ geometry, material });
      other.addMesh({ geometry: planeGeometry(), material: standardMaterial(), position: [0, 0, -9] });
      other.addDirectionalLight({ direction: [0, -1, -1], castShadow: true });
      await other.setEnvironment('studio');
      seen.push(await look());
      material.baseColor = [0, 0, 1];
      box.visible = false;
      seen.push(await look());
      material.baseColor = [1, 0, 0];
      view.dispose();
      other.destroy();
      other.destroy();
      seen.push(await look());
      await engine.flush();
      live = [...live, engine.stats().liveResources];
    }
    return {
      seen,
      isFreed: live[0] === live[1],
      more: (live[0] as number) - liveResources,
      retained: engine.stats().retainedBytes === retainedBytes,
    };
  },
  (seen) => {
    const round = [
      '255,0,0 0,0,0',
      '255,0,0 0,255,0',
      '255,0,0 255,0,0',
      '0,0,255 255,255,255',
      '255,0,0 255,0,0',
    ];
    expect(seen).toMatchObject({ seen: [...round, ...round], isFreed: true, retained: true });
    // Only code loaded on demand and grown tables remain.
    expect((seen as { more: number }).more).toBeLessThan(8);
  },
);

inEveryMode(
  'G1: worlds tick whether they are shown or not, unless they are paused; then their motion stops',
  async (engine) => {
    const { planeGeometry, spin, unlitMaterial } = window.fencepost;
    const { kit } = window;
    const first = engine.world;
    const other = await engine.createWorld({ name: 'other', paused: true });
    const heard: string[] = [];
    first.onTick((delta) => heard.push(`first ${delta}`));
    other.onTick((delta) => heard.push(`other ${delta}`));
    const build = (world: World, baseColor: string): Actor => {
      world.addCamera({ position: [0, 0, 3] });
      const card = world.addMesh({
        geometry: planeGeometry({ size: 1 }),
        material: unlitMaterial({ baseColor, doubleSided: true }),
        scale: [2, 0.4, 1],
      });
      card.motion = spin({ axis: [0, 0, 1], radiansPerSecond: Math.PI / 2 });
      return card;
    };
    build(first, '#f00');
    build(other, '#0f0');
    /** Returns the colours right of the middle and above it, which show the card's orientation. */
    const look = async (world: World): Promise<string> => {
      engine.world = world;
      await engine.step(0);
      const frame = await engine.captureFrame();
      return (
        [
          [100, 64],
          [64, 28],
        ] as const
      )
        .map(([x, y]) => (kit.pixel(frame, x, y).some((v, i) => v > 0 && i < 3) ? '1' : '0'))
        .join('');
    };
    await engine.step(0);
    heard.length = 0;
    await engine.step(1);
    const seen = [await look(first), await look(other)];
    other.paused = false;
    first.paused = true;
    await engine.step(1);
    seen.push(await look(first), await look(other));
    return {
      heard: heard.filter((entry) => !entry.endsWith(' 0')),
      seen,
      times: [first.timeSeconds, other.timeSeconds],
    };
  },
  (seen) =>
    expect(seen).toEqual({
      heard: ['first 1', 'other 1'],
      seen: ['01', '10', '01', '01'],
      times: [1, 1],
    }),
);

inEveryMode(
  'G1: picks and rectangles find content of the world that the view or the canvas shows',
  async (engine) => {
    const { boxGeometry, unlitMaterial } = window.fencepost;
    const other = await engine.createWorld();
    const fill = (world: World, name: string): Actor => {
      const actor = world.addMesh({ geometry: boxGeometry(), material: unlitMaterial(), name });
      return actor;
    };
    fill(engine.world, 'box of the first');
    fill(other, 'box of the other');
    const first = engine.world;
    const camera = other.addCamera({ position: [0, 0, 3] });
    first.addCamera({ position: [0, 0, 3] });
    const corner = engine.addView({ camera, rect: { x: 0.5, y: 0.5, width: 0.5, height: 0.5 } });
    const found: unknown[] = [];
    const pick = async (x: number, y: number) => found.push((await engine.pick(x, y))?.actor.name);
    await pick(60, 60);
    await pick(96, 96);
    found.push((await corner.pick(32, 32))?.actor.name);
    found.push((await engine.pickRectangle(70, 70, 50, 50)).map(({ actor }) => actor.name));
    corner.enabled = false;
    engine.world = other;
    await pick(64, 64);
    found.push(other.raycast([0, 0, 3], [0, 0, -1])?.actor.name, first.raycast([9, 0, 3], [0, 0, -1]));
    engine.world = first;
    await pick(64, 64);
    return found;
  },
  (found) =>
    expect(found).toEqual([
      'box of the first',
      'box of the other',
      'box of the other',
      ['box of the other'],
      'box of the other',
      'box of the other',
      null,
      'box of the first',
    ]),
);

test('G1: actors of a second world receive pointer events', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view);
    const other = await engine.createWorld();
    const box = other.addMesh({ geometry: fencepost.boxGeometry(), material: fencepost.unlitMaterial() });
    other.addCamera({ position: [0, 0, 3] });
    engine.world = other;
    box.addEventListener('click', ({ hit }) =>
      document.body.append(`clicked at ${hit?.position[2].toFixed(1)}`),
    );
    await engine.whenReady();
    await engine.step(0);
  });
  await page.mouse.click(64, 64);
  await expect(page.locator('body')).toContainText('clicked at 0.5');
});

test('G1: objects of different worlds can’t be combined: each attempt is refused with a typed error', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { backend: 'null' });
    const foreign = await fencepost.createEngine(document.createElement('div'), { backend: 'null' });
    const first = engine.world;
    const refused = async (action: () => unknown) => {
      const { name, code } = await kit.refusal(action);
      return `${name} ${code}`;
    };
    const mesh = () => ({ geometry: fencepost.boxGeometry(), material: fencepost.unlitMaterial() });
    const results: Record<string, unknown> = {};
    const show = (world: unknown) => () => {
      engine.world = world as World;
    };
    engine.world = first;
    results.showNothingYet = await refused(show({}));
    const other = await engine.createWorld({ name: 'cellar' });
    const camera = other.addCamera();
    const actor = other.addMesh(mesh());
    results.shown = [
      await refused(show(null)),
      await refused(show('cellar')),
      await refused(show(foreign.world)),
    ];
    results.options = [
      await refused(() => engine.createWorld({ title: 'x' } as never)),
      await refused(() => engine.createWorld({ name: 7 } as never)),
      await refused(() => engine.createWorld({ paused: 'yes' } as never)),
    ];
    results.moved = await refused(() => first.spawn(actor));
    results.attached = await refused(() => first.addMesh(mesh()).attachTo(actor));
    results.level = await refused(() =>
      first.spawn(new fencepost.MeshComponent(mesh()), { level: other.persistentLevel }),
    );
    results.activeCamera = await refused(() => {
      first.activeCamera = camera;
    });
    results.foreignCamera = await refused(() => engine.addView({ camera: foreign.world.addCamera() }));
    results.foreignAttached = await refused(() =>
      first.addMesh(mesh()).attachTo(foreign.world.addMesh(mesh())),
    );
    engine.world = other;
    results.destroyShown = (await kit.refusal(() => other.destroy())).message;
    engine.world = first;
    const loading = kit.refusal(() => other.load('data:model/gltf-binary,'));
    other.destroy();
    results.loading = (await loading).code;
    results.dead = [
      await refused(() => other.addMesh(mesh())),
      await refused(() => other.load('x.glb')),
      await refused(show(other)),
      await refused(() => engine.addView({ camera })),
    ];
    results.signal = [other.disposed.aborted, first.disposed.aborted];
    await engine.step(0);
    results.isWorld = other instanceof fencepost.World;
    results.leaks = (await engine.dispose()).leaks;
    results.disposed = await refused(() => engine.createWorld());
    await foreign.dispose();
    return results;
  });
  expect(seen).toEqual({
    showNothingYet: 'OptionError option-invalid',
    shown: Array(3).fill('OptionError option-invalid'),
    options: ['OptionError option-unknown', 'OptionError option-invalid', 'OptionError option-invalid'],
    moved: 'SceneError actor-already-spawned',
    attached: 'SceneError attachment-other-world',
    level: 'StateError level-unloaded',
    activeCamera: 'OptionError option-invalid',
    foreignCamera: 'OptionError option-invalid',
    foreignAttached: 'SceneError attachment-other-world',
    destroyShown:
      'The canvas shows the world "cellar". Assign another world to engine.world before you destroy this one.',
    loading: 'world-destroyed',
    dead: [
      'StateError world-destroyed',
      'StateError world-destroyed',
      'OptionError option-invalid',
      'OptionError option-invalid',
    ],
    signal: [true, false],
    isWorld: true,
    leaks: [],
    disposed: 'StateError engine-disposed',
  });
});

for (const threading of ['render', 'render+rhi'] as const) {
  test(`G1: ${threading}: all worlds are restored after a worker was killed`, async ({
    page,
    isolatedURL,
  }) => {
    test.setTimeout(timeLimit(120_000));
    await holdWorkers(page);
    await openRooms(page, isolatedURL);
    const seen = await page.evaluate(async (threading) => {
      const { fencepost, kit, rooms } = window;
      const engine = await fencepost.createEngine(kit.view, {
        threading,
        antialias: false,
        watchdog: { reportSeconds: 0.5, restartSeconds: 1 },
      });
      const events = kit.listen(engine);
      const first = engine.world;
      const other = await engine.createWorld();
      await Promise.all([rooms.furnishHall(first), rooms.furnishStudio(other)]);
      // This world is destroyed while there are no threads.
      const brief = await engine.createWorld();
      brief.addMesh({ geometry: rooms.shared.box, material: rooms.shared.paint });
      await engine.step(0.5);
      const before = [await rooms.show(engine, first), await rooms.show(engine, other)];
      const restarted = new Promise((resolve) => engine.addEventListener('threadrestarted', resolve));
      window.workers[threading === 'render' ? 0 : 1]!.terminate();
      engine.invalidate();
      brief.destroy();
      await restarted;
      const after = [await rooms.show(engine, first), await rooms.show(engine, other)];
      // The new world gets the number of the destroyed world.
      const last = await engine.createWorld();
      last.addCamera({ position: [0, 0, 3] });
      const empty = await rooms.show(engine, last);
      engine.world = first;
      const again = await rooms.show(engine, first);
      await engine.dispose();
      return {
        before,
        after,
        empty,
        again,
        restarts: events.filter((event) => event.startsWith('threadrestarted')),
      };
    }, threading);
    expect(seen.after).toEqual(seen.before);
    expect(seen.again).toBe(seen.before[0]);
    expect(seen.restarts).toEqual(['threadrestarted render']);
    expect(new Set([...seen.before, seen.empty]).size).toBe(3);
  });
}
