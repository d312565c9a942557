// Runs each program of docs/guide/rhi.md and docs/guide/rhi-reference.md as printed, and compares its output.
// The triangle and the compute pass also run in Node as the page says, if Dawn and its driver are installed.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContext, Page } from '@playwright/test';
import { PNG } from 'pngjs';
import { expect, test } from '../fixtures.js';
import { openDawn } from './dawn.js';
import { bundleBlock, guideBlock, guideBlocks, typeErrors } from './guide-blocks.js';

/** Files that other programs import, so they do not run alone. */
const PARTS = ['setup.ts', 'list-worker.ts', 'fence-worker.ts', 'node-gpu.mjs'];
const programs = [...guideBlocks.keys()].filter((file) => !PARTS.includes(file));

/** Serves the blocks as `/guide/triangle.js` and so on, with isolation headers if the page has them. */
async function serveBlocks(context: BrowserContext): Promise<void> {
  await context.route('**/guide/*.js*', async (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const file = pathname.split('/').at(-1)?.replace(/js$/, 'ts') ?? '';
    await route.fulfill({
      contentType: 'text/javascript',
      headers: { 'Cross-Origin-Embedder-Policy': 'require-corp' },
      body: await bundleBlock(file, searchParams.has('validated')),
    });
  });
}

/** Runs a block to its end. Returns the printed lines as a console shows them, including errors. */
async function run(page: Page, file: string, origin = '', query = ''): Promise<string[]> {
  await serveBlocks(page.context());
  await page.goto(`${origin}/e2e/rhi/guide.html`);
  return page.evaluate(
    async (url) => {
      const lines: string[] = [];
      const shown = (value: unknown) => (typeof value === 'bigint' ? `${value}n` : String(value));
      console.log = (...values: unknown[]) => lines.push(values.map(shown).join(' '));
      console.error = console.log;
      await import(url);
      return lines;
    },
    `/guide/${file.replace(/ts$/, 'js')}${query}`,
  );
}

test('the page has these programs, and each states its output', () => {
  for (const file of ['triangle.ts', 'compute.ts', 'deferred.ts']) expect(programs).toContain(file);
  for (const file of programs) expect(guideBlock(file).prints, file).not.toEqual([]);
});

test('the code of both pages compiles', () => {
  expect(typeErrors()).toEqual([]);
});

for (const file of programs) {
  test(`${file} prints the output that the page shows`, async ({ page }) => {
    expect(await run(page, file)).toEqual(guideBlock(file).prints);
  });
}

// Blocks that create no RHI on the page, or already validate, are left out.
for (const file of programs.filter((name) => name !== 'validation.ts')) {
  test(`H8: ${file} prints the same output with validation`, async ({ page }) => {
    expect(await run(page, file, '', '?validated')).toEqual(guideBlock(file).prints);
  });
}

test('shared-fences.ts prints the same output on pages that are not isolated', async ({ page, plainURL }) => {
  expect(await run(page, 'shared-fences.ts', plainURL)).toEqual(guideBlock('shared-fences.ts').prints);
});

test('triangle.ts shows a green triangle on the canvas', async ({ page }) => {
  await run(page, 'triangle.ts');
  const { data, width, height } = PNG.sync.read(await page.locator('canvas').screenshot());
  expect([width, height]).toEqual([64, 64]);
  const texel = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
  expect([texel(32, 12), texel(12, 54), texel(52, 54)]).toEqual(Array(3).fill([0, 255, 0]));
  expect([texel(2, 2), texel(61, 2), texel(32, 2), texel(32, 61)]).toEqual(Array(4).fill([0, 0, 0]));
});

test.describe('in Node', () => {
  let noDawn = '';
  let environment: NodeJS.ProcessEnv = {};

  test.beforeAll(async () => {
    const dawn = await openDawn();
    if (typeof dawn === 'string') {
      noDawn = dawn;
      return;
    }
    dawn.close();
    // Child processes need the driver, and Vulkan's loader beside it.
    const folder = dirname(process.env.VK_ICD_FILENAMES ?? '');
    const LD_LIBRARY_PATH = [folder, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
    environment = { ...process.env, LD_LIBRARY_PATH };
  });

  for (const file of ['triangle.ts', 'compute.ts', 'deferred.ts']) {
    test(`${file} prints the same output and ends`, async ({ browserName: _ }, testInfo) => {
      test.skip(noDawn !== '', noDawn);
      const folder = testInfo.outputPath('guide');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'node-gpu.mjs'), guideBlock('node-gpu.mjs').code);
      writeFileSync(join(folder, 'program.mjs'), await bundleBlock(file));
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--import', './node-gpu.mjs', 'program.mjs'],
        { cwd: folder, env: environment },
      );
      expect(stdout.trim().split('\n')).toEqual(guideBlock(file).prints);
    });
  }
});
