// The packed library in Next.js, by both of its bundlers, and in React under StrictMode: with the component that
// docs/guide/bundlers.md prints.

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
  // React and Next.js are this project's own, found in a folder above, as in a repository of several packages.
  sandbox = createSandbox(join(projectRoot, 'test-results'));
});
test.afterAll(() => sandbox?.dispose());

const guide = readFileSync('docs/guide/bundlers.md', 'utf8');
const blocks = new Map(
  [...guide.matchAll(/^```jsx (\S+)\n(.*?)^```$/gms)].map(([, file = '', code = '']) => [file, code]),
);
const printed = (file: string): string => blocks.get(file) ?? '';

/** The component as printed, whose engines come and go in `window.engines` as well. */
const scene = printed('scene.jsx')
  .replace('engine.start();', '$& globalThis.engines.add(engine);')
  .replace('engine.dispose()', '(globalThis.engines.delete(engine), globalThis.ended++, $&)');

/** The engine that is left where so many have ended. */
const findEngine = (ended: number): string => `
  globalThis.engines = new Set();
  globalThis.ended = 0;
  Object.defineProperty(globalThis, 'engine', { configurable: true, get: () => (ended === ${ended} ? [...engines][0] : undefined) });
`;

test('from a fresh Next.js page, built by Turbopack and by webpack', async ({ page }) => {
  process.env.NEXT_TELEMETRY_DISABLED = '1';
  // Next.js obeys an environment's NODE_ENV, and its build for production fails under that of a development machine.
  Object.assign(process.env, { NODE_ENV: 'production' });
  for (const bundler of ['turbopack', 'webpack']) {
    const root = sandbox.createConsumer(`next-${bundler}`, {
      // Its own: that of the folder above is not meant.
      'jsconfig.json': '{}',
      // React and Next.js lie in a folder above, which a project of its own need not say.
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

test('in React, under StrictMode: its second engine draws in a canvas of its own', async ({ page }) => {
  const root = sandbox.createConsumer('react', {
    // Its own: that of the folder above is not meant.
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
    // React runs effects twice in development only.
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
