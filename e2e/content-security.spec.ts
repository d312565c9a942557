/** Pages whose Content-Security-Policy demands trusted types, forbids workers, or blocks decoders. */
import type { Page } from '@playwright/test';
import { basisPictures } from '../scripts/test-assets/basis-pictures.mjs';
import { makeCompressedFiles } from '../scripts/test-assets/compressed-files.mjs';
import { ktx2File, repeatedZstandard } from '../scripts/test-assets/ktx2-file.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { referenceGlb } from './reference-glb.js';
import { MODES } from './threading-modes.js';

async function openWithPolicy(page: Page, origin: string, policy: string): Promise<void> {
  await page.route('**/e2e/pages/engine.html', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), 'content-security-policy': policy };
    await route.fulfill({ response, headers });
  });
  await openEnginePage(page, origin);
}

/** Loads a model into an engine, shows the timeline, and returns the number of actors. */
function useEngine(
  page: Page,
  threading: 'single' | 'render' | 'render+rhi',
  base64: string,
): Promise<number> {
  return page.evaluate(
    async ({ threading, base64 }) => {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading });
      engine.world.addCamera({ position: [0, 0, 4] });
      const { actors } = await engine.world.load(window.kit.bytes(base64));
      await engine.step(0);
      await engine.showTimeline();
      await engine.dispose();
      return actors.length;
    },
    { threading, base64 },
  );
}

test('the engine runs on a page that requires trusted types and allows the policy fencepost', async ({
  page,
  plainURL,
}) => {
  const policy = "require-trusted-types-for 'script'; trusted-types fencepost; style-src 'unsafe-inline'";
  await openWithPolicy(page, plainURL, policy);
  const base64 = await referenceGlb();
  for (const threading of ['single', 'render', 'render+rhi'] as const)
    expect(await useEngine(page, threading, base64)).toBeGreaterThan(0);
});

test('if a page does not allow the policy fencepost, the error names the policy', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/TrustedTypePolicy named 'fencepost'/);
  await openWithPolicy(page, plainURL, "require-trusted-types-for 'script'; trusted-types 'none'");
  const error = await page.evaluate(() =>
    window.kit.refusal(() => window.fencepost.createEngine(window.kit.view)),
  );
  expect(error).toMatchObject({ name: 'ThreadError', code: 'worker-failed-to-start' });
  expect(error.message).toContain('trusted-types fencepost');
});

test('if a page forbids workers, the error names the directive that allows them; single mode loads models without workers', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/worker-src 'none'/);
  await openWithPolicy(page, plainURL, "worker-src 'none'");
  for (const threading of ['render', 'render+rhi'] as const) {
    const error = await page.evaluate(
      (threading) => window.kit.refusal(() => window.fencepost.createEngine(window.kit.view, { threading })),
      threading,
    );
    expect(error).toMatchObject({ name: 'ThreadError', code: 'worker-failed-to-start' });
    expect(error.message).toContain("worker-src 'self'");
  }
  const base64 = await referenceGlb();
  expect(await useEngine(page, 'single', base64)).toBeGreaterThan(0);
});

/** Sends the policy with the page and with the workers' start scripts, so that it also applies in workers. */
async function openWithPolicyEverywhere(page: Page, origin: string, policy: string): Promise<void> {
  await page.route(/\/(engine\.html|worker\.js|asset-worker\.js|worker-decoding\.js)$/, async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), 'content-security-policy': policy };
    await route.fulfill({ response, headers });
  });
  await openEnginePage(page, origin);
}

/** Loads models and textures into an engine of each mode, and returns the outcome of each load. */
function loadAll(page: Page, models: Record<string, string>, textures: Record<string, string>) {
  return page.evaluate(
    async ({ modes, models, textures }) => {
      const { fencepost, kit } = window;
      const found: Record<string, string>[] = [];
      for (const threading of modes) {
        const engine = await fencepost.createEngine(kit.view, { threading });
        engine.world.addCamera({ position: [0, 0, 4] });
        const results: Record<string, string> = {};
        for (const [name, base64] of Object.entries(models)) {
          results[name] = await engine.world.load(kit.bytes(base64)).then(
            ({ warnings }) => warnings.join() || 'shown',
            ({ code }: { code: string }) => code,
          );
        }
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => {
          const { code, message } = detail as { code: string; message: string };
          errors.push(`${code} ${message.includes("'wasm-unsafe-eval'")}`);
        });
        for (const [name, base64] of Object.entries(textures)) {
          const image = fencepost.texture(new Blob([kit.bytes(base64)]));
          const material = fencepost.unlitMaterial({ baseColorTexture: image });
          const mesh = engine.world.addMesh({ geometry: fencepost.planeGeometry(), material });
          await engine.step(0);
          await engine.whenReady();
          results[name] = errors.splice(0).join() || 'shown';
          mesh.destroy();
        }
        found.push(results);
        await engine.dispose();
      }
      return found;
    },
    { modes: MODES, models, textures },
  );
}

const TEXTURES = {
  'uastc.ktx2': basisPictures.uastc,
  'etc1s.ktx2': basisPictures.etc1s,
  'zstandard.ktx2': ktx2File({
    ...{ format: 9, width: 4, height: 4, levels: [Buffer.alloc(16, 255)], scheme: 2 },
    pack: () => repeatedZstandard(255, 16),
  }).toString('base64'),
};

test("every decoder runs under script-src 'self' 'wasm-unsafe-eval', in every mode", async ({
  page,
  plainURL,
}) => {
  const policy = "script-src 'self' 'wasm-unsafe-eval'";
  await openWithPolicyEverywhere(page, plainURL, policy);
  const made = Object.entries(await makeCompressedFiles());
  const models = Object.fromEntries(
    made.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
  );
  const names = [...Object.keys(models), ...Object.keys(TEXTURES)];
  const shown = Object.fromEntries(names.map((name) => [name, 'shown']));
  expect(await loadAll(page, models, TEXTURES)).toEqual([shown, shown, shown]);
});

test('a blocked decoder is reported as decoder-blocked, with the directive that allows it', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/WebAssembly|wasm/i);
  await openWithPolicyEverywhere(page, plainURL, "script-src 'self'");
  const blocked = Object.fromEntries(Object.keys(TEXTURES).map((name) => [name, 'decoder-blocked true']));
  expect(await loadAll(page, {}, TEXTURES)).toEqual([blocked, blocked, blocked]);
});
