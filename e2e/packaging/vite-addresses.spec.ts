// Tests pages built by Vite whose code refers to files by address: the library's worker files, and task
// modules. The configuration, the program and the task module are those of docs/guide/bundlers.md.

import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { build as viteBuild } from 'vite';
import { timeLimit } from '../../scripts/lib/time-limits.mjs';
import { expect, test } from '../fixtures.js';
import { createSandbox, projectRoot, type Sandbox } from './consumer.js';
import { pageWith } from './site.js';
import { serveStatic } from './static-server.js';

const guide = readFileSync('docs/guide/bundlers.md', 'utf8');
const printed = (file: string): string =>
  new RegExp(`^\`\`\`js ${file.replace('.', '\\.')}\n(.*?)^\`\`\`$`, 'ms').exec(guide)?.[1] ?? '';

const WAVES = {
  'main.js': printed('main.js'),
  'waves.js': printed('waves.js'),
  'sum.js': printed('sum.js'),
};

test.describe.configure({ timeout: timeLimit(120_000) });

let sandbox: Sandbox;
test.beforeAll(() => {
  // Consumers lie in the project's folder, so that the guide's configuration finds Vite.
  sandbox = createSandbox(join(projectRoot, 'test-results/packaging'));
});
test.afterAll(() => sandbox?.dispose());

test("blended materials are drawn under script-src 'self': no worker file is a data: address", async ({
  page,
}) => {
  const root = sandbox.createConsumer('vite-policy', {
    'index.html': pageWith('<script type="module" src="./main.js"></script>'),
    'main.js': `
      import { boxGeometry, createEngine, unlitMaterial } from 'fencepost';
      const engine = await createEngine(document.querySelector('canvas'), { antialias: 1, background: '#00f' });
      const errors = [];
      engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
      engine.world.addCamera({ position: [0, 0, 2] });
      const material = unlitMaterial({ baseColor: '#f00', opacity: 0.5 });
      engine.world.addMesh({ geometry: boxGeometry(), material });
      await engine.whenReady();
      await engine.step(0);
      const { data, width, height } = await engine.captureFrame();
      const middle = ((height >> 1) * width + (width >> 1)) * 4;
      globalThis.seen = { errors, pixel: [...data.slice(middle, middle + 4)] };`,
  });
  await viteBuild({ root, configFile: false, logLevel: 'error', build: { target: 'es2022' } });
  const contentSecurityPolicy = "script-src 'self'; worker-src 'self'";
  const server = await serveStatic(join(root, 'dist'), { contentSecurityPolicy });
  try {
    await page.goto(`${server.origin}/`);
    const seen = await page.waitForFunction(() => (globalThis as { seen?: object }).seen);
    expect(await seen.jsonValue()).toEqual({ errors: [], pixel: [188, 0, 188, 255] });
  } finally {
    await server.close();
  }
});

for (const bundler of ['vite', 'esbuild']) {
  test(`a task module that imports others works, built as the guide says: ${bundler}`, async ({ page }) => {
    const root = sandbox.createConsumer(`tasks-${bundler}`, {
      'index.html': pageWith('<script type="module" src="./main.js"></script>'),
      'vite.config.js': printed('vite.config.js'),
      ...WAVES,
    });
    if (bundler === 'vite') {
      await viteBuild({
        root,
        configFile: join(root, 'vite.config.js'),
        logLevel: 'error',
        build: { target: 'es2022' },
      });
    } else {
      // esbuild main.js waves.js --bundle --splitting --format=esm --outdir=dist
      const options = { bundle: true, splitting: true, format: 'esm', logLevel: 'error' } as const;
      await esbuild({
        ...options,
        absWorkingDir: root,
        entryPoints: ['main.js', 'waves.js'],
        outdir: 'dist',
      });
      copyFileSync(join(root, 'index.html'), join(root, 'dist/index.html'));
      copyFileSync(
        join(root, 'node_modules/fencepost/dist/task-worker.js'),
        join(root, 'dist/task-worker.js'),
      );
    }
    const server = await serveStatic(join(root, 'dist'));
    const printedLine = page.waitForEvent('console', (message) => message.type() !== 'debug');
    try {
      await page.goto(`${server.origin}/`);
      expect((await printedLine).text()).toBe('42');
    } finally {
      await server.close();
    }
  });
}
