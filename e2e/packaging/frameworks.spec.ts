// Uses the packed library in Next.js, built by both bundlers of Next.js, and in React under StrictMode. The
// component is that of docs/guide/bundlers.md.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { timeLimit } from '../../scripts/lib/time-limits.mjs';
import { expect, test } from '../fixtures.js';
import { createSandbox, projectRoot, runTool, type Sandbox } from './consumer.js';
import { expectSite } from './site.js';

test.describe.configure({ timeout: timeLimit(600_000) });

let sandbox: Sandbox;
test.beforeAll(() => {
  // React and Next.js are installed in this project's folder, above the consumer's, as in a repository of
  // several packages.
  sandbox = createSandbox(join(projectRoot, 'test-results'));
});
test.afterAll(() => sandbox?.dispose());

const guide = readFileSync('docs/guide/bundlers.md', 'utf8');
const blocks = new Map(
  [...guide.matchAll(/^```jsx (\S+)\n(.*?)^```$/gms)].map(([, file = '', code = '']) => [file, code]),
);
const printed = (file: string): string => blocks.get(file) ?? '';

/** The component as printed, changed only to track its engines in `globalThis.engines`. */
const scene = printed('scene.jsx')
  .replace('engine.start();', '$& globalThis.engines.add(engine);')
  .replace('engine.dispose()', '(globalThis.engines.delete(engine), globalThis.ended++, $&)');

/**
 * Returns code that defines `globalThis.engine`: the engine that remains once `ended` engines have been
 * disposed of.
 */
const findEngine = (ended: number): string => `
  globalThis.engines = new Set();
  globalThis.ended = 0;
  Object.defineProperty(globalThis, 'engine', { configurable: true, get: () => (ended === ${ended} ? [...engines][0] : undefined) });
`;

test('a fresh Next.js page draws the cube, built by Turbopack and by webpack', async ({ page }) => {
  process.env.NEXT_TELEMETRY_DISABLED = '1';
  // Next.js reads NODE_ENV, and its production build fails with a development value.
  Object.assign(process.env, { NODE_ENV: 'production' });
  for (const bundler of ['turbopack', 'webpack']) {
    const root = sandbox.createConsumer(`next-${bundler}`, {
      // Without this file, Next.js would use the jsconfig.json of the folder above.
      'jsconfig.json': '{}',
      // React and Next.js lie in a folder above, so their root is given here. Other projects do not need it.
      'next.config.mjs': `const root = ${JSON.stringify(projectRoot.replace(/\/$/, ''))};
        export default { output: 'export', outputFileTracingRoot: root, turbopack: { root } };`,
      'app/layout.jsx':
        'export default ({ children }) => <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;',
      'app/page.jsx': printed('app/page.jsx'),
      'app/scene.jsx': `'use client';\n${scene.replace('export function', `${findEngine(0)} $&`)}`,
    });
    runTool('next/dist/bin/next', ['build', `--${bundler}`], root);
    await expectSite(page, join(root, 'out'));
  }
});

test('in React under StrictMode, the second engine draws in its own canvas', async ({ page }) => {
  const root = sandbox.createConsumer('react', {
    // Without this file, esbuild would use the tsconfig.json of the folder above.
    'tsconfig.json': '{}',
    'scene.jsx': scene.replace('export function', `${findEngine(1)} $&`),
    'main.jsx': `
      import { StrictMode } from 'react';
      import { createRoot } from 'react-dom/client';
      import { Scene } from './scene.jsx';
      createRoot(document.querySelector('#root')).render(<StrictMode><Scene /></StrictMode>);
    `,
  });
  const out = join(root, 'public');
  await build({
    absWorkingDir: root,
    entryPoints: ['main.jsx'],
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    // React runs effects twice only in development.
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'error',
  });
  const dist = join(root, 'node_modules/fencepost/dist');
  mkdirSync(out, { recursive: true });
  for (const file of readdirSync(dist).filter((each) => each.includes('worker'))) {
    copyFileSync(join(dist, file), join(out, file));
  }
  writeFileSync(
    join(out, 'index.html'),
    `<!doctype html><title>React</title><link rel="icon" href="data:,">
     <div id="root" style="width: 128px; height: 96px"></div><script type="module" src="./main.js"></script>`,
  );
  await expectSite(page, out);
  await expect(page.locator('canvas')).toHaveCount(1);
});
