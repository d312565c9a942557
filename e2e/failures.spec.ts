/**
 * Lost devices and dead workers, in every threading mode. Errors are typed, nothing hangs, and dispose ends
 * everything.
 */
import type { Page } from '@playwright/test';
import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { atStartOfWorkers } from './workers.js';

test('R9: with deviceLost stop or ignore, pending calls reject, and the page can continue; stop also shows a message', async ({
  page,
  isolatedURL,
  expectErrors,
}) => {
  expectErrors(/device/i);
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const { kit } = window;
    const all = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      for (const deviceLost of ['stop', 'ignore'] as const) {
        const engine = await createEngine(kit.view, {
          threading,
          background: '#00f',
          deviceLost,
          deviceLostMessage: deviceLost === 'stop',
        });
        const events = kit.listen(engine);
        await engine.step(0.1);
        const waiting = kit.refusal(async () => {
          for (;;) await engine.step(0);
        });
        await engine.simulateDeviceLoss();
        const codes = [(await waiting).code];
        for (const call of [
          () => engine.frameGraph(),
          () => engine.pick(1, 1),
          () => engine.startCapture(),
          () => engine.stopCapture(),
          () => engine.captureFrame(),
          () => engine.step(0.1),
          () => engine.flush(),
          () => engine.setThreading('render'),
          () => engine.simulateDeviceLoss(),
        ])
          codes.push((await kit.refusal(call)).code);
        if (engine.threading === 'render') codes.splice(8, 1, 'device-lost'); // the engine is in that mode already
        const message = kit.view.querySelector('.fencepost-message')?.textContent ?? '';
        const { leaks } = await engine.dispose();
        const left = kit.view.childElementCount;
        all.push({ threading, deviceLost, codes, events, message, leaks: leaks.length, left });
      }
    }
    const next = await createEngine(kit.view, { background: '#0f0' });
    await next.step(0);
    const pixel = kit.pixel(await next.captureFrame(), 64, 64);
    await next.dispose();
    return { all, pixel };
  });
  for (const { deviceLost, codes, events, message, leaks, left } of results.all) {
    expect(codes).toEqual(Array(10).fill('device-lost'));
    expect(events).toEqual([...(deviceLost === 'stop' ? ['devicelost destroyed'] : []), 'error device-lost']);
    expect(message).toMatch(deviceLost === 'stop' ? /device was lost/ : /^$/);
    expect({ leaks, left }).toEqual({ leaks: 0, left: 0 });
  }
  expect(results.pixel).toEqual([0, 255, 0, 255]);
});

/**
 * Opens the page with a clock that the test advances, and with the page's workers in `window.workers`, oldest
 * first.
 */
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

/** Worker code that answers a message, which proves that the event loop turns. */
const echo = `{
  const channel = new BroadcastChannel('echo');
  const id = Math.random();
  channel.onmessage = ({ data }) => data === 'question' && channel.postMessage(id);
}`;

/**
 * Resolves when `count` workers have answered. Repeats the question, because a worker's script may still be
 * loading.
 */
function roundTrip(page: Page, count: number): Promise<void> {
  return page.evaluate(
    (count) =>
      new Promise<void>((resolve) => {
        const channel = new BroadcastChannel('echo');
        const answered = new Set<number>();
        const turn = new MessageChannel();
        const ask = (): void => {
          if (answered.size < count) {
            channel.postMessage('question');
            turn.port2.postMessage(null);
            return;
          }
          channel.close();
          turn.port1.close();
          resolve();
        };
        channel.onmessage = ({ data }) => typeof data === 'number' && answered.add(data);
        turn.port1.onmessage = ask;
        ask();
      }),
    count,
  );
}

interface Signs {
  readonly signs: {
    /** Number of times that the page has asked a worker whether it is alive. */
    readonly questions: number;
    /** Resolves when each question has been answered. */
    readonly allAnswered: () => Promise<void>;
  };
}

/**
 * Counts questions and signs of life, in the page's `window.signs`. It listens on the port of each question,
 * where the answer arrives. Browsers keep the order of messages only within a port, so messages on another port
 * would not show that the answer has arrived.
 */
async function countSignsOfLife(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const asked = new Set<MessagePort>();
    let open = 0;
    let goOn = (): void => {};
    const signs = {
      questions: 0,
      allAnswered: (): Promise<void> =>
        new Promise((resolve) => {
          goOn = () => open === 0 && resolve();
          goOn();
        }),
    };
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function (this: MessagePort, ...sent: unknown[]) {
      if (sent[0] === 'is-alive') {
        signs.questions++;
        open++;
        if (!asked.has(this)) {
          asked.add(this);
          // The engine's listener was added first, so it has handled the answer before the count changes.
          this.addEventListener('message', ({ data }) => {
            if (data?.kind !== 'alive') return;
            open--;
            goOn();
          });
        }
      }
      return Reflect.apply(postMessage, this, sent);
    };
    Object.assign(window, { signs });
  });
}

/**
 * Advances the page's clock second by second until the promise has settled. Page time runs faster than the
 * workers do. So before each second, each live worker completes a turn of its event loop.
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

test('after deviceLost: stop, start() is refused with an event, nothing ticks, and stats() stays unchanged', async ({
  page,
  isolatedURL,
  expectErrors,
}) => {
  expectErrors(/device/i);
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const all = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await createEngine(window.kit.view, { threading, deviceLost: 'stop' });
      await engine.step(0.1);
      await engine.step(0.1);
      await engine.simulateDeviceLoss();
      const before = engine.stats();
      let ticks = 0;
      engine.world.onTick(() => ticks++);
      const refusal = new Promise<string>((resolve) =>
        engine.addEventListener('error', ({ detail }) => resolve(detail.code)),
      );
      engine.start();
      const code = await refusal;
      const after = engine.stats();
      await engine.dispose();
      all.push({
        code,
        ticks,
        figures: [after.frame, after.gameThreadMs === before.gameThreadMs, after.drawCalls],
      });
    }
    return all;
  });
  expect(results).toEqual(Array(3).fill({ code: 'device-lost', ticks: 0, figures: [2, true, 1] }));
});

test('a worker script with other content gives an error with its address, not an endless wait', async ({
  page,
  isolatedURL,
}) => {
  await openWithClock(page, isolatedURL);
  for (const threading of ['render', 'render+rhi'] as const) {
    const refused = page.evaluate(
      (threading) =>
        window.kit.refusal(() =>
          window.fencepost.createEngine(window.kit.view, { threading, workerUrl: '/dist/rhi.js' }),
        ),
      threading,
    );
    const error = await passTimeUntil(page, refused, 0);
    expect(error).toMatchObject({ name: 'ThreadError', code: 'worker-start-timeout' });
    expect(error.message).toMatch(/\/dist\/rhi\.js.*workerUrl/);
  }
  // The failed engine leaves no canvas behind.
  const canvases = await page.evaluate(() => window.kit.view.querySelectorAll('canvas').length);
  expect(canvases).toBe(0);
});

interface Held {
  readonly engine: Engine;
  readonly events: string[];
  readonly workers: Worker[];
}

test('R9: dispose resolves although workers were terminated without an event', async ({
  page,
  context,
  isolatedURL,
}) => {
  await atStartOfWorkers(context, echo);
  await openWithClock(page, isolatedURL);
  for (const killed of [[0], [1], [0, 1]]) {
    await page.evaluate(async () => {
      const { workers } = window as unknown as Held;
      workers.length = 0;
      const engine = await window.fencepost.createEngine(window.kit.view, {
        threading: 'render+rhi',
        watchdog: {},
      });
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

test('R9: a frame that takes minutes does not count as a dead worker while the worker answers', async ({
  page,
  context,
  isolatedURL,
}) => {
  // The GPU's work completes only when the test says so. The worker's event loop keeps turning.
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
  await countSignsOfLife(page);
  await openWithClock(page, isolatedURL);
  await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view, { watchdog: {} });
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
    await page.evaluate(() => (window as unknown as Signs).signs.allAnswered());
  }
  const result = await page.evaluate(async () => {
    const { engine, events } = window as unknown as Held;
    const before = [...events];
    new BroadcastChannel('gate').postMessage('open');
    await engine.step(0);
    await engine.dispose();
    return { before, after: events };
  });
  // The silent GPU is reported, once; the worker is not.
  expect(result).toEqual({ before: ['gpu-silent'], after: ['gpu-silent', 'done'] });
  // The page did ask the worker. Without questions the test would prove nothing.
  expect(await page.evaluate(() => (window as unknown as Signs).signs.questions)).toBeGreaterThan(30);
});

test('R9: a new render thread replaces one that threw; after repeated exceptions the engine gives up, in every mode', async ({
  page,
  context,
  isolatedURL,
}) => {
  const breakFrames = `globalThis.fencepostFrameStep = (step, frame) => {
    if (step === 'recording' && (frame === 2 || frame > 6)) step.break();
  };`;
  await atStartOfWorkers(context, breakFrames);
  await page.addInitScript(breakFrames);
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { kit } = window;
    const all = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await window.fencepost.createEngine(kit.view, { threading, background: '#0f0' });
      const events = kit.listen(engine);
      const messages: string[] = [];
      engine.addEventListener('error', ({ detail }) => messages.push(detail.message));
      await engine.step(0); // frame 1
      await engine.step(0); // frame 2, and frame 3 on the new thread
      await engine.flush();
      const pixel = kit.pixel(await engine.captureFrame(), 64, 64); // frame 4
      // The event and the picture come from the same frame, in either order.
      while (!events.includes('threadrestarted render')) {
        await new Promise((resolve) => engine.addEventListener('threadrestarted', resolve, { once: true }));
      }
      const once = events.splice(0);
      await engine.step(0);
      await engine.step(0); // frame 6
      const waits = await Promise.all([
        kit.refusal(() => engine.step(0)),
        kit.refusal(() => engine.captureFrame()),
      ]);
      waits.push(await kit.refusal(() => engine.flush()));
      await engine.dispose();
      all.push({ threading, pixel, once, codes: waits.map(({ code }) => code), events, messages });
    }
    return all;
  });
  for (const { pixel, once, codes, events, messages } of results) {
    expect(pixel).toEqual([0, 255, 0, 255]);
    expect(once).toEqual(['error internal', 'threadrestarted render']);
    expect(codes).toEqual(Array(3).fill('thread-given-up'));
    expect(events.at(-1)).toBe('error thread-given-up');
    expect(messages[0]).toMatch(/step\.break is not a function/);
    expect(messages.at(-1)).toMatch(/3 times within 10 s.*step\.break/);
  }
});

/**
 * Returns whether this browser remembers a failed import of a module until the page reloads, as HTML's module
 * map does.
 */
async function remembersFailedImports(page: Page): Promise<boolean> {
  const address = '/e2e/pages/task-module.js';
  const fetches = () =>
    page.evaluate(
      (url) =>
        import(url).then(
          () => true,
          () => false,
        ),
      address,
    );
  await page.context().route(`**${address}`, (route) => route.abort());
  expect(await fetches()).toBe(false);
  await page.context().unroute(`**${address}`);
  return !(await fetches());
}

test('tools that failed to load are fetched again, and dispose works after the failure', async ({
  page,
  context,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/ERR_FAILED|Failed to load/);
  await openEnginePage(page, plainURL);
  const offline = /\/dist\/tools\.js/;
  await context.route(offline, (route) => route.abort());
  const errors = await page.evaluate(async () => {
    const engine = await window.kit.createBareEngine(window.kit.view);
    const messages = [(await window.kit.refusal(() => engine.startTrace())).message];
    const disposed = await window.kit.createBareEngine(window.kit.view);
    const pending = window.kit.refusal(() => disposed.startTrace());
    await disposed.dispose();
    messages.push((await pending).message);
    Object.assign(window, { engine });
    return messages;
  });
  expect(errors).toHaveLength(2);
  const remembers = await remembersFailedImports(page);
  await context.unroute(offline);
  const traceAgain = () =>
    page.evaluate(async () => {
      const { engine } = window as unknown as Held;
      const code = await engine.startTrace().then(
        () => 'traced',
        (error: { code: string }) => error.code,
      );
      await engine.dispose();
      return code;
    });
  expect(await traceAgain()).toBe(remembers ? 'part-missing' : 'traced');
  if (!remembers) return;
  for (const message of errors) expect(message).toContain('reload the page');
  await openEnginePage(page, plainURL);
  await page.evaluate(async () => {
    Object.assign(window, { engine: await window.kit.createBareEngine(window.kit.view) });
  });
  expect(await traceAgain()).toBe('traced');
});
