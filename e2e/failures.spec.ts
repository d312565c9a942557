/** Lost devices and dead workers, in every threading mode: typed errors, nothing hangs, and dispose ends everything. */
import type { BrowserContext, Page } from '@playwright/test';
import type { Engine } from '../src/index.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

/** Runs on whichever thread opens the device: a message on the channel destroys it. */
const loseOnDemand = `{
  const open = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...parameters) {
    const device = await open.apply(this, parameters);
    new BroadcastChannel('lose-device').onmessage = () => device.destroy();
    return device;
  };
}`;

test('a lost device is reported, waiters reject, dispose resolves, and the page can go on', async ({
  page,
  context,
  isolatedURL,
  expectErrors,
}) => {
  expectErrors(/device/i);
  await page.addInitScript(loseOnDemand);
  await context.route(/\/threads\/worker\.ts/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: loseOnDemand + (await response.text()) });
  });
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const all = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await createEngine(window.kit.view, { threading, background: '#00f' });
      await engine.step(0.1);
      const lost = new Promise<string>((resolve) =>
        engine.addEventListener('error', ({ detail }) => resolve(detail.code)),
      );
      const channel = new BroadcastChannel('lose-device');
      channel.postMessage('now');
      const code = await lost;
      channel.close();
      const capture = await window.kit.refusal(() => engine.captureFrame());
      const step = await window.kit.refusal(() => engine.step(0.1));
      const { leaks } = await engine.dispose();
      all.push({ threading, code, capture: capture.code, step: step.code, leaks: leaks.length });
    }
    const next = await createEngine(window.kit.view, { background: '#0f0' });
    await next.step(0);
    const pixel = window.kit.pixel(await next.captureFrame(), 64, 64);
    await next.dispose();
    return { all, pixel };
  });
  for (const result of results.all) {
    expect(result).toMatchObject({ code: 'device-lost', capture: 'device-lost', step: 'device-lost' });
  }
  expect(results.pixel).toEqual([0, 255, 0, 255]);
});

/** Runs `source` at the beginning of the engine's workers. */
async function atStartOfWorkers(context: BrowserContext, source: string): Promise<void> {
  await context.route(/\/threads\/worker\.ts/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: source + (await response.text()) });
  });
}

/** Opens the page with a clock that the test moves, and with the page's workers in `window.workers`, oldest first. */
async function openWithClock(page: Page, origin: string): Promise<void> {
  await page.clock.install();
  await page.addInitScript(() => {
    const workers: Worker[] = [];
    const NativeWorker = Worker;
    window.Worker = class extends NativeWorker {
      constructor(...parameters: ConstructorParameters<typeof Worker>) {
        super(...parameters);
        workers.push(this);
      }
    };
    Object.assign(window, { workers });
  });
  await openEnginePage(page, origin);
}

/** Lets workers say that their event loop has turned. */
const echo = `{
  const channel = new BroadcastChannel('echo');
  channel.onmessage = ({ data }) => data === 'question' && channel.postMessage('answer');
}`;

/** Resolves when `count` workers have answered. */
function roundTrip(page: Page, count: number): Promise<void> {
  return page.evaluate(
    (count) =>
      new Promise<void>((resolve) => {
        const channel = new BroadcastChannel('echo');
        let answers = 0;
        const finish = (): void => {
          channel.close();
          resolve();
        };
        channel.onmessage = () => ++answers === count && finish();
        channel.postMessage('question');
        if (count === 0) finish();
      }),
    count,
  );
}

/**
 * Moves the page's clock, second by second, until the promise has settled in it. The page's time is faster than
 * the workers': before each second, those that live have had a turn.
 */
async function passTimeUntil<T>(page: Page, settled: Promise<T>, liveWorkers: number): Promise<T> {
  let isOver = false;
  const end = settled.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await page.clock.runFor(1000);
    await Promise.race([roundTrip(page, liveWorkers), end]);
  }
  return end;
}

test('a worker script that is something else: an error with its address, not an endless wait', async ({
  page,
  isolatedURL,
}) => {
  await openWithClock(page, isolatedURL);
  for (const threading of ['render', 'render+rhi'] as const) {
    const refused = page.evaluate(
      (threading) =>
        window.kit.refusal(() =>
          window.fencepost.createEngine(window.kit.view, { threading, workerUrl: '/src/core/errors.ts' }),
        ),
      threading,
    );
    const error = await passTimeUntil(page, refused, 0);
    expect(error).toMatchObject({ name: 'ThreadError', code: 'worker-start-timeout' });
    expect(error.message).toMatch(/\/src\/core\/errors\.ts.*workerUrl/);
  }
  // Nothing stays in the way of another engine.
  const canvases = await page.evaluate(() => window.kit.view.querySelectorAll('canvas').length);
  expect(canvases).toBe(0);
});

interface Held {
  readonly engine: Engine;
  readonly events: string[];
  readonly workers: Worker[];
}

for (const [threading, killed, name] of [
  ['render', 0, 'render'],
  ['render+rhi', 0, 'RHI'],
  ['render+rhi', 1, 'render'],
] as const) {
  test(`${threading}: the ${name} worker is ended without an event; every wait ends with an error that names it`, async ({
    page,
    context,
    plainURL,
  }) => {
    await atStartOfWorkers(context, echo);
    await openWithClock(page, plainURL);
    await page.evaluate(async (threading) => {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading });
      const events: string[] = [];
      engine.addEventListener('error', ({ detail }) => events.push(`${detail.code}: ${detail.message}`));
      await engine.step(0.1);
      await engine.startTrace();
      Object.assign(window, { engine, events });
    }, threading);
    const run = page.evaluate((killed) => {
      const { engine, workers } = window as unknown as Held;
      workers[killed]?.terminate();
      const { refusal } = window.kit;
      return Promise.all([
        refusal(() => Promise.all([engine.step(0.1), engine.step(0.1), engine.step(0.1)])),
        refusal(() => engine.captureFrame()),
        refusal(() => engine.stopTrace()),
        refusal(() => engine.flush()),
      ]);
    }, killed);
    const waits = await passTimeUntil(page, run, threading === 'render' ? 0 : 1);
    const { later, events, leaks, pixel } = await page.evaluate(async (threading) => {
      const { engine, events } = window as unknown as Held;
      const { refusal } = window.kit;
      const later = [await refusal(() => engine.step(0.1)), await refusal(() => engine.flush())];
      const { leaks } = await engine.dispose();
      const next = await window.fencepost.createEngine(window.kit.view, { threading, background: '#0f0' });
      await next.step(0);
      const pixel = window.kit.pixel(await next.captureFrame(), 64, 64);
      await next.dispose();
      return { later, events, leaks: leaks.length, pixel };
    }, threading);
    for (const { code, message } of [...waits, ...later]) {
      expect(code).toBe('thread-not-answering');
      expect(message).toMatch(new RegExp(`^The ${name} worker .*(frame \\d|stopTrace\\(\\))`));
    }
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) expect(event).toMatch(/^thread-not-answering: /);
    expect({ leaks, pixel }).toEqual({ leaks: 0, pixel: [0, 255, 0, 255] });
  });
}

test('dispose ends although workers were ended without an event', async ({ page, context, isolatedURL }) => {
  await atStartOfWorkers(context, echo);
  await openWithClock(page, isolatedURL);
  for (const killed of [[0], [1], [0, 1]]) {
    await page.evaluate(async () => {
      const { workers } = window as unknown as Held;
      workers.length = 0;
      const engine = await window.fencepost.createEngine(window.kit.view, { threading: 'render+rhi' });
      engine.start();
      await engine.step(0);
      Object.assign(window, { engine });
    });
    const run = page.evaluate(async (killed) => {
      const { engine, workers } = window as unknown as Held;
      for (const index of killed) workers[index]?.terminate();
      const step = window.kit.refusal(() => engine.step(0));
      await engine.dispose();
      return (await step).code;
    }, killed);
    expect(await passTimeUntil(page, run, 2 - killed.length)).toBe('engine-disposed');
  }
});

test('a frame that takes minutes is no dead worker, as long as the worker answers', async ({
  page,
  context,
  isolatedURL,
}) => {
  // The GPU's work is called done only when the test says so; the worker's event loop turns all the while.
  await atStartOfWorkers(
    context,
    `${echo}{
      const isDone = GPUQueue.prototype.onSubmittedWorkDone;
      const isAllowed = new Promise((resolve) => {
        new BroadcastChannel('gate').onmessage = resolve;
      });
      GPUQueue.prototype.onSubmittedWorkDone = async function () {
        await isAllowed;
        return isDone.call(this);
      };
    }`,
  );
  await openWithClock(page, isolatedURL);
  await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    const events: string[] = [];
    engine.addEventListener('error', ({ detail }) => events.push(detail.code));
    engine.step(0).then(
      () => events.push('done'),
      ({ code }) => events.push(code),
    );
    Object.assign(window, { engine, events });
  });
  for (let second = 0; second < 120; second++) {
    await page.clock.runFor(1000);
    await roundTrip(page, 1);
  }
  const result = await page.evaluate(async () => {
    const { engine, events } = window as unknown as Held;
    const before = [...events];
    new BroadcastChannel('gate').postMessage('open');
    await engine.step(0);
    await engine.dispose();
    return { before, after: events };
  });
  expect(result).toEqual({ before: [], after: ['done'] });
});

test('an exception in the render thread ends every wait, in every mode', async ({
  page,
  context,
  isolatedURL,
}) => {
  await context.route(/\/threads\/render-thread\.ts/, async (route) => {
    const response = await route.fetch();
    const source = await response.text();
    const body = source.replace(
      'renderer.renderFrame(',
      'if (frame === 2) renderer.break(); renderer.renderFrame(',
    );
    expect(body).not.toBe(source);
    await route.fulfill({ response, body });
  });
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { refusal } = window.kit;
    const all = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading });
      const events: string[] = [];
      engine.addEventListener('error', ({ detail }) => events.push(detail.message));
      await engine.step(0);
      const waits = await Promise.all([refusal(() => engine.step(0)), refusal(() => engine.captureFrame())]);
      waits.push(await refusal(() => engine.flush()));
      await engine.dispose();
      all.push({ threading, codes: waits.map(({ code }) => code), events });
    }
    return all;
  });
  for (const { codes, events } of results) {
    expect(codes).toEqual(['internal', 'internal', 'internal']);
    expect(events[0]).toMatch(/renderer\.break is not a function/);
  }
});

test('a part of the engine that could not be fetched is fetched anew; dispose does not trip over it', async ({
  page,
  context,
  isolatedURL,
  expectErrors,
}) => {
  expectErrors(/ERR_FAILED|Failed to load/);
  await openEnginePage(page, isolatedURL);
  const offline = /\/assets\/asset-client\.ts/;
  await context.route(offline, (route) => route.abort());
  const errors = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view);
    const load = () => engine.world.load(new ArrayBuffer(4));
    const messages = [(await window.kit.refusal(load)).message];
    const disposed = await window.fencepost.createEngine(window.kit.view);
    const pending = window.kit.refusal(() => disposed.world.load(new ArrayBuffer(4)));
    await disposed.dispose();
    messages.push((await pending).message);
    Object.assign(window, { engine });
    return messages;
  });
  expect(errors).toHaveLength(2);
  await context.unroute(offline);
  const { code } = await page.evaluate(async () => {
    const { engine } = window as unknown as Held;
    const refusal = await window.kit.refusal(() => engine.world.load(new ArrayBuffer(4)));
    await engine.dispose();
    return refusal;
  });
  expect(code).toBe('not-gltf'); // the file is at fault now: the client was there
});
