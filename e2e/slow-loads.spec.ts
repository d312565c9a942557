/**
 * Slow workers and dead workers. A worker that is busy with a large load does not count as hung. A dead asset
 * worker is noticed as soon as any other dead worker.
 */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { atStartOfWorkers } from './workers.js';

/** Worker code that slows down each write of a buffer, like the writes of a file of hundreds of megabytes. */
const slowWrites = `{
  const { writeBuffer } = GPUQueue.prototype;
  const { copyBufferToBuffer } = GPUCommandEncoder.prototype;
  const wait = (milliseconds) => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  };
  GPUQueue.prototype.writeBuffer = function (buffer, byteOffset, data, first, count) {
    if (count * 4 > 1 << 14) wait(40);
    return writeBuffer.apply(this, arguments);
  };
  GPUCommandEncoder.prototype.copyBufferToBuffer = function (...parameters) {
    if (parameters.at(-1) > 1 << 14) wait(40);
    return copyBufferToBuffer.apply(this, parameters);
  };
}`;

for (const threading of ['render', 'render+rhi'] as const) {
  test(`R9: a worker that uploads for seconds is not restarted: ${threading}`, async ({
    page,
    context,
    plainURL,
  }) => {
    await atStartOfWorkers(context, slowWrites);
    await openEnginePage(page, plainURL);
    const result = await page.evaluate(async (threading) => {
      const { createEngine, geometry } = window.fencepost;
      const engine = await createEngine(window.kit.view, {
        threading,
        watchdog: { reportSeconds: 1, restartSeconds: 1.5 },
      });
      const events = window.kit.listen(engine);
      const { world } = engine;
      world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
      await engine.step(0);
      // The frame has 120 uploads of 40 ms.
      const positions = new Float32Array(600 * 3);
      for (let index = 0; index < 120; index++) {
        world.addMesh({ geometry: geometry({ positions, normals: positions }) });
      }
      const began = performance.now();
      await engine.step(0);
      const seconds = (performance.now() - began) / 1000;
      const { leaks } = await engine.dispose();
      return { events, seconds, leaks };
    }, threading);
    // The work took longer than the limit for a silent worker.
    expect(result.seconds).toBeGreaterThan(3);
    expect(result).toMatchObject({ events: [], leaks: [] });
  });
}

/**
 * Simulates a busy machine. A loop on the page that reads the clock all the time runs for only one
 * millisecond of every six. Code that reads the clock now and then is unaffected.
 */
function starve(): void {
  const realNow = performance.now.bind(performance);
  let ran = 0;
  let before = realNow();
  performance.now = () => {
    const now = realNow();
    const passed = now - before;
    before = now;
    // Reads in quick succession come from a loop. A longer gap means a pause.
    ran = passed < 0.5 ? ran + passed : 0;
    if (ran < 1) return now;
    ran = 0;
    while (realNow() < now + 5);
    before = realNow();
    return before;
  };
}

/** Worker code that, on request, is busy in a GPU call for `milliseconds` and reports nothing meanwhile. */
const busyOnDemand = `{
  const { submit } = GPUQueue.prototype;
  let milliseconds = 0;
  const channel = new BroadcastChannel('busy');
  channel.onmessage = ({ data }) => {
    milliseconds = data;
    channel.postMessage('armed');
  };
  GPUQueue.prototype.submit = function (lists) {
    const end = performance.now() + milliseconds;
    milliseconds = 0;
    while (performance.now() < end);
    return submit.call(this, lists);
  };
}`;

test('R9: on a starved machine a live worker is neither reported nor replaced; a hung worker is, with the evidence', async ({
  page,
  context,
  isolatedURL,
}) => {
  await page.addInitScript(starve);
  await atStartOfWorkers(context, busyOnDemand);
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view, {
      watchdog: { reportSeconds: 1, restartSeconds: 1.2 },
    });
    window.kit.addScene(engine);
    const events = window.kit.listen(engine);
    const errors: { code: string; message: string; details: Readonly<Record<string, string>> | undefined }[] =
      [];
    engine.addEventListener('error', ({ detail: { code, message, details } }) =>
      errors.push({ code, message, details }),
    );
    await engine.step(0);
    const makeBusy = (milliseconds: number): Promise<unknown> =>
      new Promise((resolve) => {
        const channel = new BroadcastChannel('busy');
        channel.onmessage = resolve;
        channel.postMessage(milliseconds);
      });
    // The worker is busy for 4 s, and the slowed page runs for a sixth of that time.
    await makeBusy(4000);
    const began = performance.now();
    await engine.step(0);
    const seconds = (performance.now() - began) / 1000;
    const whenAlive = events.splice(0);
    await makeBusy(Infinity);
    await engine.step(0);
    await engine.flush();
    const { leaks } = await engine.dispose();
    return { seconds, whenAlive, whenHung: events, errors, leaks };
  });
  // The work took more than three times the watchdog's limit for a silent worker, which is 1.2 s.
  expect(result.seconds).toBeGreaterThan(3.9);
  expect(result.whenAlive).toEqual([]);
  expect(result.whenHung).toEqual([
    'error thread-silent',
    'error thread-not-answering',
    'surfacechange',
    'threadrestarted render',
  ]);
  for (const { message, details } of result.errors) {
    expect(details).toMatchObject({ thread: 'render', verdict: 'starved' });
    expect(Number(details!.processorShare)).toBeLessThan(0.5);
    expect(Number(details!.silentSeconds)).toBeGreaterThan(2);
    expect(message).toMatch(/starved rather than hung.*% of a processor/);
  }
});

for (const [how, script] of [
  ['closed', 'onmessage = ({ data }) => { if (data.kind === "load") close(); }'],
  ['looping', 'onmessage = ({ data }) => { if (data.kind === "load") for (;;); }'],
] as const) {
  test(`R9: an asset worker that is ${how} is noticed after the time limit of the option watchdog`, async ({
    page,
    plainURL,
  }) => {
    await openEnginePage(page, plainURL);
    const result = await page.evaluate(async (script) => {
      const { createEngine } = window.fencepost;
      const blob = new Blob([`postMessage({ kind: 'pong' }); ${script}`], { type: 'text/javascript' });
      const engine = await createEngine(window.kit.view, {
        threading: 'single',
        workerUrl: { engine: 'unused', assets: URL.createObjectURL(blob) },
        watchdog: { reportSeconds: 0.5, restartSeconds: 1 },
      });
      const began = performance.now();
      const refusal = await window.kit.refusal(() => engine.world.load(new ArrayBuffer(12)));
      const seconds = (performance.now() - began) / 1000;
      await engine.dispose();
      return { refusal, seconds };
    }, script);
    expect(result.refusal).toMatchObject({ name: 'ThreadError', code: 'thread-not-answering' });
    // The watchdog asks the worker after a fifth of `restartSeconds`. The remaining 0.8 s pass without an
    // answer.
    expect(result.refusal.message).toMatch(/^The asset worker has not answered for 0.8 s/);
    expect(result.seconds).toBeGreaterThan(0.9);
  });
}
