// The `test` function of every end-to-end test. A test fails when the page, one of its workers or the GPU reports an
// error that the test did not announce with `expectErrors`. Fixtures provide the addresses of both servers.
//
//   import { expect, test } from './fixtures.js';
//   test('…', async ({ page, plainURL, expectErrors }) => {
//     expectErrors(/device was lost/);
//     await page.goto(`${plainURL}/e2e/pages/engine.html`);
//   });
import { type BrowserContext, test as base, type ConsoleMessage, type Page } from '@playwright/test';
import { HandedOnPages, type Report } from './handed-on-pages.js';
import type { PageTurn } from './page-turn.js';

export { expect } from '@playwright/test';

interface Fixtures {
  /** Origin of the server whose pages are cross-origin isolated; also the base URL. */
  readonly isolatedURL: string;
  /** Origin of the server without isolation headers. */
  readonly plainURL: string;
  /** Announces errors that the test provokes. Any other error fails the test. */
  readonly expectErrors: (pattern: RegExp) => void;
  /** Gives the test a page of its own. Otherwise tests use one page, one after the other. Default: false. */
  readonly hasFreshPage: boolean;
  /** The errors so far, for tests that check them themselves. */
  readonly pageErrors: string[];
}

interface OwnFixtures {
  readonly watchErrors: undefined;
  readonly expectedErrors: RegExp[];
  readonly turn: PageTurn;
}

export const test = base.extend<Fixtures & OwnFixtures, { readonly handedOnPages: HandedOnPages }>({
  isolatedURL: async ({}, use) => use(requireEnvironment('FENCEPOST_ISOLATED_URL')),
  plainURL: async ({}, use) => use(requireEnvironment('FENCEPOST_PLAIN_URL')),
  expectedErrors: async ({}, use) => use([]),
  expectErrors: async ({ expectedErrors }, use) => use((pattern) => void expectedErrors.push(pattern)),
  pageErrors: async ({}, use) => use([]),
  hasFreshPage: [false, { option: true }],
  handedOnPages: [
    async ({ browser }, use) => {
      const origins = ['FENCEPOST_ISOLATED_URL', 'FENCEPOST_PLAIN_URL'].map(requireEnvironment);
      await use(new HandedOnPages(browser, watch, origins));
    },
    { scope: 'worker' },
  ],
  turn: async ({ handedOnPages, pageErrors, viewport, deviceScaleFactor, hasFreshPage }, use, testInfo) => {
    const key = JSON.stringify([viewport, deviceScaleFactor, hasFreshPage && testInfo.testId]);
    const turn = await handedOnPages.take(key, (text) => pageErrors.push(text));
    await use(turn);
    if (pageErrors.length > 0 || testInfo.status !== testInfo.expectedStatus) turn.endAfterThis();
    await handedOnPages.giveBack(turn);
  },
  context: async ({ turn }, use) => use(turn.context),
  page: async ({ turn }, use) => use(await turn.page()),
  watchErrors: [
    async ({ context, pageErrors, expectedErrors }, use) => {
      await use(undefined);
      // A terminated worker may still be fetching its script through a route. That error is ignored.
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      const unexpected = pageErrors.filter((text) => !expectedErrors.some((pattern) => pattern.test(text)));
      if (unexpected.length > 0) {
        throw new Error(`The page reported errors this test did not expect:\n  ${unexpected.join('\n  ')}`);
      }
    },
    { auto: true },
  ],
});

/** Reports errors of all pages of a context, so that popups and second pages are included. */
function watch(context: BrowserContext, report: Report): void {
  context.on('weberror', (webError) => report(textOf(webError.error())));
  context.on('console', (message) => {
    if (isError(message)) report(`console.${message.type()}: ${message.text()}`);
  });
  // A page may close before its log is open. Then there is nothing to watch.
  context.on('page', (page) => void watchGpuErrors(page, report).catch(() => {}));
}

function isError(message: ConsoleMessage): boolean {
  return message.type() === 'error' && !/favicon\.ico/.test(message.location().url);
}

/**
 * Reports the GPU warnings of a page's log. Chromium logs uncaptured GPU errors and lost devices as warnings. A
 * worker's warnings appear only in the page's log, which Playwright does not pass on, so a CDP session reads
 * that log.
 */
async function watchGpuErrors(page: Page, report: Report): Promise<void> {
  page.on('crash', () => report('The page crashed.'));
  const session = await page.context().newCDPSession(page);
  session.on('Log.entryAdded', ({ entry }) => {
    if (entry.level === 'warning' && gpuMessage.test(entry.text)) report(`GPU: ${entry.text}`);
  });
  await session.send('Log.enable'); // also sends earlier entries
}

/**
 * Matches GPU messages. Validation messages name the call ("While calling …"). Other messages name WebGPU or
 * the device.
 */
const gpuMessage = / - While |\bW?GPU[A-Z]|WebGPU|\[(Invalid|Device)|device was lost|uncaptured/i;

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function requireEnvironment(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; playwright.config.ts sets it.`);
  return value;
}
