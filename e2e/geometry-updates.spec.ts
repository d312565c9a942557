import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

// Geometry that changes in place, through the public API.

inEveryMode(
  'geometry.update moves vertices in place: pixels, bounds, rays and picks follow',
  async (engine) => {
    const { fencepost, kit } = window;
    const { geometry, unlitMaterial } = fencepost;
    const { world } = engine;
    // 16 pixels are 1 m.
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const square = (x: number, y: number) => [x, y, 0, x + 1, y, 0, x, y + 1, 0, x + 1, y + 1, 0];
    const up = [0, 0, 1];
    const shape = geometry({
      positions: [...square(-3, 0), ...square(0, 0)],
      normals: Array.from({ length: 8 }, () => up).flat(),
      colors: Array.from({ length: 8 }, () => [1, 0, 0, 1]).flat(),
      indices: [0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7],
    });
    const mesh = world.addMesh({ geometry: shape, material: unlitMaterial() });
    const dots = async (): Promise<string> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      const at = (x: number, y: number) => {
        const [red = 0, green = 0] = kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 - y * 16));
        return green > 128 ? 'g' : red > 128 ? 'r' : '.';
      };
      return [at(-2.5, 0.5), at(0.5, 0.5), at(2.5, 2.5), at(0.5, -2.5)].join('');
    };
    const boundsX = () => [mesh.bounds.min, mesh.bounds.max].map(([x, y]) => [x, y]);
    const met = (x: number, y: number) => world.raycast([x, y, 5], [0, 0, -1]) !== null;
    const seen: unknown[] = [await dots(), boundsX(), met(0.5, 0.5)];
    // The second square moves to the upper right.
    shape.update({ positions: square(2, 2), firstVertex: 4 });
    seen.push(await dots(), boundsX(), met(0.5, 0.5), met(2.5, 2.5));
    const hit = await engine.pick(64 + 40, 64 - 40);
    seen.push(hit?.component === mesh.root);
    // One frame changes the first square's colour, and then all positions. The first square moves down, and the
    // second square moves back.
    shape.update({ colors: Array.from({ length: 4 }, () => [0, 1, 0, 1]).flat() });
    shape.update({ positions: [...square(0, -3), ...square(0, 0)] });
    seen.push(await dots(), boundsX());
    // New indices draw the first square twice, and no longer draw the second square.
    shape.update({ indices: [0, 1, 2, 2, 1, 3], firstIndex: 6 });
    seen.push(await dots(), met(0.5, 0.5));
    // The mesh leaves the picture with its old bounds, and returns with the new ones.
    shape.update({ positions: [...square(100, 0), ...square(100, 0)] });
    await engine.step(0);
    seen.push(engine.stats().visible);
    shape.update({ positions: [...square(0, 0), ...square(0, 0)] });
    seen.push(await dots(), engine.stats().visible);
    return seen;
  },
  (seen) =>
    expect(seen).toEqual([
      'rr..',
      [
        [-3, 0],
        [1, 1],
      ],
      true,
      'r.r.',
      [
        [-3, 0],
        [3, 3],
      ],
      false,
      true,
      true,
      '.r.g',
      [
        [0, -3],
        [1, 1],
      ],
      '...g',
      false,
      0,
      '.g..',
      1,
    ]),
);

inEveryMode(
  'geometry without normals keeps flat normals that follow updates, and a file’s geometry can be updated too',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    world.addCamera({ position: [0, 0, 4] });
    world.addDirectionalLight({ direction: [0, 0, -1], intensity: 3 });
    const brightness = async (): Promise<number> => {
      await engine.step(0);
      return kit.pixel(await engine.captureFrame(), 64, 64)[0] as number;
    };
    // Two triangles that share an edge.
    const flat = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0];
    const shape = fencepost.geometry({ positions: flat, indices: [0, 1, 2, 0, 2, 3] });
    const mesh = world.addMesh({ geometry: shape });
    const facing = await brightness();
    // The square is tilted back about X, so the light arrives at an angle.
    shape.update({ positions: [1, 1, -3, -1, 1, -3], firstVertex: 2 });
    const tilted = await brightness();
    const fresh = fencepost.geometry({
      positions: [-1, -1, 0, 1, -1, 0, 1, 1, -3, -1, 1, -3],
      indices: [0, 1, 2, 0, 2, 3],
    });
    const before = await kit.picture(engine);
    mesh.root.geometry = fresh;
    await engine.step(0);
    const isAsFresh = (await kit.picture(engine)) === before;
    mesh.destroy();
    const gltf = JSON.stringify({
      asset: { version: '2.0' },
      buffers: [
        {
          byteLength: 36,
          uri: `data:application/octet-stream;base64,${btoa(String.fromCharCode(...new Uint8Array(new Float32Array([-1, -1, 0, 1, -1, 0, 0, 1, 0]).buffer)))}`,
        },
      ],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [-1, -1, 0], max: [1, 1, 0] },
      ],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
      scene: 0,
    });
    const level = await world.load(new TextEncoder().encode(gltf).buffer as ArrayBuffer);
    const twin = level.clone({ position: [3, 0, 0] });
    level.actors[0]?.mesh?.geometry.update({ positions: [-1, -1, 0, 1, -1, 0, 0, 3, 0] });
    await engine.step(0);
    return [facing > tilted + 20, isAsFresh, level.bounds.max, twin.bounds.max];
  },
  (seen) => expect(seen).toEqual([true, true, [1, 3, 0], [4, 3, 0]]),
);

test('updates beyond a geometry’s size are refused with a named error and change nothing', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const { codes, isSame } = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const box = fencepost.boxGeometry();
    const before = kit.hash(new Uint8Array(box.data));
    const refused = async (changes: object, shape = box) =>
      (await kit.refusal(() => shape.update(changes))).code;
    const flat = fencepost.geometry({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0] });
    const gone = fencepost.boxGeometry();
    structuredClone(gone.data, { transfer: [gone.data] });
    const codes = [
      await refused({ position: [] }),
      await refused({ positions: [1, 2] }),
      await refused({ positions: [1, 2, 3], firstVertex: 24 }),
      await refused({ positions: [1, 2, 3], firstVertex: -1 }),
      await refused({ positions: [1, 2, 3], firstVertex: 0.5 }),
      await refused({ positions: [1, Number.NaN, 3] }),
      await refused({ positions: [1, 2, 3], normals: [1] }),
      await refused({ colors: [1, 1, 1, 1] }),
      await refused({ indices: [24] }),
      await refused({ indices: [0, 1], firstIndex: 35 }),
      await refused({ normals: [0, 0, 1] }, flat),
      await refused({ indices: [0] }, flat),
      await refused({ positions: [0, 0, 0] }, gone),
    ];
    return { codes, isSame: kit.hash(new Uint8Array(box.data)) === before };
  });
  expect(codes).toEqual([
    'option-unknown',
    'geometry-attribute-length',
    'geometry-attribute-length',
    'geometry-attribute-length',
    'geometry-attribute-length',
    'geometry-not-finite',
    'geometry-attribute-length',
    'geometry-attribute-missing',
    'geometry-index-out-of-range',
    'geometry-attribute-length',
    'geometry-attribute-missing',
    'geometry-attribute-length',
    'geometry-detached',
  ]);
  expect(isSame).toBe(true);
});
