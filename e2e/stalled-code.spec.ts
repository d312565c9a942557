/** A worker's tools are requested and never arrive. The call that needs them rejects at the deadline. */
import type { BrowserContext } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { atStartOfWorkers } from './workers.js';

/** The deadline for loading the tools, in milliseconds. */
const DEADLINE = 30_000;

/** Worker code that replaces the clock. A message of the page advances the clock and runs the timers that are due. */
const movableClock = `{
  const [set, clear, now] = [setTimeout, clearTimeout, performance.now.bind(performance)];
  const due = new Map();
  let skipped = 0;
  performance.now = () => now() + skipped;
  globalThis.setTimeout = (callback, milliseconds = 0, ...rest) => {
    const timer = set(() => {
      due.delete(timer);
      callback(...rest);
    }, milliseconds);
    due.set(timer, { callback, at: performance.now() + milliseconds });
    return timer;
  };
  globalThis.clearTimeout = (timer) => {
    due.delete(timer);
    clear(timer);
  };
  new BroadcastChannel('clock').onmessage = ({ data }) => {
    skipped += data;
    for (const [timer, { callback, at }] of [...due]) {
      if (at > performance.now()) continue;
      clearTimeout(timer);
      callback();
    }
  };
}`;

/** Stalls requests for the file forever. From then on, `stalled` resolves when the file is requested. */
async function stall(context: BrowserContext, file: RegExp): Promise<void> {
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await context.route(file, () => asked());
  stalled = isAsked;
}
let stalled: Promise<void> = Promise.resolve();

for (const threading of ['render', 'render+rhi'] as const) {
  test(`startCapture() rejects at the deadline if its code never arrives, and names the file: ${threading}`, async ({
    page,
    context,
    plainURL,
  }) => {
    await atStartOfWorkers(context, movableClock);
    await stall(context, /worker-tools/);
    await openEnginePage(page, plainURL);
    await page.evaluate(async (threading) => {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading });
      window.kit.addScene(engine);
      await engine.step(0);
      Object.assign(window, { held: { engine, refused: window.kit.refusal(() => engine.startCapture()) } });
    }, threading);
    await stalled;
    await page.evaluate((by) => new BroadcastChannel('clock').postMessage(by), DEADLINE);
    const refused = await page.evaluate(() => window.held.refused);
    expect(refused).toMatchObject({ name: 'ThreadError', code: 'features-missing' });
    expect(refused.message).toMatch(/dist\/worker-tools\.js can't be loaded \(.*waited 30000 ms/);
    // The engine otherwise continues.
    const { leaks } = await page.evaluate(async () => {
      const { engine } = window.held;
      await engine.step(0.1);
      return engine.dispose();
    });
    expect(leaks).toEqual([]);
  });
}

declare global {
  interface Window {
    held: {
      engine: import('fencepost').Engine;
      refused: Promise<{ name: string; code: string; message: string }>;
    };
  }
}
