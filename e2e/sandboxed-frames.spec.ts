/**
 * Tests pages of an opaque origin, for which `self.origin` is 'null'. Examples are sandboxed frames, as in
 * previews and notebooks, and files from disk. All addresses are cross-origin for them, so every server has to
 * allow their requests.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Frame, Page } from '@playwright/test';
import { build } from 'esbuild';
import { makeCompressedFiles } from '../scripts/test-assets/compressed-files.mjs';
import { expect, test } from './fixtures.js';
import { type StaticServer, serveStatic } from './packaging/static-server.js';
import { MODES } from './threading-modes.js';

/** The page's only script, with the library and its workers inside. */
let inlineScript = '';
let model = '';
let site = '';
const servers: StaticServer[] = [];

test.beforeAll(async () => {
  site = mkdtempSync(join(tmpdir(), 'fencepost-sandboxed-'));
  cpSync(resolve('dist'), join(site, 'dist'), { recursive: true });
  const { 'draco.glb': draco } = await makeCompressedFiles();
  model = Buffer.from(draco as Uint8Array).toString('base64');
  writeFileSync(join(site, 'draco.glb'), draco as Uint8Array);
  writeFileSync(join(site, 'task.js'), 'export default { where: () => typeof document };');
  const { outputFiles } = await build({
    stdin: { contents: `import * as fencepost from './dist/inline.js';${PUBLISH}`, resolveDir: resolve('.') },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
  });
  inlineScript = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
});
test.afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
test.afterAll(() => rmSync(site, { recursive: true }));

const PUBLISH = "window.fencepost = fencepost; document.documentElement.dataset.loaded = 'true';";
const importing = (module: string) => `import * as fencepost from '${module}';${PUBLISH}`;

const pageOf = (script: string) => `<!doctype html>
<meta charset="utf-8">
<link rel="icon" href="data:,">
<div id="view" style="width: 64px; height: 64px"></div>
<script type="module">${script}</script>`;

async function serve(options: Parameters<typeof serveStatic>[1]): Promise<string> {
  const server = await serveStatic(site, options);
  servers.push(server);
  return server.origin;
}

/** Opens a page that contains only a sandboxed frame. @param attributes attributes of the frame */
async function openFrame(page: Page, origin: string, script: string, attributes = ''): Promise<Frame> {
  writeFileSync(join(site, 'frame.html'), pageOf(script));
  const frame = `<iframe sandbox="allow-scripts" src="frame.html" ${attributes}></iframe>`;
  writeFileSync(join(site, 'index.html'), `<!doctype html><link rel="icon" href="data:,">${frame}`);
  await page.goto(`${origin}/`);
  const found = page.frames().find((each) => each !== page.mainFrame()) as Frame;
  await found.waitForSelector('html[data-loaded]', { state: 'attached' });
  return found;
}

/**
 * Creates an engine in every mode, which draws a picture, loads a model whose decoder the asset worker fetches,
 * and runs a task.
 */
function useEngines(frame: Frame | Page, files: { readonly model: string; readonly url: string | null }) {
  return frame.evaluate(
    async ({ modes, model, url }) => {
      const { boxGeometry, createEngine, unlitMaterial } = window.fencepost;
      const bytes = Uint8Array.from(atob(model), (character) => character.charCodeAt(0)).buffer;
      const seen = [];
      for (const threading of modes) {
        const view = document.querySelector<HTMLElement>('#view') as HTMLElement;
        const engine = await createEngine(view, { threading, antialias: false, taskWorkers: 1 });
        const { world, tasks } = engine;
        world.addCamera({ position: [0, 0, 3] });
        world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#00f' }) });
        await engine.step(0);
        const { width, data } = await engine.captureFrame();
        const middle = (width / 2) * (width + 1) * 4;
        const warnings =
          url === null ? [] : [(await world.load(bytes)).warnings, (await world.load(url)).warnings];
        const where =
          url === null ? 'not asked' : await (await tasks.load(new URL('task.js', url))).run('where');
        await engine.dispose();
        seen.push({ threading, pixel: [...data.subarray(middle, middle + 4)], warnings, where });
      }
      return { origin: self.origin, isIsolated: self.crossOriginIsolated, seen };
    },
    { modes: MODES, ...files },
  );
}

const BLUE = [0, 0, 255, 255];
const allSeen = (isIsolated = false) => ({
  origin: 'null',
  isIsolated,
  seen: MODES.map((threading) => ({ threading, pixel: BLUE, warnings: [[], []], where: 'undefined' })),
});

for (const module of ['index', 'inline']) {
  for (const isIsolated of [false, true]) {
    test(`a sandboxed frame draws, loads and runs tasks in every mode: ${module}.js, ${isIsolated ? 'isolated' : 'not isolated'}`, async ({
      page,
    }) => {
      const origin = await serve({ allowOrigins: true, isIsolated });
      const frame = await openFrame(
        page,
        origin,
        importing(`${origin}/dist/${module}.js`),
        isIsolated ? 'allow="cross-origin-isolated"' : '',
      );
      const seen = await useEngines(frame, { model, url: `${origin}/draco.glb` });
      expect(seen).toEqual(allSeen(isIsolated));
    });
  }
}

test('a sandboxed frame of one script, with fencepost/inline in it, needs no permission of a server', async ({
  page,
}) => {
  const frame = await openFrame(page, await serve({}), inlineScript);
  const { origin, seen } = await useEngines(frame, { model, url: null });
  expect(origin).toBe('null');
  expect(seen.map(({ pixel }) => pixel)).toEqual([BLUE, BLUE, BLUE]);
});

test('a file from disk works with fencepost/inline in it', async ({ page }) => {
  const file = join(site, 'file.html');
  writeFileSync(file, pageOf(inlineScript));
  await page.goto(pathToFileURL(file).href);
  const { origin, seen } = await useEngines(page, { model, url: null });
  expect(origin).toBe('null');
  expect(seen.map(({ pixel }) => pixel)).toEqual([BLUE, BLUE, BLUE]);
});

test('if a server does not allow requests of sandboxed frames, the error names the missing header', async ({
  page,
  expectErrors,
}) => {
  expectErrors(/blocked by CORS policy|Failed to load resource/);
  const origin = await serve({});
  const frame = await openFrame(page, origin, inlineScript);
  const refusals = await frame.evaluate(
    async ({ workerUrl, model, blobSource }) => {
      const view = document.querySelector<HTMLElement>('#view') as HTMLElement;
      const { createEngine } = window.fencepost;
      const refusalOf = (promise: Promise<unknown>) =>
        promise.then(
          () => null,
          ({ name, code, message }) => ({ name, code, message }),
        );
      const created = [];
      for (const threading of ['render', 'render+rhi'] as const)
        created.push(await refusalOf(createEngine(view, { threading, workerUrl })));
      const blob = URL.createObjectURL(new Blob([blobSource], { type: 'text/javascript' }));
      created.push(await refusalOf(createEngine(view, { workerUrl: { engine: blob, assets: blob } })));
      const engine = await createEngine(view, { threading: 'single', workerUrl });
      const loaded = await refusalOf(engine.world.load(model));
      await engine.dispose();
      return { created, loaded };
    },
    { workerUrl: `${origin}/dist/worker.js`, model: `${origin}/draco.glb`, blobSource: 'postMessage(1)' },
  );
  const [render, both, blob] = refusals.created;
  for (const refusal of [render, both]) {
    expect(refusal).toMatchObject({ name: 'ThreadError', code: 'worker-failed-to-start' });
    expect(refusal?.message).toContain(`${origin}/dist/worker.js`);
    expect(refusal?.message).toContain('opaque origin');
    expect(refusal?.message).toContain('Access-Control-Allow-Origin: *');
  }
  expect(blob).toMatchObject({ code: 'worker-failed-to-start' });
  expect(blob?.message).toContain('no module worker from a blob: URL');
  // The frame can't fetch the asset worker's script either.
  expect(refusals.loaded).toMatchObject({ name: 'ThreadError', code: 'asset-worker-died' });
});
