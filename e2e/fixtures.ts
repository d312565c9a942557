// The `test` of every end-to-end test: it fails when the page, one of its workers or the GPU reported an error
// that the test did not announce with `expectErrors`. Addresses of both servers come as fixtures.
//
//   import { expect, test } from './fixtures.js';
//   test('…', async ({ page, plainURL, expectErrors }) => {
//     expectErrors(/device was lost/);
//     await page.goto(`${plainURL}/e2e/pages/cube.html`);
//   });
import { test as base, type ConsoleMessage } from '@playwright/test';

export { expect } from '@playwright/test';

interface Fixtures {
  /** Origin of the server whose pages are cross-origin isolated; also the base URL. */
  readonly isolatedURL: string;
  /** Origin of the server without isolation headers. */
  readonly plainURL: string;
  /** Announces errors this test provokes; all others fail it. */
  readonly expectErrors: (pattern: RegExp) => void;
  /** What went wrong so far; for tests that read it themselves. */
  readonly pageErrors: string[];
}

export const test = base.extend<Fixtures & { watchErrors: undefined; expectedErrors: RegExp[] }>({
  isolatedURL: async ({}, use) => use(requireEnvironment('FENCEPOST_ISOLATED_URL')),
  plainURL: async ({}, use) => use(requireEnvironment('FENCEPOST_PLAIN_URL')),
  expectedErrors: async ({}, use) => use([]),
  expectErrors: async ({ expectedErrors }, use) => use((pattern) => void expectedErrors.push(pattern)),
  pageErrors: async ({}, use) => use([]),
  watchErrors: [
    async ({ context, pageErrors, expectedErrors }, use) => {
      // Of the context, so that popups and second pages are watched too. Console messages of workers are included.
      context.on('weberror', (webError) => pageErrors.push(textOf(webError.error())));
      context.on('console', (message) => {
        if (isError(message)) pageErrors.push(`console.${message.type()}: ${message.text()}`);
      });
      context.on('page', (page) => page.on('crash', () => pageErrors.push('The page crashed.')));
      await use(undefined);
      const unexpected = pageErrors.filter((text) => !expectedErrors.some((pattern) => pattern.test(text)));
      if (unexpected.length > 0) {
        throw new Error(`The page reported errors this test did not expect:\n  ${unexpected.join('\n  ')}`);
      }
    },
    { auto: true },
  ],
});

/** Chromium reports uncaptured GPU errors and lost devices as warnings; three and Vite warn about other things. */
function isError(message: ConsoleMessage): boolean {
  const text = message.text();
  if (message.type() === 'error') return !/favicon\.ico/.test(message.location().url);
  return (
    message.type() === 'warning' &&
    /\[(Invalid|Device)|WebGPU|GPUDevice|device was lost|uncaptured/i.test(text)
  );
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function requireEnvironment(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; playwright.config.ts sets it.`);
  return value;
}
