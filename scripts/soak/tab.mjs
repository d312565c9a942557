// A page of a soak: what is put into it before its own scripts, what it asks for, and what only an observer outside of
// it can see.
import { setTimeout as delay } from 'node:timers/promises';
import { timeLimit } from '../lib/time-limits.mjs';
import { HeapMeter } from './heap.mjs';

/** Validation messages say where they arose ("While calling …"); the rest names WebGPU or the device. */
const gpuMessage = / - While |\bW?GPU[A-Z]|WebGPU|\[(Invalid|Device)|device was lost|uncaptured/i;
/** What Chromium says of devices that are destroyed, and of files that are not there. */
const harmless = /device was lost|Failed to load resource/i;

export class SoakTab {
  /** @type {string[]} */
  #errors = [];
  #crash = () => {};
  #crashed = new Promise((_, reject) => {
    this.#crash = (message) => reject(new Error(message));
  });

  static async open(browser, origin) {
    const tab = new SoakTab();
    tab.#crashed.catch(() => {});
    const context = await browser.newContext({ viewport: { width: 320, height: 240 } });
    context.on('weberror', (webError) => tab.#errors.push(`Uncaught: ${textOf(webError.error())}`));
    context.on('console', (message) => {
      if (message.type() === 'error' && !harmless.test(message.text()))
        tab.#errors.push(`console.error: ${message.text()}`);
    });
    const page = await context.newPage();
    tab.page = page;
    page.on('crash', () => tab.#crash('The page crashed.'));
    browser.on('disconnected', () => tab.#crash('The browser has ended.'));
    const session = await context.newCDPSession(page);
    session.on('Log.entryAdded', ({ entry }) => {
      if (entry.level === 'warning' && gpuMessage.test(entry.text) && !harmless.test(entry.text))
        tab.#errors.push(`GPU: ${entry.text}`);
    });
    await session.send('Log.enable');
    await page.addInitScript(prepare);
    tab.heap = await HeapMeter.open(page);
    await page.goto(`${origin}/e2e/pages/soak.html`, { timeout: timeLimit(120_000) });
    await page.waitForSelector('html[data-loaded]', { state: 'attached', timeout: timeLimit(120_000) });
    return tab;
  }

  /** `page.evaluate` with a deadline, in milliseconds on a machine that does nothing else. */
  async run(work, argument, milliseconds) {
    const limit = timeLimit(milliseconds);
    const abort = new AbortController();
    const late = delay(limit, undefined, { signal: abort.signal }).then(() => {
      throw new Error(`The page has not answered for ${limit / 1000} s.`);
    });
    late.catch(() => {});
    try {
      return await Promise.race([this.page.evaluate(work, argument), late, this.#crashed]);
    } finally {
      abort.abort();
    }
  }

  /** What has gone wrong since the last call. */
  takeErrors() {
    return this.#errors.splice(0);
  }
}

/** In the page, before its scripts: workers that can be ended from outside, a page that can be hidden, on any screen. */
function prepare() {
  const NativeWorker = Worker;
  const live = new Set();
  window.liveWorkers = live;
  window.Worker = class extends NativeWorker {
    constructor(url, options) {
      super(url, options);
      if (/\/dist\/worker\.js/.test(String(url))) live.add(this);
    }
    terminate() {
      live.delete(this);
      super.terminate();
    }
  };
  // Emulated ratios change without the event that real ones bring.
  let ratio = 1;
  let queries = [];
  Object.defineProperty(window, 'devicePixelRatio', { get: () => ratio });
  window.matchMedia = () => {
    const query = new EventTarget();
    queries.push(query);
    return query;
  };
  window.setPixelRatio = (next) => {
    ratio = next;
    const asked = queries;
    queries = [];
    for (const query of asked) query.dispatchEvent(new Event('change'));
  };
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  Object.defineProperty(document, 'visibilityState', { get: () => (isHidden ? 'hidden' : 'visible') });
  window.setHidden = (value) => {
    isHidden = value;
    document.dispatchEvent(new Event('visibilitychange'));
  };
}

function textOf(error) {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
