/** Code of a worker that is asked for and never arrives: whoever needs it hears of the file at the deadline. */
import type { BrowserContext } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { atStartOfWorkers } from './workers.js';

/** The deadline of a part's load, in milliseconds, and a little. */
const DEADLINE = 30_000;

/** A clock of the worker's own that the page moves on by a message: what is due then is called. */
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

/** Resolves when the file is asked for, which it is for ever. */
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
  test(`step() with a stalled part ends at the deadline, and the error names the file: ${threading}`, async ({
    page,
    context,
    isolatedURL,
  }) => {
    await atStartOfWorkers(context, movableClock);
    await stall(context, /worker-motion/);
    await openEnginePage(page, isolatedURL);
    await page.evaluate(async (threading) => {
      const { boxGeometry, createEngine, spin, unlitMaterial } = window.fencepost;
      const engine = await createEngine(window.kit.view, { threading });
      const errors: { code: string; message: string }[] = [];
      engine.addEventListener('error', ({ detail: { code, message } }) => errors.push({ code, message }));
      engine.world.addCamera({ position: [0, 0, 4] });
      const box = engine.world.addMesh({ geometry: boxGeometry(), material: unlitMaterial() });
      box.motion = spin({ axis: [0, 0, 1], radiansPerSecond: 1 });
      const held = { engine, errors, isOver: false, step: Promise.resolve() };
      held.step = engine.step(0).then(() => {
        held.isOver = true;
      });
      Object.assign(window, { held });
    }, threading);
    await stalled;
    const skip = (milliseconds: number) =>
      page.evaluate((by) => new BroadcastChannel('clock').postMessage(by), milliseconds);
    const outcome = () =>
      page.evaluate(async () => {
        const { engine, errors, isOver } = window.held;
        await engine.startTrace(); // all threads have answered once more
        return { errors, isOver };
      });
    await skip(DEADLINE / 2);
    expect(await outcome()).toEqual({ errors: [], isOver: false });
    await skip(DEADLINE / 2);
    await page.evaluate(() => window.held.step);
    const { errors, isOver } = await outcome();
    expect(isOver).toBe(true);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.code).toBe('features-missing');
    expect(errors[0]?.message).toMatch(/dist\/worker-motion\.js can't be loaded \(.*waited 30000 ms/);
    const { leaks } = await page.evaluate(() => window.held.engine.dispose());
    expect(leaks).toEqual([]);
  });

  test(`startCapture() with a stalled part rejects at the deadline, and names the file: ${threading}`, async ({
    page,
    context,
    plainURL,
  }) => {
    await atStartOfWorkers(context, movableClock);
    await stall(context, /worker-captures/);
    await openEnginePage(page, plainURL);
    await page.evaluate(async (threading) => {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading });
      window.kit.addScene(engine);
      await engine.step(0);
      await engine.flush(); // all other code that a capture needs has come, to every thread
      Object.assign(window, { held: { engine, refused: window.kit.refusal(() => engine.startCapture()) } });
    }, threading);
    await stalled;
    await page.evaluate((by) => new BroadcastChannel('clock').postMessage(by), DEADLINE);
    const refused = await page.evaluate(() => window.held.refused);
    expect(refused).toMatchObject({ name: 'ThreadError', code: 'features-missing' });
    expect(refused.message).toMatch(/dist\/worker-captures\.js can't be loaded \(.*waited 30000 ms/);
    // All else goes on.
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
      errors: { code: string; message: string }[];
      isOver: boolean;
      step: Promise<void>;
      refused: Promise<{ name: string; code: string; message: string }>;
    };
  }
}
