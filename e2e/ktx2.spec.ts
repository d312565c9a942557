/** KTX2 textures other than Basis Universal, through the public API. */
import { deflateSync } from 'node:zlib';
import { ktx2File, repeatedZstandard, solidBlocks } from '../scripts/test-assets/ktx2-file.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

type Color = [red: number, green: number, blue: number];
const RED: Color = [255, 0, 0];
const GREEN: Color = [0, 255, 0];
const BLUE: Color = [0, 0, 255];

const solid = ([red, green, blue]: Color, edge: number): Buffer =>
  Buffer.concat(Array.from({ length: edge * edge }, () => Buffer.from([red, green, blue, 255])));
const rgba8 = { format: 37, width: 4, height: 4 };

/** KTX2 files. The name of each ends with its expected colour. */
const FILES: Record<string, Buffer> = {
  'RGBA8 100': ktx2File({ ...rgba8, levels: [solid(RED, 4)] }),
  'RGBA8, packed by ZLIB 010': ktx2File({
    ...{ ...rgba8, levels: [solid(GREEN, 4)], scheme: 3 },
    pack: (level: Uint8Array) => deflateSync(level),
  }),
  'R8, packed by Zstandard 100': ktx2File({
    ...{ format: 9, width: 4, height: 4, levels: [Buffer.alloc(16, 255)], scheme: 2 },
    pack: () => repeatedZstandard(255, 16),
  }),
  'RG8 110': ktx2File({ format: 16, width: 4, height: 4, levels: [Buffer.alloc(32, 255)] }),
  'RGB8 001': ktx2File({
    ...{ format: 23, width: 1, height: 1 },
    levels: [Buffer.from(BLUE)],
  }),
  'RGBA16F 011': ktx2File({
    ...{ format: 97, width: 1, height: 1 },
    levels: [Buffer.from(Uint16Array.of(0, 0x3c00, 0x3c00, 0x3c00).buffer)],
  }),
  // 256 × 2^(16 − 15 − 9) = 1.
  'RGB9E5 010': ktx2File({
    ...{ format: 123, width: 1, height: 1 },
    levels: [Buffer.from(Uint32Array.of(((256 << 9) | (16 << 27)) >>> 0).buffer)],
  }),
};
for (const [family, make] of Object.entries(solidBlocks)) {
  const { format, edge, block } = make(BLUE);
  FILES[`texture-compression-${family} 001`] = ktx2File({
    format,
    width: edge,
    height: edge,
    levels: [block],
  });
}

/** A texture whose levels differ in colour, 128 texels wide. */
const LEVELS = ktx2File({
  ...{ format: 43, width: 128, height: 128 },
  levels: [solid(RED, 128), solid(GREEN, 64), solid(BLUE, 32)],
});
const CUBE = ktx2File({
  ...{ ...rgba8, faces: 6 },
  levels: [Buffer.concat([RED, GREEN, BLUE, RED, GREEN, BLUE].map((color) => solid(color, 4)))],
});

const base64 = (files: Record<string, Buffer>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, file]) => [name, file.toString('base64')]));

test('texture() accepts KTX2 files: plain texels and blocks, packed or not, levels, layers; in every mode, also after a device loss', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(
    async ({ modes, files, levels, cube }) => {
      const { fencepost, kit } = window;
      const results: Record<string, string>[] = [];
      for (const threading of modes) {
        const engine = await fencepost.createEngine(kit.view, { threading, background: '#000' });
        const { world } = engine;
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push((detail as { code: string }).code));
        const cameras = [1, 2, 4].map((halfHeight) =>
          world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight } }),
        );
        const [near] = cameras;
        const geometry = fencepost.planeGeometry({ size: [2, 2] });
        const look = async (camera = near) => {
          world.activeCamera = camera ?? null;
          await engine.whenReady();
          await engine.step(0);
          const rgb = kit.pixel(await engine.captureFrame(), 64, 64).slice(0, 3);
          return Array.from(rgb, (value) => (value > 200 ? 1 : value < 40 ? 0 : '?')).join('');
        };
        const loseDevice = async () => {
          const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
          await engine.simulateDeviceLoss();
          await restored;
        };
        const show = async (bytes: string, layer?: number) => {
          const source = new Blob([kit.bytes(bytes)]);
          const image = fencepost.texture(source, layer === undefined ? {} : { layer });
          const material = fencepost.unlitMaterial({ baseColorTexture: image });
          const mesh = world.addMesh({ geometry, material, rotation: [0, 0, 0, 1] });
          await engine.step(0);
          await engine.whenReady();
          return mesh;
        };
        const found: Record<string, string> = {};
        const shown: { readonly name: string; readonly mesh: Awaited<ReturnType<typeof show>> }[] = [];
        for (const [name, bytes] of Object.entries(files)) {
          const mesh = await show(bytes);
          found[name] = await look();
          if (errors.length) found[name] = errors.splice(0).join();
          mesh.visible = false;
          shown.push({ name, mesh });
        }
        // One loss tests all textures, because each loss starts a device without compiled pipelines.
        await loseDevice();
        for (const { name, mesh } of shown) {
          mesh.visible = true;
          if (!found[name]?.startsWith('texture')) found[name] += ` ${await look()}`;
          mesh.destroy();
        }
        errors.length = 0;
        const mesh = await show(levels);
        found.levels = (
          await Promise.all([await look(), await look(cameras[1]), await look(cameras[2])])
        ).join();
        mesh.destroy();
        const face = await show(cube, 2);
        found.layer = await look();
        face.destroy();
        const without = await show(cube);
        found.cube = errors.splice(0).join();
        without.destroy();
        results.push(found);
        await engine.dispose();
      }
      return results;
    },
    { modes: MODES, files: base64(FILES), levels: LEVELS.toString('base64'), cube: CUBE.toString('base64') },
  );
  expect(seen).toHaveLength(3);
  for (const { levels, layer, cube, ...files } of seen) {
    expect({ levels, layer, cube }).toEqual({ levels: '100,010,001', layer: '001', cube: 'ktx2-invalid' });
    for (const [name, found] of Object.entries(files)) {
      const color = name.slice(-3);
      const possible = [`${color} ${color}`];
      if (name.startsWith('texture-')) possible.push('texture-format-unsupported');
      expect(possible, name).toContain(found);
    }
  }
  // SwiftShader and GPUs support at least one family of block formats.
  expect(Object.values(seen[0] ?? {})).toContain('001 001');
});
