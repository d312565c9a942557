// Uses the packed library as its users do, without isolation headers: from Vite, from esbuild, from an import map
// without a bundler, and from another origin.

import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { build as esbuild } from 'esbuild';
import { createServer as createViteServer, build as viteBuild } from 'vite';
import { findGrowth } from '../../scripts/lib/size-guard.mjs';
import { timeLimit } from '../../scripts/lib/time-limits.mjs';
import { measureSizes, readRecordedSizes } from '../../scripts/size.mjs';
import { expect, test } from '../fixtures.js';
import { createSandbox, example, projectRoot, runTool, type Sandbox } from './consumer.js';
import { expectAssetWorker, expectCube, expectFeatures } from './expect-cube.js';
import { expectSite, mainJavaScript, mainTypeScript, pageWith } from './site.js';
import { serveStatic } from './static-server.js';
import { appUsing, listExports } from './typescript-app.js';

/** Files that `index.js` names with `new URL`. */
const WORKER_FILES = [
  'worker.js',
  'worker-tools.js',
  'asset-worker.js',
  'task-worker.js',
  'decoder-basis.js',
  'decoder-draco.js',
  'decoders.js',
];

test.describe.configure({ timeout: timeLimit(120_000) });

let sandbox: Sandbox;
test.beforeAll(() => {
  sandbox = createSandbox();
});
test.afterAll(() => sandbox?.dispose());

test('the README shows the example that is tested here', () => {
  expect(readFileSync(join(projectRoot, 'README.md'), 'utf8')).toContain(example.trim());
});

test('dist/ needs no bundler: it has no bare imports, and each worker is one file', async () => {
  const dist = join(sandbox.createConsumer('inspect', {}), 'node_modules/fencepost/dist');
  const importsOf = async (name: string) => {
    const options = { bundle: true, write: false, metafile: true, format: 'esm', logLevel: 'error' } as const;
    const { metafile } = await esbuild({ ...options, entryPoints: [join(dist, name)], external: ['*'] });
    return Object.values(metafile.outputs).flatMap((output) => output.imports.map((each) => each.path));
  };
  for (const name of WORKER_FILES) {
    expect(await importsOf(name)).toEqual([]);
    // Vite turns smaller files into `data:` addresses, which `script-src 'self'` refuses.
    expect(statSync(join(dist, name)).size, name).toBeGreaterThanOrEqual(4096);
  }
  for (const name of ['index.js', 'rhi.js', 'tasks.js', 'math.js', 'shaders.js', 'single.js', 'tools.js']) {
    expect((await importsOf(name)).filter((path) => !['./single.js', './tools.js'].includes(path))).toEqual(
      [],
    );
  }
  for (const name of ['inline.js', 'element.js']) {
    expect(new Set(await importsOf(name))).toEqual(new Set(['./index.js']));
  }
  // A page has one copy of React, which its bundler provides.
  const react = ['react', 'react-reconciler', 'react-reconciler/constants.js'];
  expect(new Set(await importsOf('react.js'))).toEqual(new Set(['./index.js', ...react]));
  expect(new Set(await importsOf('development-react.js'))).toEqual(new Set(['./development.js', ...react]));
  const scripts = readdirSync(dist).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeLessThanOrEqual(30);
});

test('no script of dist/ and no page has grown by more than 5 % since its size was recorded', async ({
  browser,
}) => {
  // A dozen pages load one after the other.
  test.slow();
  const dist = join(sandbox.createConsumer('size', {}), 'node_modules/fencepost/dist');
  const growth = findGrowth(readRecordedSizes(), await measureSizes({ dist, browser }));
  expect(growth, 'files that have grown; npm run size prints details').toEqual([]);
});

test('a production bundle has no code that only development needs', async () => {
  const root = sandbox.createConsumer('production', { 'main.ts': mainTypeScript });
  await bundleWithEsbuild(root, 'main.ts');
  const text = readFileSync(join(root, 'public/main.js'), 'utf8');
  // One proxy is comlink's, and one is for effects. Development checks would add a proxy for each class of the
  // API.
  expect(text.match(/new Proxy/g)).toHaveLength(2);
  expect(text).not.toContain('is destroyed, so its');
  expect(readFileSync(join(root, 'node_modules/fencepost/dist/development.js'), 'utf8')).toContain(
    'is destroyed, so its',
  );
});

test('publint and are-the-types-wrong find nothing', () => {
  runTool('publint/src/cli.js', ['run', sandbox.tarball, '--strict']);
  const withoutTypes = [...WORKER_FILES, 'package.json'];
  runTool('@arethetypeswrong/cli/dist/index.js', [
    sandbox.tarball,
    '--profile',
    'esm-only',
    '--exclude-entrypoints',
    ...withoutTypes,
  ]);
});

test('the package type-checks in a project without @webgpu/types', () => {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom'],
    types: [],
    skipLibCheck: false,
  };
  const root = sandbox.createConsumer('types', {
    'main.ts': `${example}\nexport * as inline from 'fencepost/inline';\nexport * as rhi from 'fencepost/rhi';\nexport * as tasks from 'fencepost/tasks';\nexport * as math from 'fencepost/math';\nexport * as shaders from 'fencepost/shaders';\nexport * as element from 'fencepost/element';\n`,
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['main.ts'] }),
  });
  runTool('typescript/bin/tsc', ['-p', root]);
});

test('a TypeScript app that uses every export of every entry point compiles', () => {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom'],
    skipLibCheck: true,
  };
  const root = sandbox.createConsumer('types-app', {
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['main.ts'] }),
  });
  // `fencepost/testing` needs Playwright.
  // `fencepost/react` needs the types of React.
  mkdirSync(join(root, 'node_modules/@types'), { recursive: true });
  for (const name of ['@playwright', 'playwright', 'playwright-core', '@types/react'])
    symlinkSync(join(projectRoot, 'node_modules', name), join(root, 'node_modules', name));
  const entries = listExports(root);
  expect(entries.map(({ specifier }) => specifier)).toEqual([
    'fencepost',
    'fencepost/rhi',
    'fencepost/tasks',
    'fencepost/element',
    'fencepost/react',
    'fencepost/math',
    'fencepost/shaders',
    'fencepost/testing',
    'fencepost/inline',
  ]);
  for (const { specifier, values } of entries)
    expect(values.length, specifier).toBeGreaterThan(specifier === 'fencepost/element' ? 0 : 7);
  writeFileSync(join(root, 'main.ts'), appUsing(entries));
  runTool('typescript/bin/tsc', ['-p', root]);
});

/** Assigns an unknown property to the engine. Returns the error's message, or null if there is none. */
const slip = (page: Page): Promise<string | null> =>
  page.evaluate(() => {
    try {
      Object.assign((globalThis as unknown as { engine: object }).engine, { exposre: 2 });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  });

test('a fresh Vite page draws the cube, from its production build', async ({ page }) => {
  const root = sandbox.createConsumer('vite', {
    'index.html': pageWith('<script type="module" src="./main.ts"></script>'),
    'main.ts': mainTypeScript,
  });
  await viteBuild({ root, configFile: false, logLevel: 'error', build: { target: 'es2022' } });
  await expectSite(page, join(root, 'dist'));
});

test('a fresh Vite page draws the cube, served by the development server', async ({ page }) => {
  const root = sandbox.createConsumer('vite-dev', {
    'index.html': pageWith('<script type="module" src="./main.ts"></script>'),
    'main.ts': mainTypeScript,
  });
  // An earlier build in this process has set NODE_ENV, which overrides the server's mode.
  process.env.NODE_ENV = 'development';
  const server = await createViteServer({
    root,
    configFile: false,
    logLevel: 'error',
    server: { port: 0, host: 'localhost', hmr: false, watch: null },
  });
  try {
    await server.listen();
    await page.goto(server.resolvedUrls?.local[0] ?? '');
    await expectCube(page);
    await expectAssetWorker(page);
    await expectFeatures(page);
    // Only this server builds pages for development. All other pages of this file are built for production.
    expect(await slip(page)).toMatch(/The engine has no option "exposre". Did you mean "exposure"/);
  } finally {
    await server.close();
    delete process.env.NODE_ENV;
  }
});

test('a fresh esbuild page draws the cube, with the workers copied beside the bundle', async ({ page }) => {
  const root = sandbox.createConsumer('esbuild', { 'main.ts': mainTypeScript });
  await bundleWithEsbuild(root, 'main.ts');
  for (const name of WORKER_FILES) {
    cpSync(join(root, 'node_modules/fencepost/dist', name), join(root, 'public', name));
  }
  await expectSite(page, join(root, 'public'));
});

test('a fresh esbuild page draws the cube, with the workers elsewhere and workerUrl', async ({ page }) => {
  const source = mainTypeScript.replace(
    "document.querySelector('canvas')!",
    "document.querySelector('canvas')!, { workerUrl: 'vendor/worker.js' }",
  );
  const root = sandbox.createConsumer('esbuild-worker-url', { 'main.ts': source });
  await bundleWithEsbuild(root, 'main.ts');
  for (const name of WORKER_FILES) {
    cpSync(join(root, 'node_modules/fencepost/dist', name), join(root, 'public/vendor', name));
  }
  await expectSite(page, join(root, 'public'));
});

test('a fresh esbuild page draws the cube as one file, through fencepost/inline', async ({ page }) => {
  const source = mainTypeScript.replace("'fencepost'", "'fencepost/inline'");
  const root = sandbox.createConsumer('inline', { 'main.ts': source });
  await bundleWithEsbuild(root, 'main.ts');
  await expectSite(page, join(root, 'public'));
});

test('a page without a bundler draws the cube, through an import map', async ({ page }) => {
  const imports = { fencepost: './node_modules/fencepost/dist/index.js' };
  const root = sandbox.createConsumer('import-map', { 'index.html': pageWithImportMap(imports) });
  await expectSite(page, root);
});

test('a page draws the cube with the library on another origin', async ({ page }) => {
  const library = sandbox.createConsumer('other-origin', {});
  const host = await serveStatic(join(library, 'node_modules/fencepost/dist'), { allowOrigins: true });
  const site = join(library, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), pageWithImportMap({ fencepost: `${host.origin}/index.js` }));
  await expectSite(page, site);
  await host.close();
});

test('a Vite page draws the cube with its bundle on another origin', async ({ page }) => {
  const root = sandbox.createConsumer('vite-other-origin', {
    'index.html': pageWith('<script type="module" src="./main.ts"></script>'),
    'main.ts': mainTypeScript,
  });
  const host = await serveStatic(join(root, 'dist'), { allowOrigins: true });
  const base = `${host.origin}/`;
  await viteBuild({ root, base, configFile: false, logLevel: 'error', build: { target: 'es2022' } });
  const site = join(root, 'site');
  mkdirSync(site);
  cpSync(join(root, 'dist/index.html'), join(site, 'index.html'));
  await expectSite(page, site);
  await host.close();
});

test('the flight recorder works in each mode, from fencepost and from fencepost/inline', async ({ page }) => {
  const root = sandbox.createConsumer('flight-recorder', {
    'index.html': pageWith('<script type="module">globalThis.isLoaded = true;</script>'),
  });
  const server = await serveStatic(root);
  try {
    await page.goto(`${server.origin}/`);
    await page.waitForFunction(() => 'isLoaded' in window);
    for (const entry of ['index', 'inline']) {
      const byteLengths = await page.evaluate(async (file) => {
        const { createEngine, boxGeometry, standardMaterial } = (await import(file)) as Window['fencepost'];
        const found: Record<string, number> = {};
        for (const threading of ['single', 'render', 'render+rhi'] as const) {
          const view = document.body.appendChild(document.createElement('canvas'));
          view.style.cssText = 'width:32px;height:32px';
          const engine = await createEngine(view, { threading, flightRecorder: true });
          const { world } = engine;
          world.addCamera({ position: [0, 0, 4] });
          world.addMesh({ geometry: boxGeometry(), material: standardMaterial() });
          engine.addEventListener('error', () => {});
          const recording = new Promise<ArrayBuffer>((resolve) =>
            engine.addEventListener('flightrecording', ({ detail }) => resolve(detail.file)),
          );
          await engine.step(0.1);
          world.onTick(() => {
            throw new Error('a slip of the page');
          });
          await engine.step(0.1);
          found[threading] = (await recording).byteLength;
          await engine.dispose();
        }
        return found;
      }, `/node_modules/fencepost/dist/${entry}.js`);
      for (const threading of ['single', 'render', 'render+rhi'])
        expect(byteLengths[threading]).toBeGreaterThan(1000);
    }
  } finally {
    await server.close();
  }
});

test('R9: errors of textures keep their codes in a bundled page, and the scene continues', async ({
  page,
}) => {
  const imports = { fencepost: './node_modules/fencepost/dist/index.js' };
  const script = "import * as fencepost from 'fencepost'; Object.assign(globalThis, { fencepost });";
  const root = sandbox.createConsumer('refusals', {
    'index.html': pageWith(
      `<script type="importmap">${JSON.stringify({ imports })}</script><script type="module">${script}</script>`,
    ),
  });
  const server = await serveStatic(root);
  try {
    await page.goto(`${server.origin}/`);
    await page.waitForFunction(() => 'fencepost' in window);
    const results = await page.evaluate(async () => {
      const { createEngine, boxGeometry, texture, unlitMaterial } = window.fencepost;
      const outcomes = [];
      for (const threading of ['single', 'render', 'render+rhi'] as const) {
        const view = document.body.appendChild(document.createElement('canvas'));
        view.style.cssText = 'width:32px;height:32px';
        const engine = await createEngine(view, { threading, background: '#000' });
        const codes: string[] = [];
        engine.addEventListener('error', ({ detail }) => codes.push(`${detail.name} ${detail.code}`));
        const { world } = engine;
        world.addCamera({ position: [0, 0, 4] });
        world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#f00' }) });
        const data = new Uint8Array(9000 * 4);
        const wide = unlitMaterial({ baseColorTexture: texture({ width: 9000, height: 1, data }) });
        const other = world.addMesh({ geometry: boxGeometry(), material: wide });
        other.position.set(9, 0, 0);
        await engine.step(0);
        await engine.step(0);
        const picture = await engine.captureFrame();
        const center = 4 * ((picture.height >> 1) * picture.width + (picture.width >> 1));
        outcomes.push({ codes, pixel: [...picture.data.slice(center, center + 3)] });
        await engine.dispose();
      }
      return outcomes;
    });
    expect(results).toEqual(Array(3).fill({ codes: ['AssetError texture-too-large'], pixel: [255, 0, 0] }));
  } finally {
    await server.close();
  }
});

function pageWithImportMap(imports: Readonly<Record<string, string>>): string {
  const map = JSON.stringify({ imports });
  return pageWith(`<script type="importmap">${map}</script><script type="module">${mainJavaScript}</script>`);
}

async function bundleWithEsbuild(root: string, entry: string): Promise<void> {
  const outdir = join(root, 'public');
  await esbuild({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    logLevel: 'error',
  });
  writeFileSync(join(outdir, 'index.html'), pageWith('<script type="module" src="./main.js"></script>'));
}
