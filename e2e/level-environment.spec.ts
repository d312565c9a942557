import { png } from '../scripts/test-assets/gltf-file.mjs';
import { litFile } from '../scripts/test-assets/lit-file.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

// Tests EXT_lights_image_based. Compares `level.environment` with the same light from a KTX2 cube map, and
// loads files with invalid images.

type Vector = readonly [number, number, number];

const SIZE = 4;

/**
 * The direction of a texel of each cube face. The arguments go rightwards and downwards from −1 to 1, as in
 * graphics APIs.
 */
const DIRECTIONS: readonly ((x: number, y: number) => Vector)[] = [
  (x, y) => [1, -y, -x],
  (x, y) => [-1, -y, x],
  (x, y) => [x, 1, y],
  (x, y) => [x, -1, -y],
  (x, y) => [x, -y, 1],
  (x, y) => [-x, -y, -1],
];
const at = (texel: number): number => ((texel + 0.5) / SIZE) * 2 - 1;

/** Half-float bits of values that half floats represent exactly. */
const HALVES = new Map([
  [0, 0],
  [1, 0x3c00],
  [5, 0x4500],
]);
/**
 * Returns the light of a texel. Each face has its own colour, with one texel that is five times as bright and
 * one dark texel. So all orientations differ.
 */
const radianceAt = (face: number, x: number, row: number): Vector => {
  const color = ['100', '010', '001', '110', '011', '101'][face]!;
  const factor = x === 0 && row === 0 ? 5 : x === 2 && row === 0 ? 0 : 1;
  return [...color].map((digit) => Number(digit) * factor) as unknown as Vector;
};

function pictureOf(face: number): Uint8Array {
  return png(SIZE, (x: number, row: number) => {
    const radiance = radianceAt(face, x, row);
    const isBright = Math.max(...radiance) > 1;
    return [...radiance.map((value) => (value > 0 ? 255 : 0)), isBright ? 51 : 255];
  });
}

const lit = (light: object, pictures = [0, 1, 2, 3, 4, 5].map(pictureOf)): string =>
  Buffer.from(litFile({ light, pictures })).toString('base64');

/**
 * Returns the same light as texels of a KTX2 cube map. KTX2 stores rows from the bottom and mirrors the cube
 * across the XY plane.
 */
function cubeTexels(): number[] {
  const texels = new Array<number>(6 * SIZE * SIZE * 4).fill(0x3c00);
  const faceAt = (wanted: Vector): number => {
    for (let face = 0; face < 6; face++) {
      for (let row = 0; row < SIZE; row++) {
        for (let x = 0; x < SIZE; x++) {
          const direction = DIRECTIONS[face]!(at(x), at(row));
          if (direction.every((part, axis) => Math.abs(part - wanted[axis]!) < 1e-6))
            return (face * SIZE + row) * SIZE + x;
        }
      }
    }
    throw new Error(`No texel lies at ${wanted}.`);
  };
  for (let face = 0; face < 6; face++) {
    for (let row = 0; row < SIZE; row++) {
      for (let x = 0; x < SIZE; x++) {
        const [dx, dy, dz] = DIRECTIONS[face]!(at(x), at(SIZE - 1 - row));
        const radiance = radianceAt(face, x, row).map((value) => HALVES.get(value)!);
        for (const [channel, half] of radiance.entries()) texels[faceAt([dx, dy, -dz]) * 4 + channel] = half;
      }
    }
  }
  return texels;
}

test('the page sets a file’s light, which has the orientation, rotation and intensity that the file states', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const quarter = Math.SQRT1_2;
  const files = {
    plain: lit({}),
    turned: lit({ rotation: [0, quarter, 0, quarter], intensity: 0.25 }),
    tilted: lit({ rotation: [quarter, 0, 0, quarter] }),
  };
  const seen = await page.evaluate(
    async ({ files, texels }) => {
      const { kit } = window;
      const { createEngine, sphereGeometry, standardMaterial } = window.fencepost;
      const engine = await createEngine(kit.view, { antialias: false });
      const { world } = engine;
      const camera = world.addCamera({ position: [0, 0, 0], fovY: 1.4 });
      const material = standardMaterial({ metallic: 1, roughness: 0.2, baseColor: [1, 1, 1] });
      const mirror = world.addMesh({ geometry: sphereGeometry({ radius: 0.3 }), material });
      const around = async (): Promise<number[]> => {
        const pixels: number[] = [];
        for (const target of [
          [1, 0.2, 0],
          [-1, 0.2, 0.3],
          [0.001, 1, 0],
          [0.001, -1, 0],
          [0.2, 0, 1],
          [0, 0.3, -1],
        ] as const) {
          camera.lookAt(target);
          const length = Math.hypot(...target);
          mirror.position = target.map((part, axis) => (part / length) * 2 + (axis === 0 ? 0.5 : 0)) as never;
          await engine.step(0);
          const frame = await engine.captureFrame();
          for (const [x, y] of [
            [10, 10],
            [118, 10],
            [64, 64],
            [10, 118],
            [118, 118],
            [40, 64],
          ] as const)
            pixels.push(...kit.pixel(frame, x, y).slice(0, 3));
        }
        return pixels;
      };
      const load = async (name: keyof typeof files) => {
        const { environment } = await world.load(kit.bytes(files[name]));
        if (!environment) throw new Error(`${name} brings no light.`);
        return environment;
      };
      const plain = await load('plain');
      await engine.step(0);
      const isDark = (await engine.captureFrame()).data.every((byte, index) => index % 4 === 3 || byte === 0);
      const results: Record<string, number[]> = {};
      const show = async (name: string, ...parameters: Parameters<typeof world.setEnvironment>) => {
        await world.setEnvironment(parameters[0], { background: true, ...parameters[1] });
        results[name] = await around();
      };
      const cube = kit.ktx2(97, 4, 6, Uint16Array.from(texels));
      await show('plain', plain);
      await show('cube', cube);
      await show('turned', await load('turned'));
      await show('turned cube', cube, { intensity: 0.25, rotation: -Math.PI / 2 });
      await show('twice', [
        { source: plain, weight: 0.5 },
        { source: cube, weight: 0.5 },
      ]);
      await show('tilted', await load('tilted'));
      camera.lookAt([0.001, 1, 0]);
      await engine.step(0);
      // The file's light is turned by 90° about X, so the image for −Z shows above.
      const above = kit.pixel(await engine.captureFrame(), 64, 64).slice(0, 3);
      await engine.dispose();
      return { isDark, results, above };
    },
    { files, texels: cubeTexels() },
  );
  expect(seen.isDark).toBe(true);
  const difference = (a: string, b: string): number =>
    Math.max(...seen.results[a]!.map((value, index) => Math.abs(value - seen.results[b]![index]!)));
  expect(difference('plain', 'cube')).toBe(0);
  expect(difference('twice', 'cube')).toBeLessThanOrEqual(1);
  expect(difference('turned', 'turned cube')).toBeLessThanOrEqual(2);
  expect(difference('plain', 'turned')).toBeGreaterThan(100);
  expect(difference('tilted', 'plain')).toBeGreaterThan(100);
  expect(seen.above).toEqual([255, 0, 255]);
});

test('unreadable images of a light are refused, and the previous environment stays', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const jpeg = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(4, 4);
    const context = canvas.getContext('2d')!;
    context.fillStyle = '#bcbcbc';
    context.fillRect(0, 0, 4, 4);
    const file = await canvas.convertToBlob({ type: 'image/jpeg', quality: 1 });
    return [...new Uint8Array(await file.arrayBuffer())];
  });
  const sound = [0, 1, 2, 3, 4, 5].map(pictureOf);
  const files = {
    jpeg: lit({}, Array<Uint8Array>(6).fill(Uint8Array.from(jpeg))),
    cut: lit({}, [...sound.slice(0, 5), sound[5]!.slice(0, 60)]),
    text: lit({}, [...sound.slice(0, 5), new TextEncoder().encode('no picture')]),
  };
  const seen = await page.evaluate(async (files) => {
    const { kit } = window;
    const engine = await window.fencepost.createEngine(kit.view, { antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 0], lookAt: [1, 0, 0] });
    const light = async (name: keyof typeof files) => (await world.load(kit.bytes(files[name]))).environment!;
    await world.setEnvironment(await light('jpeg'), { background: true });
    await engine.step(0);
    const grey = kit.pixel(await engine.captureFrame(), 64, 64).slice(0, 3);
    const before = await kit.picture(engine);
    const refused: string[] = [];
    for (const name of ['cut', 'text'] as const) {
      const source = await light(name);
      const { code, message } = await kit.refusal(() => world.setEnvironment(source));
      refused.push(`${code} ${message.includes('specularImages[0][5]')}`);
    }
    const mixed = { ...(await light('jpeg')), faces: 'none' };
    refused.push((await kit.refusal(() => world.setEnvironment(mixed as never))).code);
    await engine.step(0);
    const isSame = before === (await kit.picture(engine));
    await engine.dispose();
    return { grey, refused, isSame };
  }, files);
  // A radiance of 0.5 is 188 in sRGB without tone mapping.
  for (const channel of seen.grey) expect(Math.abs(channel - 188)).toBeLessThanOrEqual(1);
  expect(seen.refused).toEqual(['gltf-invalid true', 'gltf-invalid true', 'option-invalid']);
  expect(seen.isSame).toBe(true);
});
