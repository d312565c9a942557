// R14: custom shaders that move vertices and mask pixels, in pictures, shadows and picks, through the public API.
import type { Page } from '@playwright/test';
import type { Engine, Level, Material } from 'fencepost';
import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { morphedGltf } from './morphed-gltf.js';
import { openEnginePage } from './open-engine-page.js';
import { skinnedGltf } from './skinned-gltf.js';

declare global {
  interface Window {
    shapes: ReturnType<typeof createShapes>;
    files: { skinned: ArrayBuffer; morphed: ArrayBuffer };
  }
}

/**
 * Returns helpers that run in the page. The scene is a white floor of 20 m. The camera shows 8 m of it from
 * above, with 1/16 m per pixel.
 */
function createShapes() {
  const { fencepost, kit } = window;
  const LOOKS_DOWN = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
  const white = fencepost.standardMaterial({ baseColor: '#fff', roughness: 1 });
  return {
    LOOKS_DOWN,
    white,
    async open(options = {}): Promise<Engine> {
      return fencepost.createEngine(kit.view, { antialias: false, validation: true, ...options });
    },
    addFloor({ world }: Engine) {
      const orthographic = { halfHeight: 4 };
      world.addCamera({ position: [0, 20, 0], rotation: LOOKS_DOWN, orthographic, far: 50 });
      const geometry = fencepost.planeGeometry({ size: 20 });
      world.addMesh({ geometry, material: white, rotation: LOOKS_DOWN });
    },
    /** Returns the brightness, 0 to 255, at positions in metres. */
    async at(engine: Engine, ...places: readonly (readonly [x: number, z: number])[]): Promise<number[]> {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return places.map(([x, z]) => kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 + z * 16))[1]!);
    },
    paint(level: Level, material: Material): void {
      for (const { components } of level.actors) {
        for (const each of components) if (each instanceof fencepost.MeshComponent) each.material = material;
      }
    },
    /** Returns how many channels differ by more than `allowed` of 255, and the largest difference. */
    compare(one: Uint8ClampedArray, other: Uint8ClampedArray, allowed: number) {
      const differences = one.map((value, index) => Math.abs(value - (other[index] ?? 0)));
      return { count: differences.filter((each) => each > allowed).length, most: Math.max(...differences) };
    },
  };
}

async function open(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(
    `window.shapes = (${createShapes})(); window.files = { skinned: (${skinnedGltf})(), morphed: (${morphedGltf})(false) }`,
  );
}

inEveryMode(
  'R14: meshes that WGSL moves are drawn, picked and cast shadows at their new place, by uniforms and time',
  async (engine) => {
    const { boxGeometry, planeGeometry, shaderMaterial, standardMaterial } = window.fencepost;
    const { world } = engine;
    const rotation = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
    world.addCamera({ position: [0, 20, 0], rotation, orthographic: { halfHeight: 4 }, far: 50 });
    const white = standardMaterial({ baseColor: '#fff', roughness: 1 });
    world.addMesh({ geometry: planeGeometry({ size: 20 }), material: white, rotation });
    const material = shaderMaterial({
      displacement: 2,
      uniforms: { shift: 0, speed: 0 },
      wgsl: `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
        (*moved).position.z += uniforms.shift + point.time * uniforms.speed;
      }`,
    });
    const box = world.addMesh({ geometry: boxGeometry({ size: 0.5 }), material, position: [0, 2, 0] });
    await engine.whenReady();
    // Rays of spot and point lights diverge, so their shadows move farther than the box.
    const at = async (...places: [x: number, z: number][]) => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return places.map(([x, z]) => {
        const [red = 0, green = 0] = window.kit.pixel(frame, 64 + x * 16, 64 + z * 16);
        return red === green ? green : -1;
      });
    };
    const seen: Record<string, unknown> = {};
    const place = { position: [-3, 5, 0], intensity: 60, castShadow: { mapSize: 512 } };
    for (const kind of ['directional', 'spot', 'point'] as const) {
      const direction = [1, -1, 0];
      const light =
        kind === 'directional'
          ? world.addDirectionalLight({ direction, intensity: 3, castShadow: { mapSize: 512 } })
          : kind === 'spot'
            ? world.addSpotLight({ ...place, direction, outerConeAngle: 0.9 })
            : world.addPointLight(place);
      const there = kind === 'directional' ? 0.875 : 1.5;
      material.uniforms.shift = 0;
      const rest = await at([2, 0], [2, there]);
      material.uniforms.shift = 0.875;
      const shifted = await at([2, 0], [2, there]);
      const pick = async (x: number, z: number) => {
        const hit = await engine.pick(64 + x * 16, 64 + z * 16);
        const round = (value: number): number => Math.round(value * 100) / 100 + 0;
        return (
          hit && [hit.actor === box, round(hit.position[1]), round(hit.position[2]), hit.normal.map(round)]
        );
      };
      const picked = [await pick(0, 0.875), await pick(0, 0)];
      light.destroy();
      seen[kind] = { rest, shifted, picked };
    }
    // Only time advances. A shadow map that was reused would keep the shadow in its old place.
    world.addDirectionalLight({ direction: [1, -1, 0], intensity: 3, castShadow: { mapSize: 512 } });
    material.uniforms = { shift: 0, speed: 0.875 };
    const before = await at([2, 0], [2, 0.875]);
    await engine.step(1);
    const after = await at([2, 0], [2, 0.875]);
    return { ...seen, time: { before, after } };
  },
  (seen) => {
    const { directional, spot, point, time } = seen as Record<
      string,
      { rest: number[]; shifted: number[]; picked: unknown[]; before: number[]; after: number[] }
    >;
    for (const kind of [directional, spot, point]) {
      expect(kind!.rest[0]).toBe(0);
      expect(kind!.rest[1]).toBeGreaterThan(50);
      expect(kind!.shifted[0]).toBeGreaterThan(50);
      expect(kind!.shifted[1]).toBe(0);
      expect(kind!.picked).toEqual([
        [true, 2.25, expect.closeTo(0.88, 1), [0, 1, 0]],
        [false, 0, expect.closeTo(0, 1), [0, 1, 0]],
      ]);
    }
    expect(time!.before[0]).toBe(0);
    expect(time!.before[1]).toBeGreaterThan(50);
    expect(time!.after[0]).toBeGreaterThan(50);
    expect(time!.after[1]).toBe(0);
  },
);

test('R12: a displaced surface matches a modelled one, forward, deferred and blended, in shadow and light', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await open(page, isolatedURL);
  const found = await page.evaluate(async () => {
    const { geometry, planeGeometry, shaderMaterial } = window.fencepost;
    const engine = await window.shapes.open();
    const { world } = engine;
    world.addCamera({ position: [2, 3, 4], lookAt: [0, 0.4, 0] });
    world.addDirectionalLight({
      direction: [-1, -2, 1],
      intensity: 2,
      castShadow: { mapSize: 1024, cascades: 1 },
    });
    world.addSpotLight({ position: [2, 3, 0], direction: [-2, -3, 0], intensity: 12, castShadow: true });
    world.setAmbient('#fff', 0.4);
    const { LOOKS_DOWN: rotation, white } = window.shapes;
    world.addMesh({ geometry: planeGeometry({ size: 8 }), material: white, rotation });
    // A flat grid of 17 × 17 corners, and the same grid bent to a saddle.
    const flat: number[] = [];
    const bent: number[] = [];
    const bentNormals: number[] = [];
    const indices: number[] = [];
    for (let row = 0; row <= 16; row++) {
      for (let column = 0; column <= 16; column++) {
        const [x, y] = [column / 8 - 1, row / 8 - 1];
        flat.push(x, y, 0);
        bent.push(x, y, 0.5 * x * x - 0.5 * y * y);
        bentNormals.push(-x, y, 1);
        const at = row * 17 + column;
        if (row < 16 && column < 16) indices.push(at, at + 1, at + 18, at, at + 18, at + 17);
      }
    }
    const make = (positions: number[], normals: number[]) =>
      geometry({
        positions: new Float32Array(positions),
        normals: new Float32Array(normals),
        indices: new Uint16Array(indices),
      });
    const surface = `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
      (*appearance).baseColor = vec4f(0.2, 0.5, 0.9, 0.6);
    }`;
    const vertex = `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
      let p = point.position;
      (*moved).position.z = 0.5 * p.x * p.x - 0.5 * p.y * p.y;
      (*moved).normal = vec3f(-p.x, p.y, 1.0);
    }`;
    const place = { position: [0, 0.8, 0], rotation: [-0.5, 0, 0, 0.866], scale: [1.2, 0.8, 1] };
    const modelled = make(bent, bentNormals);
    const plane = make(
      flat,
      Array.from(flat, (_, index) => (index % 3 === 2 ? 1 : 0)),
    );
    const results: Record<'forward' | 'deferred' | 'between' | 'betweenModelled', number>[] = [];
    const areSeen: boolean[] = [];
    for (const alphaMode of ['opaque', 'blend'] as const) {
      const pictures: Uint8ClampedArray[] = [];
      for (const renderer of ['forward', 'deferred'] as const) {
        engine.renderer = renderer;
        for (const isMoved of [false, true]) {
          const options = { alphaMode, doubleSided: true, roughness: 1 };
          const material = isMoved
            ? shaderMaterial({ ...options, displacement: 0.5, wgsl: `${surface}${vertex}` })
            : shaderMaterial({ ...options, wgsl: surface });
          const mesh = world.addMesh({ geometry: isMoved ? plane : modelled, material, ...place });
          await engine.whenReady();
          await engine.step(0);
          pictures.push((await engine.captureFrame()).data);
          mesh.destroy();
        }
      }
      await engine.step(0);
      const { data: nothing } = await engine.captureFrame();
      const [forward, movedForward, deferred, movedDeferred] = pictures as [
        Uint8ClampedArray,
        Uint8ClampedArray,
        Uint8ClampedArray,
        Uint8ClampedArray,
      ];
      const { compare } = window.shapes;
      areSeen.push(compare(movedForward, nothing, 20).count > 3000);
      results.push({
        forward: compare(forward, movedForward, 2).count,
        deferred: compare(deferred, movedDeferred, 2).count,
        between: compare(movedForward, movedDeferred, 2).count,
        betweenModelled: compare(forward, deferred, 2).count,
      });
    }
    await engine.dispose();
    return { areSeen, results };
  });
  expect(found.areSeen).toEqual([true, true]);
  // A difference in a corner's last bit may move an edge across a pixel's centre.
  for (const { forward, deferred, between, betweenModelled } of found.results) {
    // A pixel on the edge of a soft highlight may differ by 3.
    expect(between).toBe(betweenModelled);
    expect(between).toBeLessThanOrEqual(3);
    expect(Math.max(forward, deferred), 'channels of pixels').toBeLessThanOrEqual(12);
  }
});

test('R14: shaders move each instance by its own place and uniforms, by textures, and with morphs and skins', async ({
  page,
  plainURL,
}) => {
  test.slow();
  await open(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { boxGeometry, instanceColors, planeGeometry, shaderMaterial, sphereGeometry, texture } =
      window.fencepost;
    const engine = await window.shapes.open({ background: '#000' });
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
    const { world } = engine;
    world.addCamera({ position: [0, 0, 20], orthographic: { halfHeight: 4 } });
    const heights = texture(
      { width: 2, height: 1, data: new Uint8Array([0, 0, 0, 255, 255, 0, 0, 255]) },
      { colorSpace: 'linear', sampler: { magnify: 'nearest', minify: 'nearest', mipmap: 'none' } },
    );
    const byTexture = shaderMaterial({
      lit: false,
      displacement: 3,
      uniforms: { height: 2, tint: '#f00' },
      textures: { heights },
      wgsl: `
        fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
          let place = vec2f(select(0.25, 0.75, point.worldPosition.x > 0.0), 0.5);
          let height = textureSampleLevel(heights, heightsSampler, place, 0.0).r;
          (*moved).position.y += uniforms.height * height;
          (*moved).color = vec4f(point.color.rgb * height, 1.0);
        }
        fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
          (*appearance).baseColor = vec4f(0.0, point.color.g, 1.0, 1.0);
        }`,
    });
    const geometry = boxGeometry({ size: 0.5 });
    const boxes = world.addInstances({
      geometry,
      material: byTexture,
      count: 2,
      colors: instanceColors('rgb'),
    });
    boxes.positions.set([-1.5, 0, 0, 1.5, 0, 0]);
    boxes.colors.set([1, 1, 1, 1, 1, 1]);
    boxes.touch();
    const lower = byTexture.clone();
    lower.uniforms.height = -2;
    const single = world.addMesh({ geometry, material: lower, position: [1.5, 0, 0] });
    await engine.whenReady();
    await engine.step(0);
    const frame = await engine.captureFrame();
    const colorAt = (x: number, y: number): string =>
      window.kit
        .pixel(frame, 64 + x * 16, 64 - y * 16)
        .slice(0, 3)
        .join();
    const boxesSeen = [colorAt(-1.5, 0), colorAt(1.5, 0), colorAt(1.5, 2), colorAt(1.5, -2)];
    const instance = (await engine.pick(64 + 1.5 * 16, 64 - 2 * 16))?.instance;
    boxes.destroy();
    single.destroy();

    // Each file is drawn at a moment of its clip. A mesh that is displaced by a metre looks like an undisplaced
    // mesh to a camera that stands a metre aside.
    const differences: Record<string, number> = {};
    const cutOuts: unknown[] = [];
    const aside = world.addCamera({ position: [-1, 0, 20], orthographic: { halfHeight: 4 } });
    const straight = world.addCamera({ position: [0, 0, 20], orthographic: { halfHeight: 4 } });
    world.setAmbient('#fff', 1);
    for (const [name, file] of Object.entries(window.files)) {
      const level = await world.load(file);
      level.play(0, { speed: 0, startSeconds: 0.6 });
      const material = (shift: number) =>
        shaderMaterial({
          displacement: 1,
          doubleSided: true,
          uniforms: { shift },
          wgsl: `
            fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
              (*moved).position.x += uniforms.shift;
            }
            fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
              (*appearance).baseColor = vec4f(point.normal * 0.5 + 0.5, 1.0);
            }`,
        });
      const pictures: Uint8ClampedArray[] = [];
      for (const isMoved of [false, true]) {
        world.activeCamera = isMoved ? straight : aside;
        window.shapes.paint(level, material(isMoved ? 1 : 0));
        await engine.whenReady();
        await engine.step(0);
        pictures.push((await engine.captureFrame()).data);
      }
      const [asideSeen, movedSeen] = pictures as [Uint8ClampedArray, Uint8ClampedArray];
      differences[name] = window.shapes.compare(asideSeen, movedSeen, 2).count;
      differences[`${name}, seen`] = movedSeen.filter((value, index) => index % 4 < 3 && value > 0).length;
      // The shader masks everything above half a metre. Shadows fall on a wall behind, also the shadows of a
      // mesh that fades between two levels of detail.
      const cut = shaderMaterial({
        displacement: 1,
        alphaMode: 'mask',
        doubleSided: true,
        wgsl: `
          fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
            (*moved).position.x += 1.0;
          }
          fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
            (*appearance).baseColor.a = step(point.position.y, 0.5);
          }`,
      });
      window.shapes.paint(level, cut);
      const wall = world.addMesh({
        geometry: planeGeometry({ size: 20 }),
        material: window.shapes.white,
        position: [0, 0, -1],
      });
      const fading = world.addMesh({
        lods: [
          { geometry: sphereGeometry({ radius: 0.5 }), screenSize: 0.105 },
          { geometry: boxGeometry({ size: 0.9 }), screenSize: 0.01 },
        ],
        material: cut,
        position: [-3, 0, 0],
      });
      const sun = world.addDirectionalLight({
        direction: [1, 0, -1],
        intensity: 3,
        castShadow: { mapSize: 1024, cascades: 1 },
      });
      for (const renderer of ['forward', 'deferred'] as const) {
        engine.renderer = renderer;
        await engine.whenReady();
        await engine.step(0);
        const lit = await engine.captureFrame();
        const [x, kept, cutAway] = name === 'skinned' ? [1, 0.25, 0.75] : [2.25, -1, 1];
        const heights = [kept, cutAway];
        const shadow = heights.map((y) => window.kit.pixel(lit, 64 + (x + 1) * 16, 64 - y * 16)[1]! < 160);
        const picked = heights.map((y) => engine.pick(64 + x * 16, 64 - y * 16));
        const hits = (await Promise.all(picked)).map((hit) => hit?.actor === wall);
        cutOuts.push([name, renderer, ...shadow, ...hits]);
      }
      engine.renderer = 'forward';
      for (const each of [wall, fading, sun]) each.destroy();
      level.unload();
    }
    const { leaks } = await engine.dispose();
    return { cutOuts, boxesSeen, instance, differences, errors, leaks };
  });
  expect(seen).toEqual({
    // Each row, for the kept and the masked part: whether it casts a shadow, and whether a pick passes through
    // to the wall.
    cutOuts: ['skinned', 'morphed'].flatMap((name) =>
      ['forward', 'deferred'].map((renderer) => [name, renderer, true, false, false, true]),
    ),
    boxesSeen: ['0,0,255', '0,0,0', '0,255,255', '0,255,255'],
    instance: 1,
    differences: {
      skinned: expect.any(Number),
      'skinned, seen': expect.any(Number),
      morphed: expect.any(Number),
      'morphed, seen': expect.any(Number),
    },
    errors: [],
    leaks: [],
  });
  for (const name of ['skinned', 'morphed']) {
    expect(seen.differences[name], name).toBeLessThanOrEqual(12);
    expect(seen.differences[`${name}, seen`], name).toBeGreaterThan(500);
  }
});

test('R11: meshes displaced into the view or into the light are drawn: bounds grow by `displacement`', async ({
  page,
  isolatedURL,
}) => {
  await open(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { boxGeometry, shaderMaterial } = window.fencepost;
    const engine = await window.shapes.open({ background: '#000' });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 20], orthographic: { halfHeight: 4 } });
    const material = (displacement: number) =>
      shaderMaterial({
        lit: false,
        displacement,
        wgsl: `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
          (*moved).position.x -= 5.0;
        }`,
      });
    const isSeen = async (): Promise<boolean> => {
      await engine.whenReady();
      await engine.step(0);
      const { data } = await engine.captureFrame();
      return data.some((value, index) => index % 4 < 3 && value > 0);
    };
    const results: Record<string, boolean> = {};
    // A metre in the box's space is two metres in the world.
    const geometry = boxGeometry({ size: 1 });
    const box = world.addMesh({ geometry, material: material(5), position: [10, 0, 0], scale: [2, 1, 1] });
    results.box = await isSeen();
    results.picked = (await engine.pick(64, 64))?.actor === box;
    box.root.material = material(0);
    results.tooLittle = await isSeen();
    box.destroy();
    // The skinned mesh lies around the origin. Its bounds grow by the displacement.
    const level = await world.load(window.files.skinned);
    world.addCamera({ position: [-5, 1, 20], orthographic: { halfHeight: 2 } });
    window.shapes.paint(level, material(5));
    results.skinned = await isSeen();
    await engine.dispose();
    return results;
  });
  expect(seen).toEqual({ box: true, picked: true, tooLittle: false, skinned: true });
});

test('R11: pixels that WGSL masks let light of all kinds and picks through, by uniforms, textures and time', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await open(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { planeGeometry, shaderMaterial, texture } = window.fencepost;
    const { shapes } = window;
    const results: Record<string, unknown> = {};
    for (const kind of ['directional', 'spot', 'point'] as const) {
      for (const renderer of ['forward', 'deferred'] as const) {
        const engine = await shapes.open({ renderer });
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
        const { world } = engine;
        shapes.addFloor(engine);
        const place = { position: [-3, 5, 0], direction: [1, -1, 0], intensity: 60, castShadow: true };
        if (kind === 'directional') {
          world.addDirectionalLight({ direction: [1, -1, 0], intensity: 3, castShadow: { cascades: 1 } });
        } else if (kind === 'spot') world.addSpotLight({ ...place, outerConeAngle: 0.9 });
        else world.addPointLight({ position: place.position, intensity: 60, castShadow: true });
        const cut = shaderMaterial({
          alphaMode: 'mask',
          doubleSided: true,
          uniforms: { edge: 0.5 },
          wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
            (*appearance).baseColor.a = select(1.0, 0.0, point.uv.x < uniforms.edge);
          }`,
        });
        // The centres of the plane's halves are at x = ∓0.25. Their shadows lie further to the right.
        const geometry = planeGeometry({ size: 1 });
        const mesh = world.addMesh({
          geometry,
          material: cut,
          rotation: shapes.LOOKS_DOWN,
          position: [0, 2, 0],
        });
        await engine.whenReady();
        const shadows: [number, number][] =
          kind === 'directional'
            ? [
                [1.75, 0],
                [2.25, 0],
              ]
            : [
                [1.6, 0],
                [2.4, 0],
              ];
        const look = async () => {
          const isLit = (await shapes.at(engine, ...shadows)).map((value) => value > 40);
          const hits = [await engine.pick(60, 64), await engine.pick(68, 64)];
          return [...isLit, ...hits.map((hit) => hit?.actor === mesh)];
        };
        const half = await look();
        cut.uniforms.edge = 0;
        const whole = await look();
        // One of the texture's two texels is masked from half a second on.
        const holes = texture(
          { width: 2, height: 1, data: new Uint8Array([0, 0, 0, 255, 255, 0, 0, 255]) },
          { colorSpace: 'linear', sampler: { magnify: 'nearest', minify: 'nearest', mipmap: 'none' } },
        );
        mesh.root.material = shaderMaterial({
          alphaMode: 'mask',
          doubleSided: true,
          textures: { holes },
          wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
            let hole = textureSample(holes, holesSampler, point.uv).r * step(0.5, point.time);
            (*appearance).baseColor.a = 1.0 - hole;
          }`,
        });
        await engine.whenReady();
        const early = await look();
        await engine.step(1);
        const late = await look();
        await engine.dispose();
        results[`${kind}, ${renderer}`] = { half, whole, early, late, errors };
      }
    }
    return results;
  });
  // Each row: whether the shadow of each half is lit, and whether a pick of each half hits the mesh.
  const expected = {
    half: [true, false, false, true],
    whole: [false, false, true, true],
    early: [false, false, true, true],
    late: [false, true, true, false],
    errors: [],
  };
  expect(Object.keys(seen)).toHaveLength(6);
  for (const [name, found] of Object.entries(seen)) expect(found, name).toEqual(expected);
});
