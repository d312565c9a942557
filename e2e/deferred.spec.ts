import type { Page } from '@playwright/test';
import type { Engine, EngineOptions } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { skinnedGltf } from './skinned-gltf.js';
import { MODES, modesOf } from './threading-modes.js';

// R12: the deferred renderer draws what the forward renderer draws, through the public API.

/**
 * The largest allowed difference of a channel, 0 to 255. The deferred renderer rounds the surface data that it
 * stores between drawing and lighting.
 */
const TOLERANCE = 2;

declare global {
  interface Window {
    set: ReturnType<typeof createSet>;
    skinnedGltf: typeof skinnedGltf;
  }
}

/** Returns helpers that run in the page, with scenes that each take an engine. */
function createSet() {
  const { fencepost, kit } = window;
  const { boxGeometry, planeGeometry, sphereGeometry, standardMaterial, unlitMaterial, texture } = fencepost;
  const LOOKS_UP = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];

  function addSpheres({ world }: Engine) {
    world.addCamera({ position: [0, 0, 9] });
    world.addDirectionalLight({ direction: [-1, -2, -3], intensity: 2 });
    const geometry = sphereGeometry({ radius: 0.7, segments: 24 });
    for (let row = 0; row < 5; row++) {
      for (let column = 0; column < 5; column++) {
        const material = standardMaterial({
          baseColor: [0.05 + row * 0.2, 0.4, 0.9 - row * 0.2],
          metallic: row / 4,
          roughness: column / 4,
        });
        world.addMesh({ geometry, material, position: [(column - 2) * 1.6, (row - 2) * 1.6, 0] });
      }
    }
  }

  /** Returns a chequered image, whose alpha has a hole in the middle. */
  function chequer(colorSpace: 'srgb' | 'linear') {
    const data = new Uint8Array(16 * 16 * 4);
    for (let texel = 0; texel < 256; texel++) {
      const [x, y] = [texel % 16, texel >> 4];
      const isBright = ((x >> 2) + (y >> 2)) % 2 === 0;
      data.set(
        [isBright ? 250 : 90, isBright ? 180 : 140, 200, Math.hypot(x - 8, y - 8) < 4 ? 0 : 255],
        texel * 4,
      );
    }
    return texture({ width: 16, height: 16, data }, { colorSpace });
  }

  const scenes: Record<string, (engine: Engine) => void | Promise<void>> = {
    'metals and roughness': addSpheres,
    async 'varnish, grain, films and reflections that vary'(engine) {
      const { world } = engine;
      world.addCamera({ position: [0, 0, 9] });
      world.addDirectionalLight({ direction: [-1, -2, -3], intensity: 2 });
      world.addPointLight({ position: [2, 2, 3], intensity: 20 });
      await world.setEnvironment('studio');
      const geometry = sphereGeometry({ radius: 0.9, segments: 24 });
      const looks = [
        { clearcoat: 1, roughness: 0.7 },
        { anisotropy: 0.9, metallic: 1 },
        { iridescence: 1, roughness: 0.2 },
        { ior: 2.2, sheenColor: '#fff', sheenRoughness: 0.6 },
        { specular: 0.3, specularColor: '#08f' },
        {},
      ];
      looks.forEach((look, index) => {
        const material = standardMaterial({ baseColor: '#c63', ...look });
        world.addMesh({ geometry, material, position: [((index % 3) - 1) * 2.2, index < 3 ? 1.1 : -1.1, 0] });
      });
    },
    async 'an environment behind them'(engine) {
      addSpheres(engine);
      await engine.world.setEnvironment('studio', { background: true });
      engine.world.setAmbient('#246', 0.5);
    },
    'textures, cut-outs, both sides and mirrors'({ world }) {
      world.addCamera({ position: [0, 1, 6], lookAt: [0, 0, 0] });
      world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
      const material = standardMaterial({
        baseColorTexture: chequer('srgb'),
        normalTexture: chequer('linear'),
        metallicRoughnessTexture: chequer('linear'),
        emissiveTexture: chequer('srgb'),
        emissive: [0.1, 0.05, 0],
        alphaMode: 'mask',
        doubleSided: true,
      });
      world.addMesh({
        geometry: boxGeometry({ size: 1.6 }),
        material,
        position: [-1.2, 0, 0],
        rotation: [0, 0.3, 0, 0.95],
      });
      world.addMesh({
        geometry: planeGeometry({ size: 2 }),
        material,
        position: [1.2, 0, 0],
        scale: [-1, 1, 1],
      });
    },
    'shadows of all lights'({ world }) {
      world.addCamera({ position: [4, 5, 6], lookAt: [0, 0, 0] });
      const white = standardMaterial({ baseColor: '#ddd', roughness: 0.7 });
      world.addMesh({ geometry: planeGeometry({ size: 12 }), material: white, rotation: LOOKS_UP });
      world.addMesh({ geometry: boxGeometry(), material: white, position: [0, 0.5, 0] });
      world.addMesh({
        geometry: sphereGeometry({ radius: 0.5 }),
        material: white,
        position: [1.5, 0.8, 1],
        receiveShadow: false,
      });
      // Rasterizers snap corners to 1/256 of a pixel, which shifts interpolated values. So texels must not be
      // much smaller than pixels.
      const castShadow = { mapSize: 256 };
      world.setAmbient('#fff', 0.2);
      world.addDirectionalLight({ direction: [-1, -2, 0.5], intensity: 1, castShadow });
      world.addSpotLight({
        position: [3, 4, 0],
        direction: [-3, -4, 0],
        intensity: 20,
        castShadow: { mapSize: 256, softness: 0.1 },
      });
      world.addPointLight({
        position: [-2, 2, 2],
        intensity: 8,
        castShadow: { mapSize: 256, softness: 0.1 },
      });
    },
    // Texels of these shadow maps are far smaller than pixels. The floor would shadow itself if its height
    // were reconstructed inexactly.
    'a floor under lamps, with fine maps'({ world }) {
      world.addCamera({ position: [0.1, 5, 8], lookAt: [0, 0, 0] });
      const white = standardMaterial({ baseColor: '#ddd', roughness: 0.7 });
      world.addMesh({ geometry: planeGeometry({ size: 20, facing: 'y' }), material: white });
      const castShadow = { mapSize: 2048 };
      world.addPointLight({ position: [2, 3.5, 2], intensity: 8, castShadow });
      world.addPointLight({ position: [-2, 3, 2], intensity: 8, castShadow: true });
      world.addDirectionalLight({ direction: [0, -1, 0], intensity: 0.3, castShadow });
    },
    'levels of detail that fade, and their shadows'({ world }) {
      world.addCamera({ position: [0, 4, 7], lookAt: [0, 0, 0] });
      const white = standardMaterial({ baseColor: '#ddd', roughness: 0.7 });
      world.addMesh({ geometry: planeGeometry({ size: 12 }), material: white, rotation: LOOKS_UP });
      world.addDirectionalLight({ direction: [-1, -2, 0.5], intensity: 1, castShadow: { mapSize: 128 } });
      const geometries = [sphereGeometry({ radius: 0.8 }), boxGeometry({ size: 1.4 })];
      // Each mesh is at another stage of its fade.
      for (let index = 0; index < 4; index++) {
        const lods = [0.2, 0.05].map((screenSize, level) => ({ geometry: geometries[level]!, screenSize }));
        const material = index === 3 ? unlitMaterial({ baseColor: '#c63' }) : white;
        const mesh = world.addMesh({ lods, material, position: [index * 1.7 - 2.5, 0.9, 0] });
        const distance = Math.hypot(index * 1.7 - 2.5, 3.1, 7);
        lods[0]!.screenSize =
          (0.8 * Math.sqrt(3)) / (distance * Math.tan(Math.PI / 6)) / (1.02 + index * 0.03);
        mesh.root.lods = lods;
      }
    },
    'glass, lines and unlit colours'(engine) {
      const { world } = engine;
      engine.exposure = 0.7;
      world.addCamera({ position: [0, 0, 6] });
      world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
      const geometry = boxGeometry({ size: 1.5 });
      world.addMesh({ geometry, material: standardMaterial({ baseColor: '#c33' }), position: [-0.5, 0, 0] });
      world.addMesh({ geometry, material: unlitMaterial({ baseColor: '#3c3' }), position: [0.8, 0.5, -1] });
      world.addMesh({
        geometry: planeGeometry({ size: 2 }),
        material: standardMaterial({ baseColor: [0.2, 0.4, 1, 0.5], alphaMode: 'blend' }),
        position: [0.3, 0, 1.5],
      });
    },
    // With this exposure for a sunny day, the largest radiance that fits a half float is 1.6 times white.
    'a real sun, in lux, and lamps as bright'(engine) {
      engine.exposure = 2.5e-5;
      addSpheres(engine);
      const { world } = engine;
      world.addDirectionalLight({ direction: [1, -2, -2], intensity: 130_000 });
      for (const [column, emissiveStrength] of [800, 8000, 35_000, 200_000].entries()) {
        const material = standardMaterial({ baseColor: '#ccc', emissive: '#f84', emissiveStrength });
        world.addMesh({ geometry: boxGeometry(), material, position: [(column - 1.5) * 1.6, 0, 1] });
      }
    },
    'hundreds of lights, far from the origin'({ world }) {
      const x = 50_000;
      world.addCamera({ position: [x + 12, 10, 12], lookAt: [x, 0, 0], far: 200 });
      const material = standardMaterial({ baseColor: '#fff', roughness: 0.5 });
      world.addMesh({
        geometry: planeGeometry({ size: 30 }),
        material,
        position: [x, 0, 0],
        rotation: LOOKS_UP,
      });
      for (let index = 0; index < 200; index++) {
        world.addPointLight({
          position: [x + Math.sin(index * 12.9) * 12, 0.8, Math.sin(index * 78.2) * 12],
          color: [1, (index % 7) / 7, (index % 3) / 3],
          intensity: 1.5,
          range: 2 + (index % 4),
        });
      }
    },
    async 'a skin that bends, under clusters of lights'({ world }) {
      world.addCamera({ position: [0, 1, 6] });
      for (let index = 0; index < 20; index++) {
        world.addPointLight({ position: [index / 5 - 2, 1, 2], intensity: 1, range: 4 });
      }
      const level = await world.load(window.skinnedGltf());
      level.play(0, { speed: 0, startSeconds: 0.4 });
    },
    orthographic({ world }) {
      world.addCamera({ position: [3, 3, 3], lookAt: [0, 0, 0], orthographic: { halfHeight: 2 } });
      world.addPointLight({ position: [1, 2, 2], intensity: 10 });
      world.addMesh({
        geometry: boxGeometry(),
        material: standardMaterial({ baseColor: '#f80', roughness: 0.3 }),
      });
    },
    'views in a part of the canvas and in a texture'(engine) {
      addSpheres(engine);
      const camera = engine.world.addCamera({ position: [2, 3, 6], lookAt: [0, 0, 0] });
      const target = fencepost.renderTexture({ width: 64, height: 64 });
      engine.addView({ camera, target });
      engine.addView({ camera, rect: { x: 0, y: 0, width: 0.3, height: 0.5 } });
      engine.world.addMesh({
        geometry: planeGeometry({ size: 3 }),
        material: unlitMaterial({ baseColorTexture: target }),
        position: [2, -2, 1],
      });
    },
  };

  return {
    scenes,
    async create(options: EngineOptions): Promise<Engine> {
      const look = { background: '#123', antialias: false } as const;
      return fencepost.createEngine(kit.view, { ...look, ...options });
    },
    async picture(engine: Engine): Promise<Uint8ClampedArray> {
      await engine.step(0);
      return (await engine.captureFrame()).data;
    },
    /**
     * Returns how many pixels differ by more than the tolerance, the largest difference, and how many are not
     * the background.
     */
    compare(a: Uint8ClampedArray, b: Uint8ClampedArray, tolerance: number) {
      let most = 0;
      let differing = 0;
      let drawn = 0;
      for (let at = 0; at < a.length; at += 4) {
        let difference = 0;
        for (let channel = 0; channel < 3; channel++) {
          difference = Math.max(difference, Math.abs(a[at + channel]! - b[at + channel]!));
        }
        most = Math.max(most, difference);
        if (difference > tolerance) differing++;
        if (a[at] !== 0x11 || a[at + 1] !== 0x22) drawn++;
      }
      return { most, differing, drawn };
    },
  };
}

async function openSet(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.skinnedGltf = ${skinnedGltf}`);
  await page.evaluate(`window.set = (${createSet})()`);
}

test('R12: deferred and forward agree within 2 of 255 on every scene', async ({ page, isolatedURL }) => {
  test.slow();
  await openSet(page, isolatedURL);
  const results = await page.evaluate(async (tolerance) => {
    const { set } = window;
    const all: Record<string, ReturnType<typeof set.compare> & { errors: string[]; passes: string[] }> = {};
    for (const [name, build] of Object.entries(set.scenes)) {
      const pictures: Uint8ClampedArray[] = [];
      const errors: string[] = [];
      const passes: string[] = [];
      for (const renderer of ['forward', 'deferred'] as const) {
        const engine = await set.create({ renderer, validation: true });
        engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
        await build(engine);
        await engine.whenReady();
        pictures.push(await set.picture(engine));
        const names = (await engine.frameGraph()).passes.map((pass) => pass.name);
        passes.push(names.filter((pass) => pass === 'surfaces' || pass === 'lighting').join(' '));
        await engine.dispose();
      }
      all[name] = { ...set.compare(pictures[0]!, pictures[1]!, tolerance), errors, passes };
    }
    return all;
  }, TOLERANCE);
  for (const [name, { most, differing, drawn, errors, passes }] of Object.entries(results)) {
    console.log(`${name}: at most ${most} of 255; ${differing} of ${drawn} pixels beyond ${TOLERANCE}`);
    expect(errors, name).toEqual([]);
    // Equal pictures prove nothing if one renderer draws both.
    expect(passes, name).toEqual(['', 'surfaces lighting']);
    expect(drawn, name).toBeGreaterThan(500);
    expect(differing, name).toBe(0);
  }
});

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`R12: all modes draw the same deferred picture, also after a lost device and on other threads, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openSet(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { set, kit } = window;
      const all: string[][] = [];
      for (const threading of modes) {
        const engine = await set.create({ threading, renderer: 'deferred', antialias: 4 });
        await set.scenes['shadows of all lights']!(engine);
        await engine.step(0);
        const pictures = [await kit.picture(engine)];
        const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
        await engine.simulateDeviceLoss();
        await restored;
        pictures.push(await kit.picture(engine));
        await engine.setThreading(threading === 'single' ? 'render' : 'single');
        pictures.push(await kit.picture(engine));
        await engine.dispose();
        all.push(pictures);
      }
      return all;
    }, modesOf(isolation));
    expect(new Set(results.flat()).size).toBe(1);
  });
}

for (const threading of MODES) {
  test(`R12: each renderer draws the meshes by its own passes, ${threading}`, async ({
    page,
    isolatedURL,
  }) => {
    await openSet(page, isolatedURL);
    const draws = await page.evaluate(async (threading) => {
      const { set } = window;
      const all: Record<string, Record<string, number>> = {};
      for (const renderer of ['forward', 'deferred'] as const) {
        const lines: string[] = [];
        const engine = await set.create({
          threading,
          renderer,
          rhiTrace: (line: string) => lines.push(line),
        });
        await set.scenes['metals and roughness']!(engine);
        await engine.step(0);
        await engine.dispose();
        // Draws of meshes by pass, in the first frame. Later frames execute bundles.
        const counts: Record<string, number> = {};
        let pass = '';
        for (const line of lines.slice(
          0,
          lines.findIndex((each) => each.startsWith('endFrame')),
        )) {
          pass = /^ *beginRenderPass .*"label":"([^"]*)"/.exec(line)?.[1] ?? pass;
          if (/^ *(drawIndexed|draw) /.test(line)) counts[pass] = (counts[pass] ?? 0) + 1;
        }
        all[renderer] = counts;
      }
      return all;
    }, threading);
    // All spheres are one instanced draw.
    expect(draws).toEqual({
      forward: { scene: 1, 'tone mapping': 1 },
      deferred: { surfaces: 1, lighting: 1, 'tone mapping': 1 },
    });
  });
}

test('R12: switching renderers while running leaves nothing of the previous one', async ({
  page,
  isolatedURL,
}) => {
  await openSet(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { set, kit, fencepost } = window;
    const engine = await set.create({ antialias: 4 });
    await set.scenes['glass, lines and unlit colours']!(engine);
    const look = async (frames = 6) => {
      // Released resources are destroyed a few frames later.
      for (let frame = 0; frame < frames; frame++) await engine.step(0);
      const { renderTargets } = engine.stats().memory;
      return { picture: await kit.picture(engine), renderTargets };
    };
    const forward = await look();
    engine.renderer = 'deferred';
    const deferred = await look();
    const { renderer, antialias } = engine;
    engine.antialias = false;
    // Smoothing's targets stay allocated for 30 frames, in case smoothing is enabled again.
    const deferredOnce = await look(40);
    engine.antialias = 4;
    const deferredAgain = await look();
    engine.renderer = 'forward';
    const again = await look();
    let refused = '';
    try {
      engine.renderer = 'ray' as never;
    } catch (error) {
      if (error instanceof fencepost.OptionError) refused = `${error.code} ${error.message}`;
    }
    await engine.dispose();
    return { forward, deferred, deferredOnce, deferredAgain, again, renderer, antialias, refused };
  });
  expect(seen.again).toEqual(seen.forward);
  expect(seen.deferredAgain).toEqual(seen.deferred);
  expect(seen.deferredOnce.picture).not.toBe(seen.deferred.picture);
  // The forward renderer's 4 samples smooth edges differently.
  expect(seen.deferred.picture).not.toBe(seen.forward.picture);
  // Per pixel, the deferred renderer has two half-float targets, depth, and 20 bytes of surface data. The
  // forward renderer has two half-float targets and depth with 4 samples each, and both colours resolved.
  expect(seen.deferredOnce.renderTargets).toBe(128 * 128 * (8 + 8 + 4 + 20));
  // Smoothing writes two more targets.
  expect(seen.deferred.renderTargets).toBe(128 * 128 * (8 + 8 + 4 + 20 + 16));
  expect(seen.forward.renderTargets).toBe(128 * 128 * (4 * (8 + 8 + 4) + 16));
  expect([seen.renderer, seen.antialias]).toEqual(['deferred', 4]);
  expect(seen.refused).toMatch(/^option-invalid .*renderer.*"ray".*forward/);
});

test('R12: antialias smooths edges of the deferred picture, and leaves areas without edges alone', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openSet(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { set, fencepost } = window;
    const { boxGeometry, planeGeometry, standardMaterial, unlitMaterial } = fencepost;
    const scenes: Record<string, (engine: Engine) => void> = {
      'lit boxes before a background'({ world }) {
        world.addCamera({ position: [0, 1, 5], lookAt: [0, 0, 0] });
        world.addDirectionalLight({ direction: [-1, -2, -3], intensity: 3 });
        const box = world.addMesh({
          geometry: boxGeometry(),
          material: standardMaterial({ baseColor: '#fc8' }),
        });
        box.rotateY(0.5);
        box.rotateZ(0.3);
        box.scale.set(2, 2, 2);
      },
      'black before white, and light exposed to a thousandth'(engine) {
        const { world } = engine;
        engine.background = '#fff';
        engine.exposure = 0.001;
        world.addCamera({ position: [0, 0, 5] });
        world.addDirectionalLight({ direction: [-1, -2, -3], intensity: 3000 });
        const black = standardMaterial({ baseColor: '#000', roughness: 1 });
        const wall = world.addMesh({ geometry: boxGeometry(), material: black, position: [-1.2, 0, 0] });
        wall.rotateZ(0.2);
        const bright = standardMaterial({ baseColor: '#8cf', roughness: 1 });
        world.addMesh({ geometry: boxGeometry(), material: bright, position: [1, 0, 0] }).rotateZ(0.35);
      },
      'an unlit square before a lit one'(engine) {
        const { world } = engine;
        engine.exposure = 0.5;
        world.addCamera({ position: [0, 0, 5] });
        world.addDirectionalLight({ direction: [0, 0, -1], intensity: 6 });
        const lit = standardMaterial({ baseColor: '#48a', roughness: 1 });
        world.addMesh({
          geometry: planeGeometry({ width: 12, height: 12 }),
          material: lit,
          position: [0, 0, -1],
        });
        const sign = world.addMesh({
          geometry: planeGeometry({ width: 2, height: 2 }),
          material: unlitMaterial({ baseColor: '#fd2' }),
        });
        sign.rotateZ(0.25);
      },
    };
    const all: Record<string, Record<string, number>> = {};
    for (const [name, build] of Object.entries(scenes)) {
      const draw = async (options: EngineOptions): Promise<Uint8ClampedArray> => {
        const engine = await set.create(options);
        build(engine);
        await engine.whenReady();
        const picture = await set.picture(engine);
        await engine.dispose();
        return picture;
      };
      const samples = await draw({ antialias: 4 });
      const rough = await draw({ renderer: 'deferred' });
      const smooth = await draw({ renderer: 'deferred', antialias: 4 });
      // A pixel whose neighbourhood is of one colour has no edge.
      const width = 128;
      const isEven = (picture: Uint8ClampedArray, pixel: number): boolean => {
        for (const offset of [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]) {
          for (let channel = 0; channel < 3; channel++) {
            const other = picture[(pixel + offset) * 4 + channel] ?? 0;
            if (Math.abs(other - picture[pixel * 4 + channel]!) > 2) return false;
          }
        }
        return true;
      };
      const sums = { rough: 0, smooth: 0, changed: 0, even: 0 };
      for (let pixel = width + 1; pixel < width * (width - 1) - 1; pixel++) {
        const even = isEven(rough, pixel);
        for (let channel = 0; channel < 3; channel++) {
          const at = pixel * 4 + channel;
          sums.rough += Math.abs(rough[at]! - samples[at]!);
          sums.smooth += Math.abs(smooth[at]! - samples[at]!);
          if (even && smooth[at] !== rough[at]) sums.changed++;
          if (even) sums.even++;
        }
      }
      all[name] = sums;
    }
    return all;
  });
  for (const [name, { rough, smooth, changed, even }] of Object.entries(results)) {
    console.log(`${name}: ${smooth} off four samples, ${rough} without smoothing`);
    expect(rough, name).toBeGreaterThan(1000);
    expect(smooth, name).toBeLessThan(0.6 * rough!);
    expect(even, name).toBeGreaterThan(3000);
    expect(changed, name).toBe(0);
  }
});

test('R12: smoothing leaves edges along rows and columns of pixels, and their corners, as they are', async ({
  page,
  isolatedURL,
}) => {
  await openSet(page, isolatedURL);
  const pictures = await page.evaluate(async () => {
    const { set, fencepost } = window;
    const { boxGeometry, standardMaterial, unlitMaterial } = fencepost;
    const draw = async (antialias: 1 | 4): Promise<Uint8ClampedArray> => {
      const engine = await set.create({ renderer: 'deferred', antialias, background: '#246' });
      const { world } = engine;
      // 16 metres are 128 pixels.
      world.addCamera({ position: [0, 0, 5], orthographic: { halfHeight: 8 } });
      world.addDirectionalLight({ direction: [0, 0, -1], intensity: 3 });
      const geometry = boxGeometry();
      const sizes = [1, 2, 3, 4];
      for (const [row, baseColor] of ['#fc8', '#111', '#8f8'].entries()) {
        for (const [column, size] of sizes.entries()) {
          const isUnlit = (row + column) % 2 === 1;
          const material = isUnlit ? unlitMaterial({ baseColor }) : standardMaterial({ baseColor });
          const position = [column * 4 - 6, row * 5 - 5, 0] as const;
          world.addMesh({ geometry, material, position, scale: [size * 0.75, size, 1] });
        }
      }
      await engine.whenReady();
      const picture = await set.picture(engine);
      await engine.dispose();
      return picture;
    };
    const rough = await draw(1);
    const smooth = await draw(4);
    return { changed: rough.filter((value, at) => value !== smooth[at]).length, colors: new Set(rough).size };
  });
  expect(pictures.colors).toBeGreaterThan(8);
  expect(pictures.changed).toBe(0);
});
