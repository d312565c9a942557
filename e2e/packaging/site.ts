// The page that every consumer builds, and the checks that it must pass.
import type { Page } from '@playwright/test';
import { transformSync } from 'esbuild';
import { example } from './consumer.js';
import { expectAssetWorker, expectCube, expectFeatures } from './expect-cube.js';
import { serveStatic } from './static-server.js';

/** The ten-line example, plus a line that exposes the engine to the test. */
export const mainTypeScript = `${example}\n(globalThis as { engine?: unknown }).engine = engine;\n`;
export const mainJavaScript = transformSync(mainTypeScript, { loader: 'ts', format: 'esm' }).code;

export const pageWith = (head: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Cube</title><link rel="icon" href="data:,"></head>
<body><canvas style="width: 128px; height: 96px"></canvas>${head}</body>
</html>`;

/** Serves the folder without isolation headers and checks its page. */
export async function expectSite(page: Page, folder: string): Promise<void> {
  const server = await serveStatic(folder);
  try {
    await page.goto(`${server.origin}/`);
    await expectCube(page);
    await expectAssetWorker(page);
    await expectFeatures(page);
  } finally {
    await server.close();
  }
}
