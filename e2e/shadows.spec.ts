import type { Page } from '@playwright/test';
import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

// R11: shadows of all kinds of lights, through the public API.

declare global {
  interface Window {
    stage: ReturnType<typeof createStage>;
  }
}

/**
 * Returns helpers that run in the page. The scene is a white floor of 20 m. The camera shows 8 m of it from
 * above, with 1/16 m per pixel.
 */
function createStage() {
  const { fencepost, kit } = window;
  const LOOKS_DOWN = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
  const white = fencepost.standardMaterial({ baseColor: '#fff', roughness: 1 });
  return {
    white,
    async create(
      threading: 'single' | 'render' | 'render+rhi' = 'render',
      validation = false,
    ): Promise<Engine> {
      return fencepost.createEngine(kit.view, {
        threading,
        background: '#000',
        antialias: false,
        validation,
      });
    },
    lookDown({ world }: Engine) {
      return world.addCamera({
        position: [0, 20, 0],
        rotation: LOOKS_DOWN,
        orthographic: { halfHeight: 4 },
        far: 50,
      });
    },
    addFloor({ world }: Engine, options = {}) {
      const geometry = fencepost.planeGeometry({ size: 20 });
      return world.addMesh({ geometry, material: white, rotation: LOOKS_DOWN, ...options });
    },
    /** Returns the brightness of the floor, 0 to 255, at positions in metres. */
    async floorAt(engine: Engine, ...places: readonly (readonly [number, number])[]): Promise<number[]> {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return places.map(([x, z]) => kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 + z * 16))[1]!);
    },
  };
}

async function openStage(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.stage = (${createStage})()`);
}

/** Lights whose shadow of a box at (0, 2, 0) falls to (2, 0, 0). */
const LIGHTS = ['directional', 'spot', 'wide spot', 'point'] as const;

test('R11: directional, spot and point lights cast shadows at the right places, and only while enabled', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openStage(page, isolatedURL);
  const seen = await page.evaluate(async (kinds) => {
    const { boxGeometry } = window.fencepost;
    const { stage } = window;
    const results: Record<string, number[][]> = {};
    for (const kind of kinds) {
      const engine = await stage.create();
      const { world } = engine;
      stage.lookDown(engine);
      const floor = stage.addFloor(engine);
      const box = world.addMesh({
        geometry: boxGeometry({ size: 0.5 }),
        material: stage.white,
        position: [0, 2, 0],
      });
      const place = { position: [-3, 5, 0], direction: [1, -1, 0], intensity: 60 };
      const light = (() => {
        if (kind === 'directional')
          return world.addDirectionalLight({ direction: [1, -1, 0], intensity: 3, castShadow: true });
        if (kind === 'point')
          return world.addPointLight({ position: place.position, intensity: 60, castShadow: true });
        return world.addSpotLight({
          ...place,
          outerConeAngle: kind === 'spot' ? 0.9 : 1.4,
          castShadow: true,
        });
      })();
      const look = () => stage.floorAt(engine, [2, 0], [-1.5, 0], [2, 1.5]);
      const shadowed = await look();
      light.root.castShadow = false;
      const off = await look();
      light.root.castShadow = { mapSize: 512 };
      const again = await look();
      box.root.castShadow = false;
      const castsNone = await look();
      box.root.castShadow = true;
      floor.root.receiveShadow = false;
      const receivesNone = await look();
      floor.root.receiveShadow = true;
      // Rays of spot and point lights diverge, so their shadows move farther than the box.
      box.position.set(0, 2, kind === 'directional' ? 1.5 : 0.9);
      const moved = await look();
      box.visible = false;
      const hidden = await look();
      await engine.dispose();
      results[kind] = [shadowed, off, again, castsNone, receivesNone, moved, hidden];
    }
    return results;
  }, LIGHTS);
  for (const kind of LIGHTS) {
    const [shadowed, off, again, castsNone, receivesNone, moved, hidden] = seen[kind]!;
    const lit = off!;
    expect(Math.min(...lit), `${kind}: light`).toBeGreaterThan(60);
    const inShadow = [0, lit[1], lit[2]];
    expect(shadowed, `${kind}: the box's shadow`).toEqual(inShadow);
    expect(again, `${kind}: with a smaller map`).toEqual(inShadow);
    for (const picture of [castsNone, receivesNone, hidden]) expect(picture, kind).toEqual(lit);
    expect(moved![0], `${kind}: no shadow at the box's old place`).toBe(lit[0]);
    expect(moved![2], `${kind}: a shadow at the box's new place`).toBe(0);
  }
});

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`R11: all modes draw the same shadows, also after a lost device and on other threads, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openStage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const results = await page.evaluate(async (modes) => {
      const { kit, stage, fencepost } = window;
      const all: string[] = [];
      for (const threading of modes) {
        const engine = await stage.create(threading);
        const { world } = engine;
        kit.addScene(engine);
        world.addMesh({
          geometry: fencepost.boxGeometry({ size: [8, 0.1, 8] }),
          position: [0, -1, 0],
          material: stage.white,
        });
        await engine.step(0);
        const without = await kit.picture(engine);
        world.addDirectionalLight({ direction: [1, -2, -1], intensity: 2, castShadow: { mapSize: 512 } });
        world.addSpotLight({
          position: [-2, 3, 1],
          direction: [2, -3, -1],
          intensity: 40,
          castShadow: { softness: 0.1 },
        });
        world.addPointLight({ position: [2, 1, 1], intensity: 10, castShadow: { mapSize: 128 } });
        await engine.step(0);
        const picture = await kit.picture(engine);
        const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
        await engine.simulateDeviceLoss();
        await restored;
        const afterLoss = await kit.picture(engine);
        await engine.setThreading(threading === 'single' ? 'render' : 'single');
        const afterSwitch = await kit.picture(engine);
        await engine.dispose();
        all.push([without, picture, afterLoss, afterSwitch].join(' '));
      }
      return all;
    }, modesOf(isolation));
    const [first = ''] = results;
    expect(results).toEqual(modesOf(isolation).map(() => first));
    const [without, picture, afterLoss, afterSwitch] = first.split(' ');
    expect(picture).not.toBe(without);
    expect([afterLoss, afterSwitch]).toEqual([picture, picture]);
  });
}

test('R11: a lit floor does not shadow itself, and a shadow begins at the foot of its caster', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openStage(page, isolatedURL);
  const rows = await page.evaluate(async () => {
    const { stage, fencepost, kit } = window;
    const engine = await stage.create();
    const { world } = engine;
    stage.lookDown(engine);
    const floor = stage.addFloor(engine);
    const results: { name: string; worst: number; gap: number }[] = [];
    const tilts = [0, 0.3, 0.6];
    for (const kind of ['directional', 'spot', 'point'] as const) {
      for (const elevation of [1.5, 1, 0.5, 0.2]) {
        for (const mapSize of [256, 1024]) {
          const [x, y] = [Math.cos(elevation), Math.sin(elevation)];
          const position = [-12 * x, 12 * y, 0];
          const direction = [x, -y, 0];
          const common = { intensity: kind === 'directional' ? 2 : 300, castShadow: { mapSize } };
          const light =
            kind === 'directional'
              ? world.addDirectionalLight({ ...common, direction })
              : kind === 'spot'
                ? world.addSpotLight({ ...common, position, direction, outerConeAngle: 0.7 })
                : world.addPointLight({ ...common, position });
          let worst = 0;
          for (const tilt of tilts) {
            const half = (-Math.PI / 2 + tilt) / 2;
            floor.rotation.set(Math.sin(half), 0, 0, Math.cos(half));
            light.root.castShadow = { mapSize };
            await engine.step(0);
            const shadowed = await engine.captureFrame();
            light.root.castShadow = false;
            await engine.step(0);
            const lit = await engine.captureFrame();
            for (let at = 0; at < lit.data.length; at++) {
              worst = Math.max(worst, Math.abs(lit.data[at]! - shadowed.data[at]!));
            }
          }
          floor.rotation.set(-Math.SQRT1_2, 0, 0, Math.SQRT1_2);
          light.root.castShadow = { mapSize };
          // A thin wall on the floor, seen from above. The floor behind its foot is dark.
          const wall = world.addMesh({
            geometry: fencepost.boxGeometry({ size: [0.125, 1, 4] }),
            material: stage.white,
            position: [0, 0.5, 0],
          });
          await engine.step(0);
          const frame = await engine.captureFrame();
          let gap = 0;
          // The wall covers two pixels of the row. Pixel 65 is the first pixel behind it.
          while (gap < 30 && kit.pixel(frame, 65 + gap, 64)[1]! > 40) gap++;
          wall.destroy();
          light.destroy();
          results.push({ name: `${kind}, elevation ${elevation}, map ${mapSize}`, worst, gap });
        }
      }
    }
    await engine.dispose();
    return results;
  });
  console.log(
    rows.map(({ name, worst, gap }) => `${name}: off by ${worst} of 255, gap ${gap} px`).join('\n'),
  );
  for (const { name, worst, gap } of rows) {
    expect.soft(worst, `${name}: light that the floor loses by shadowing itself`).toBeLessThanOrEqual(1);
    // With the light almost overhead, the wall's shadow is narrower than a pixel.
    if (!name.includes('elevation 1.5')) {
      // A pixel is 1/16 m. Texels of the coarse maps are up to 1/10 m, and a shadow's edge is four of them
      // wide.
      expect
        .soft(gap, `${name}: pixels of light behind the wall`)
        .toBeLessThanOrEqual(name.endsWith('256') ? 6 : 2);
    }
  }
});

test('R11: where a cascade’s coverage ends, the next cascade applies', async ({ page, isolatedURL }) => {
  await openStage(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { stage, fencepost, kit } = window;
    const engine = await stage.create();
    const { world } = engine;
    const camera = world.addCamera({ position: [0, 14, 34], lookAt: [0, 0, 0], fovY: 0.9, far: 150 });
    stage.addFloor(engine, { scale: [6, 6, 1] });
    const sun = world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
    const geometry = fencepost.boxGeometry({ size: 1.6 });
    const shadows: [number, number, number][] = [];
    // The boxes are on the sun's side of the first cascades' spheres. Their shadows on the floor lie below, and
    // so outside, the spheres of the two nearest cascades.
    for (const [x, z] of [
      [-8, 20],
      [-4, 20],
      [-12, 10],
      [4, 14],
    ] as const) {
      world.addMesh({ geometry, material: stage.white, position: [x, 4, z] });
      shadows.push([x - 2, 0, z - 3]);
    }
    const results: Record<string, number[]> = {};
    for (const cascades of [0, 2, 3, 4]) {
      sun.root.castShadow = cascades > 0 && { cascades, mapSize: 1024, distance: 100 };
      await engine.step(0);
      const frame = await engine.captureFrame();
      results[cascades] = shadows.map((place) => {
        const { x, y } = camera.root.project(place) as { x: number; y: number };
        return kit.pixel(frame, Math.round(x), Math.round(y))[1]!;
      });
    }
    await engine.dispose();
    return results;
  });
  expect(Math.min(...seen[0]!)).toBeGreaterThan(60);
  for (const cascades of [2, 3, 4]) expect(seen[cascades], `${cascades} cascades`).toEqual([0, 0, 0, 0]);
});

test('R11: light passes through the pixels that an alpha mask cuts out; blended materials cast no shadow', async ({
  page,
  isolatedURL,
}) => {
  await openStage(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { stage, fencepost } = window;
    const { planeGeometry, standardMaterial, texture } = fencepost;
    const engine = await stage.create();
    const { world } = engine;
    stage.lookDown(engine);
    stage.addFloor(engine);
    world.addDirectionalLight({ direction: [1, -1, 0], intensity: 3, castShadow: { cascades: 1 } });
    // The texture's left half is transparent.
    const data = new Uint8Array([255, 255, 255, 0, 255, 255, 255, 255]);
    const halves = texture(
      { width: 2, height: 1, data },
      { sampler: { magnify: 'nearest', minify: 'nearest', mipmap: 'none' } },
    );
    const material = standardMaterial({ baseColorTexture: halves, alphaMode: 'mask', alphaCutoff: 0.5 });
    const geometry = planeGeometry({ size: 1 });
    const rotation = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
    const plane = world.addMesh({ geometry, material, rotation, position: [-1, 3, 0] });
    const look = () => stage.floorAt(engine, [1.75, 0], [2.25, 0]);
    const masked = await look();
    material.alphaCutoff = 0;
    const whole = await look();
    plane.root.material = standardMaterial({ baseColor: [1, 1, 1, 0.5], alphaMode: 'blend' });
    const blended = await look();
    plane.root.material = standardMaterial({
      baseColor: [1, 1, 1, 0.5],
      alphaMode: 'mask',
      alphaCutoff: 0.6,
    });
    const untextured = await look();
    await engine.dispose();
    return { masked, whole, blended, untextured };
  });
  const [lit] = seen.masked;
  expect(lit).toBeGreaterThan(100);
  expect(seen).toEqual({ masked: [lit, 0], whole: [0, 0], blended: [lit, lit], untextured: [lit, lit] });
});

test('R11: shadow maps are drawn in the first two frames, and later only when an object in them moves or the maps change', async ({
  page,
  isolatedURL,
}) => {
  await openStage(page, isolatedURL);
  const draws = await page.evaluate(async () => {
    const { stage, fencepost, kit } = window;
    const engine = await stage.create('render', true);
    const faults = kit.listen(engine);
    const { world } = engine;
    const camera = stage.lookDown(engine);
    stage.addFloor(engine);
    const geometry = fencepost.boxGeometry({ size: 0.5 });
    const near = world.addMesh({ geometry, material: stage.white, position: [-2, 1, 0] });
    const far = world.addMesh({ geometry, material: stage.white, position: [6, 1, 0] });
    world.addSpotLight({
      position: [-2, 4, 0],
      direction: [0, -1, 0.01],
      outerConeAngle: 0.4,
      intensity: 30,
      castShadow: true,
    });
    const sun = world.addDirectionalLight({ direction: [1, -1, 0], castShadow: { cascades: 1 } });
    const count = async () => {
      await engine.step(0);
      await engine.flush();
      return engine.stats().drawCalls;
    };
    // The second frame draws the maps once more, when all pipelines are certain to exist.
    const begun = [await count(), await count()];
    const still = [await count(), await count()];
    near.position.set(-2, 1.1, 0);
    const inBoth = await count();
    far.position.set(6, 1.1, 0);
    const inTheSunsAlone = await count();
    camera.position.set(0.01, 20, 0);
    const cameraMoved = await count();
    // The sun's maps now end 5 m from the camera. Every object is farther away, so they are empty.
    sun.root.castShadow = { cascades: 3, distance: 5 };
    const empty = [await count(), await count(), await count()];
    await engine.dispose();
    return { begun, still, inBoth, inTheSunsAlone, cameraMoved, empty, faults };
  });
  const [quiet] = draws.still as [number];
  expect(draws.still).toEqual([quiet, quiet]);
  expect(draws.begun[0]).toBe(draws.begun[1]);
  // Each map takes three draws: its clear, the floor, and its boxes. The sun's map has both boxes, in one draw.
  // The spot light's map has one box.
  expect(draws.begun[0]).toBe(quiet + 6);
  expect(draws.inBoth).toBe(quiet + 6);
  expect(draws.inTheSunsAlone).toBe(quiet + 3);
  expect(draws.cameraMoved).toBe(quiet);
  // The three empty maps are cleared once. The spot light's map has moved in the atlas.
  expect(draws.empty).toEqual([quiet + 6, quiet, quiet]);
  // Validation reports no faults.
  expect(draws.faults).toEqual([]);
});

test('R11: invalid shadow options are refused in errors that name them, and the engine continues', async ({
  page,
  isolatedURL,
}) => {
  await openStage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { stage, kit } = window;
    const engine = await stage.create();
    const { world } = engine;
    stage.lookDown(engine);
    stage.addFloor(engine);
    const sun = world.addDirectionalLight({ direction: [1, -1, 0], castShadow: true });
    const refused = async (castShadow: unknown) => {
      const { name, code, message } = await kit.refusal(async () => {
        sun.root.castShadow = castShadow as boolean;
      });
      return `${name} ${code} ${/\b(mapSize|cascades|distance|softness|size)\b/.exec(message)?.[0]}`;
    };
    const refusals = [
      await refused({ mapSize: 0 }),
      await refused({ mapSize: 16384 }),
      await refused({ mapSize: 100.5 }),
      await refused({ cascades: 0 }),
      await refused({ cascades: 9 }),
      await refused({ distance: -1 }),
      await refused({ softness: 2 }),
      await refused({ size: 1024 }),
    ];
    const point = await kit.refusal(async () => world.addPointLight({ castShadow: { cascades: 2 } }));
    const kept = sun.root.castShadow;
    const lit = await stage.floorAt(engine, [0, 0]);
    // The maps exceed the largest texture, so they get smaller.
    for (let index = 0; index < 6; index++) {
      world.addSpotLight({
        position: [index - 3, 4, 0],
        direction: [0, -1, 0.01],
        castShadow: { mapSize: 4096 },
      });
    }
    sun.destroy();
    await engine.step(0);
    const crowded = await stage.floorAt(engine, [0, 0]);
    await engine.dispose();
    return { refusals, point: point.code, kept, lit, crowded };
  });
  expect(results.refusals).toEqual([
    'OptionError option-out-of-range mapSize',
    'OptionError option-out-of-range mapSize',
    'OptionError option-out-of-range mapSize',
    'OptionError option-out-of-range cascades',
    'OptionError option-out-of-range cascades',
    'OptionError option-out-of-range distance',
    'OptionError option-out-of-range softness',
    'OptionError option-unknown size',
  ]);
  expect(results.point).toBe('option-unknown');
  expect(results.kept).toEqual({ mapSize: 1024, cascades: 3, distance: Infinity, softness: 0 });
  expect(results.lit[0]).toBeGreaterThan(60);
  expect(results.crowded[0]).toBeGreaterThan(0);
});

test('R11: a light with a size casts soft shadows, softer with distance', async ({ page, isolatedURL }) => {
  await openStage(page, isolatedURL);
  const widths = await page.evaluate(async () => {
    const { stage, fencepost, kit } = window;
    const engine = await stage.create();
    const { world } = engine;
    stage.lookDown(engine);
    stage.addFloor(engine);
    const box = world.addMesh({
      geometry: fencepost.boxGeometry({ size: [1.5, 0.1, 3] }),
      material: stage.white,
    });
    const light = world.addDirectionalLight({ direction: [0.5, -1, 0], intensity: 2 });
    /** Returns the number of pixels in the middle row that are neither dark nor lit. */
    const edge = async (softness: number, height: number) => {
      light.root.castShadow = { softness, cascades: 1 };
      box.position.set(-height / 2 - 1, height, 0);
      await engine.step(0);
      const frame = await engine.captureFrame();
      const lit = kit.pixel(frame, 120, 64)[1]!;
      let between = 0;
      for (let x = 40; x < 120; x++) {
        const value = kit.pixel(frame, x, 100 - 36)[1]!;
        if (value > 10 && value < lit - 10) between++;
      }
      return between;
    };
    const results = {
      hard: [await edge(0, 1), await edge(0, 3)],
      soft: [await edge(0.1, 1), await edge(0.1, 3)],
    };
    await engine.dispose();
    return results;
  });
  const [hardNear, hardFar] = widths.hard as [number, number];
  const [softNear, softFar] = widths.soft as [number, number];
  expect(Math.max(hardNear, hardFar)).toBeLessThanOrEqual(3);
  expect(softNear).toBeGreaterThanOrEqual(hardNear);
  expect(softFar).toBeGreaterThan(softNear + 2);
});
