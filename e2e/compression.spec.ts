/** Files with compressed geometry, through the public API; the files are compressed by the extensions' own encoders. */
import { makeCompressedFiles } from '../scripts/test-assets/compressed-files.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const MODES = ['single', 'render', 'render+rhi'] as const;

let files: Record<string, string>;
test.beforeAll(async () => {
  const made = Object.entries(await makeCompressedFiles());
  files = Object.fromEntries(made.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]));
});

for (const isolated of [true, false]) {
  test(`Draco and meshopt: the picture of the plain file, in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
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
      { modes: MODES, files },
    );
    for (const [red = 0, green = 0, blue = 0] of seen.colours) {
      expect(red).toBeGreaterThan(100);
      expect(green).toBeGreaterThan(50);
      expect(blue).toBeLessThan(green);
    }
    for (const found of seen.differences) {
      expect(found['plain.glb']).toBe(0);
      // Of 255, in the mean; normals have 8 to 12 bits.
      for (const name of ['draco.glb', 'meshopt.glb', 'khr-meshopt.glb'])
        expect(found[name]).toBeLessThan(0.5);
    }
    expect(seen.differences[1]).toEqual(seen.differences[0]);
    expect(seen.differences[2]).toEqual(seen.differences[0]);
  });
}

test('a policy that forbids WebAssembly is named, with what allows it; plain files load, and so do others once it does', async ({
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
