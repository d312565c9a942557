/** Files with compressed geometry and textures, through the public API. The extensions' own encoders compress them. */
import { basisPictures } from '../scripts/test-assets/basis-pictures.mjs';
import { makeCompressedFiles } from '../scripts/test-assets/compressed-files.mjs';
import { mipmappedBasis } from '../scripts/test-assets/mipmapped-basis.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES, modesOf } from './threading-modes.js';

let files: Record<string, string>;
test.beforeAll(async () => {
  const made = Object.entries(await makeCompressedFiles());
  files = Object.fromEntries(made.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]));
});

for (const isolated of [true, false]) {
  test(`Draco and meshopt files show the picture of the plain file, in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolated ? isolatedURL : plainURL);
    const seen = await page.evaluate(
      async ({ modes, files }) => {
        const { fencepost, kit } = window;
        const differences: Record<string, number>[] = [];
        const colours: (readonly number[])[] = [];
        for (const threading of modes) {
          const engine = await fencepost.createEngine(kit.view, { threading, background: '#000' });
          const { world } = engine;
          world.addCamera({ position: [0, 0, 4] });
          world.addDirectionalLight({ direction: [-1, -1, -2], intensity: 3 });
          const pictureOf = async (base64: string) => {
            const level = await world.load(kit.bytes(base64));
            await engine.step(0);
            const { data } = await engine.captureFrame();
            if (level.warnings.length) throw new Error(level.warnings.join());
            level.unload();
            return data;
          };
          const plain = await pictureOf(files['plain.glb'] as string);
          const center = (64 * 128 + 64) * 4;
          colours.push([...plain.subarray(center, center + 3)]);
          const found: Record<string, number> = {};
          for (const [name, base64] of Object.entries(files)) {
            const picture = await pictureOf(base64);
            const sum = picture.reduce(
              (total, value, at) => total + Math.abs(value - (plain[at] as number)),
              0,
            );
            found[name] = sum / picture.length;
          }
          differences.push(found);
          await engine.dispose();
        }
        return { differences, colours };
      },
      { modes: modesOf(isolated), files },
    );
    for (const [red = 0, green = 0, blue = 0] of seen.colours) {
      expect(red).toBeGreaterThan(100);
      expect(green).toBeGreaterThan(50);
      expect(blue).toBeLessThan(green);
    }
    for (const found of seen.differences) {
      expect(found['plain.glb']).toBe(0);
      // Mean difference of the channels, 0 to 255. The compressed normals have only 8 to 12 bits.
      for (const name of ['draco.glb', 'meshopt.glb', 'khr-meshopt.glb'])
        expect(found[name]).toBeLessThan(0.5);
    }
    expect(seen.differences).toEqual(modesOf(isolated).map(() => seen.differences[0]));
  });
}

/** Returns a glTF file with an unlit square of 2 m that shows the image. */
function picturedGltf(base64: string): object {
  const floats = new Float32Array([...[-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0], ...[0, 1, 1, 1, 0, 0, 1, 0]]);
  const uri = `data:application/octet-stream;base64,${Buffer.from(floats.buffer).toString('base64')}`;
  return {
    asset: { version: '2.0' },
    extensionsRequired: ['KHR_texture_basisu'],
    buffers: [{ byteLength: 80, uri }],
    bufferViews: [
      { buffer: 0, byteLength: 48 },
      { buffer: 0, byteOffset: 48, byteLength: 32 },
    ],
    accessors: [
      { bufferView: 0, componentType: 5126, type: 'VEC3', count: 4 },
      { bufferView: 1, componentType: 5126, type: 'VEC2', count: 4 },
    ],
    images: [{ uri: `data:image/ktx2;base64,${base64}` }],
    textures: [{ extensions: { KHR_texture_basisu: { source: 0 } } }],
    materials: [
      {
        pbrMetallicRoughness: { baseColorTexture: { index: 0 } },
        extensions: { KHR_materials_unlit: {} },
      },
    ],
    meshes: [{ primitives: [{ mode: 5, material: 0, attributes: { POSITION: 0, TEXCOORD_0: 1 } }] }],
    nodes: [{ mesh: 0 }],
  };
}

const LEVELS = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
] as const;

test('Basis Universal images become blocks that the device reads, with their mip levels, in every mode, also after a device loss', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const models = Object.values(basisPictures).map((base64) => JSON.stringify(picturedGltf(base64)));
  // The square of 2 m is drawn 128, 64 and 32 pixels wide in turn, so each mip level shows once.
  const levels = JSON.stringify(picturedGltf(mipmappedBasis(128, LEVELS).toString('base64')));
  const seen = await page.evaluate(
    async ({ modes, models, levels }) => {
      const { fencepost, kit } = window;
      const results: object[] = [];
      const ofLevels: {
        first: string[];
        second: string[];
        bytes: number;
        warnings: readonly string[];
      }[] = [];
      for (const threading of modes) {
        const engine = await fencepost.createEngine(kit.view, { threading, background: '#000' });
        const { world } = engine;
        world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 2 } });
        const look = async () => {
          await engine.step(0);
          const frame = await engine.captureFrame();
          return [48, 80].map((x) => {
            const [red = 0, green = 0, blue = 0] = kit.pixel(frame, x, 64);
            return green < 40 && (red > 200 && blue < 40 ? 'red' : blue > 200 && red < 40 && 'blue');
          });
        };
        for (const model of models) {
          const level = await world.load(new TextEncoder().encode(model).buffer as ArrayBuffer);
          const first = await look();
          const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
          await engine.simulateDeviceLoss();
          await restored;
          results.push({ first, second: await look(), warnings: level.warnings });
          level.unload();
        }
        await engine.flush({ until: 'released' });
        await engine.step(0);
        const without = engine.stats().memory.textures;
        const level = await world.load(new TextEncoder().encode(levels).buffer as ArrayBuffer);
        const cameras = [1, 2, 4].map((halfHeight) =>
          world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight } }),
        );
        const colours = async () => {
          const found: string[] = [];
          for (const camera of cameras) {
            world.activeCamera = camera;
            await engine.step(0);
            const rgb = kit.pixel(await engine.captureFrame(), 64, 64).slice(0, 3);
            found.push(Array.from(rgb, (value) => (value > 200 ? 1 : value < 40 ? 0 : '?')).join(''));
          }
          return found;
        };
        const first = await colours();
        const bytes = engine.stats().memory.textures - without;
        const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
        await engine.simulateDeviceLoss();
        await restored;
        ofLevels.push({ first, second: await colours(), bytes, warnings: level.warnings });
        await engine.dispose();
      }
      return { results, ofLevels };
    },
    { modes: MODES, models, levels },
  );
  expect(seen.results).toHaveLength(6);
  for (const result of seen.results)
    expect(result).toEqual({ first: ['red', 'blue'], second: ['red', 'blue'], warnings: [] });
  const colours = ['100', '010', '001'];
  expect(seen.ofLevels).toHaveLength(3);
  // Compressed blocks take one byte per texel of the three levels. Texels of RGBA8 would take four bytes.
  const expected = 128 ** 2 + 64 ** 2 + 32 ** 2;
  for (const { bytes, ...result } of seen.ofLevels) {
    expect(result).toEqual({ first: colours, second: colours, warnings: [] });
    // The small images of the earlier model are freed meanwhile.
    expect(Math.abs(bytes - expected)).toBeLessThan(512);
  }
});

test('if the Content-Security-Policy forbids WebAssembly, compressed files fail with an error that names wasm-unsafe-eval, and plain files load; if the policy contains wasm-unsafe-eval, all files load', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/WebAssembly|wasm/i);
  let policy = "script-src 'self' 'unsafe-inline'";
  await page.route('**/asset-worker.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      headers: { ...response.headers(), 'content-security-policy': policy },
    });
  });
  await openEnginePage(page, plainURL);
  const load = () =>
    page.evaluate(async (files) => {
      const { fencepost, kit } = window;
      const engine = await fencepost.createEngine(kit.view);
      const results: string[] = [];
      for (const [name, base64] of Object.entries(files)) {
        const error = await engine.world.load(kit.bytes(base64)).then(
          () => null,
          (reason: { code: string; message: string }) => reason,
        );
        results.push(
          `${name} ${error ? `${error.code} ${error.message.includes("'wasm-unsafe-eval'")}` : 'ok'}`,
        );
      }
      await engine.dispose();
      return results.sort();
    }, files);
  expect(await load()).toEqual([
    'draco.glb decoder-blocked true',
    'khr-meshopt.glb decoder-blocked true',
    'meshopt.glb decoder-blocked true',
    'plain.glb ok',
  ]);
  policy = "script-src 'self' 'wasm-unsafe-eval'";
  expect(await load()).toEqual(['draco.glb ok', 'khr-meshopt.glb ok', 'meshopt.glb ok', 'plain.glb ok']);
});
