// End-to-end tests in a real Chromium, WebGPU on SwiftShader. Two development servers serve the same files: one
// with the headers that isolate a page (shared memory between threads), one without, as a plain static host does.
// No retries: nothing here depends on luck. `globalSetup` first proves that this browser renders at all.
import { defineConfig } from '@playwright/test';
import { findChromium } from './scripts/find-chromium.mjs';
import { timeLimit } from './scripts/lib/time-limits.mjs';
import { chromiumLaunchOptions } from './src/testing/launch-options.js';

const isolatedPort = Number(process.env.FENCEPOST_ISOLATED_PORT ?? 5183);
const plainPort = Number(process.env.FENCEPOST_PLAIN_PORT ?? 5184);

// Workers and fixtures read the addresses from here.
process.env.FENCEPOST_ISOLATED_URL = `http://localhost:${isolatedPort}`;
process.env.FENCEPOST_PLAIN_URL = `http://localhost:${plainPort}`;

/** Files that take ten seconds of processor time or more. Most files that come early by their names are left out. */
const LONG = [
  'soak',
  'allocations',
  'worlds',
  'conformance',
  'khronos',
  'packaging',
  'bundlers',
  'frameworks',
  'react',
  'demo',
  'device-loss',
  'gallery',
  'worker-death',
  'render-modules',
  'shadows',
  'timeline',
  'view-canvases',
  'views',
  'reference',
  'parity',
].map((name) => `**/${name}.spec.ts`);

function serve(port: number, isIsolated: boolean) {
  return {
    command: 'node scripts/start.mjs',
    url: `http://localhost:${port}/e2e/pages/blank.html`,
    env: {
      FENCEPOST_PORT: String(port),
      FENCEPOST_ISOLATION: isIsolated ? 'on' : 'off',
      FENCEPOST_TESTS: '1',
    },
    reuseExistingServer: false,
    timeout: timeLimit(120_000),
  };
}

export default defineConfig({
  testDir: 'e2e',
  tsconfig: './tsconfig.e2e.json',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/global-setup.ts',
  outputDir: 'test-results/e2e',
  forbidOnly: Boolean(process.env.CI),
  fullyParallel: false,
  // A third browser makes the tests slower on two cores.
  workers: 2,
  retries: 0,
  // Tests in every mode take 15 s on an idle machine, and 2 min on a busy one.
  timeout: timeLimit(300_000),
  // A busy machine delays everything. A shorter wait would find no further fault.
  expect: { timeout: timeLimit(30_000) },
  reporter: process.env.FENCEPOST_E2E_JSON
    ? [['list'], ['json', { outputFile: process.env.FENCEPOST_E2E_JSON }]]
    : [['list']],
  use: {
    baseURL: process.env.FENCEPOST_ISOLATED_URL,
    launchOptions: chromiumLaunchOptions({ executablePath: findChromium() }),
    viewport: { width: 640, height: 480 },
    deviceScaleFactor: 1,
    trace: 'off',
  },
  // Long tests begin first, so that no worker is left with one at the end.
  projects: [
    { name: 'long', testMatch: LONG },
    { name: 'e2e', testIgnore: LONG },
  ],
  webServer: [serve(isolatedPort, true), serve(plainPort, false)],
});
