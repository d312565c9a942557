// A page of a soak. It injects scripts before the page's own scripts, calls functions of the page, and collects events
// that are visible only outside of the page.
import { setTimeout as delay } from 'node:timers/promises';
import { timeLimit } from '../lib/time-limits.mjs';
import { HeapMeter } from './heap.mjs';

/**
 * Recognises messages of WebGPU. Validation messages name their origin ("While calling …"); others name WebGPU or the
 * device.
 */
const gpuMessage = / - While |\bW?GPU[A-Z]|WebGPU|\[(Invalid|Device)|device was lost|uncaptured/i;
/** Messages of Chromium about destroyed devices and missing files. */
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

  /** Calls `page.evaluate`, and rejects after `milliseconds`, which `timeLimit` multiplies for busy machines. */
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

  /** Returns the errors since the last call. */
  takeErrors() {
    return this.#errors.splice(0);
  }
}

/**
 * Prepares the page before its scripts: its workers can be terminated from outside, it can be hidden, and its pixel
 * ratio can change.
 */
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
  // An emulated change of the pixel ratio fires no event, unlike a real change.
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
