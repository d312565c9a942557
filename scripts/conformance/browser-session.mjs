// A headless Chromium that shows the runner's page. It collects events that are visible only outside the page: uncaught
// exceptions, crashes of the page, and messages of Chromium's log about GPU errors and lost devices.
import { setTimeout as delay } from 'node:timers/promises';

/** Limit for the start of the page, its workers and its first pipelines, in milliseconds. */
const START_LIMIT = 120_000;

/**
 * Recognises messages of WebGPU. Validation messages name their origin ("While calling …"); others name WebGPU or the
 * device.
 */
const gpuMessage = / - While |\bW?GPU[A-Z]|WebGPU|\[(Invalid|Device)|device was lost|uncaptured/i;

/**
 * @typedef {{ kind: 'crash' | 'hang' | 'device-lost' | 'gpu-error' | 'untyped', message: string }} Failure
 * @typedef {{
 *   chromium: import('playwright').BrowserType,
 *   launchOptions: object,
 *   origin: string,
 *   inspectOptions: Omit<import('../../e2e/pages/conformance.js').InspectOptions, 'limit'>,
 *   prepare?: (context: import('playwright').BrowserContext) => Promise<void>,
 * }} SessionOptions
 */

export class BrowserSession {
  /** @type {Failure[]} */
  #failures = [];
  #reportCrash = () => {};
  #crashed = new Promise((resolve) => {
    this.#reportCrash = () => resolve('crashed');
  });

  /** @param {import('playwright').Browser} browser @param {SessionOptions} options */
  constructor(browser, options) {
    this.browser = browser;
    this.options = options;
  }

  /** Opens a browser with the runner's page. @param {SessionOptions} options */
  static async open(options) {
    const browser = await options.chromium.launch(options.launchOptions);
    const session = new BrowserSession(browser, options);
    try {
      await session.#start();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async #start() {
    const { origin, inspectOptions, prepare } = this.options;
    const context = await this.browser.newContext({ viewport: { width: 640, height: 480 } });
    context.on('weberror', (webError) => this.#fail('untyped', textOf(webError.error())));
    context.on('console', (message) => {
      // The loader reports missing files.
      if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
      this.#fail('untyped', message.text());
    });
    await prepare?.(context);
    this.page = await context.newPage();
    this.page.on('crash', () => {
      this.#fail('crash', 'The page crashed.');
      this.#reportCrash();
    });
    this.browser.on('disconnected', () => this.#reportCrash());
    const log = await context.newCDPSession(this.page);
    log.on('Log.entryAdded', ({ entry }) => {
      if (entry.level !== 'warning' || !gpuMessage.test(entry.text)) return;
      this.#fail(/\blost\b/i.test(entry.text) ? 'device-lost' : 'gpu-error', entry.text);
    });
    await log.send('Log.enable');
    const ready = async () => {
      await this.page.goto(`${origin}/e2e/pages/conformance.html`, { timeout: START_LIMIT });
      await this.page.waitForSelector('html[data-loaded]', { state: 'attached', timeout: START_LIMIT });
      await this.page.evaluate((options) => window.conformance.warmUp(options), inspectOptions);
    };
    if ((await this.#race(ready(), START_LIMIT)) !== 'done') {
      throw new Error(`The runner's page did not start: ${this.takeFailures()[0]?.message ?? 'it hung'}`);
    }
    const [failure] = this.takeFailures();
    if (failure) throw new Error(`The runner's page failed before any file: ${failure.message}`);
  }

  /**
   * Shows one file. The page has its own deadline, but cannot end the work while its main thread is blocked. So a
   * second deadline here ends a little later.
   *
   * @param {string} address
   * @param {number} limit limit in milliseconds
   * @returns {Promise<import('../../e2e/pages/conformance.js').Inspection | null>} null after a hang or crash
   */
  async inspect(address, limit) {
    const { inspectOptions } = this.options;
    let inspection = null;
    const run = async () => {
      inspection = await this.page.evaluate(
        ([url, options]) => window.conformance.inspect(url, options),
        [address, { ...inspectOptions, limit }],
      );
      // The log messages about this file have arrived by the next animation frame.
      await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    };
    const outcome = await this.#race(run(), limit + 1000);
    if (outcome === 'late') {
      this.#fail('hang', `The page did not answer for ${limit} ms.`);
    }
    return inspection;
  }

  /**
   * Draws the contact sheet.
   *
   * @param {import('../../e2e/pages/conformance.js').Tile[]} tiles
   * @returns {Promise<Buffer>} a PNG
   */
  async composeSheet(tiles) {
    const url = await this.page.evaluate(
      ([list, size]) => window.conformance.composeSheet(list, size),
      [tiles, this.options.inspectOptions.size],
    );
    return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  }

  /** Returns the failures since the last call. */
  takeFailures() {
    return this.#failures.splice(0);
  }

  async close() {
    // A browser with a blocked page closes slowly, so the wait for it is limited.
    const abort = new AbortController();
    const closed = this.browser.close().catch(() => {});
    await Promise.race([closed, delay(5000, undefined, { signal: abort.signal }).catch(() => {})]);
    abort.abort();
  }

  #fail(kind, message) {
    this.#failures.push({ kind, message });
  }

  /** Waits for the work, the time limit or a crash. @returns {Promise<'done' | 'late' | 'crashed'>} */
  async #race(work, milliseconds) {
    const abort = new AbortController();
    const late = delay(milliseconds, 'late', { signal: abort.signal }).catch(() => 'late');
    const done = work.then(
      () => 'done',
      (error) => {
        // The rejection of a crashed page is less informative than the crash.
        if (!this.#failures.some(({ kind }) => kind === 'crash')) this.#fail('crash', textOf(error));
        return 'crashed';
      },
    );
    const outcome = await Promise.race([done, late, this.#crashed]);
    abort.abort();
    return outcome;
  }
}

function textOf(error) {
  return error instanceof Error ? error.message : String(error);
}
