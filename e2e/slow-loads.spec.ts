/**
 * Slow is not silent: a worker that is busy with a large load is not taken for a hung one, and an asset worker that has
 * gone is noticed as soon as any other.
 */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { atStartOfWorkers } from './workers.js';

/** Each write of a buffer takes its time, as those of a file of hundreds of megabytes do. */
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
  test(`R9: a worker that uploads for seconds is not started again: ${threading}`, async ({
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
      // 120 uploads of 40 ms, in one frame.
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
    // The work took longer than a silent worker is given.
    expect(result.seconds).toBeGreaterThan(3);
    expect(result).toMatchObject({ events: [], leaks: [] });
  });
}

for (const [how, script] of [
  ['closed', 'onmessage = ({ data }) => { if (data.kind === "load") close(); }'],
  ['looping', 'onmessage = ({ data }) => { if (data.kind === "load") for (;;); }'],
] as const) {
  test(`R9: an asset worker that is ${how} is noticed after the time of the option watchdog`, async ({
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
    // It is asked after a fifth of the second.
    expect(result.refusal.message).toMatch(/^The asset worker has not answered for 0.8 s/);
    expect(result.seconds).toBeGreaterThan(0.9);
  });
}
