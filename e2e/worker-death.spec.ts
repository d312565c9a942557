/** R9: workers that are killed, throw or hang, at any phase, are replaced, and the picture stays the same. */
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { referenceGlb } from './reference-glb.js';
import { prepareStops, RENDER_PHASES, RHI_PHASES } from './stop-worker.js';
import { holdWorkers } from './workers.js';

/**
 * The event during which a worker makes each call. The report of the worker's death names this event as its
 * breadcrumb. A call that is missing here may be made during several events.
 */
const BREADCRUMBS: Readonly<Record<string, string>> = {
  'GPUCommandEncoder.beginRenderPass': '"execute" of frame \\d+',
  'GPURenderPassEncoder.drawIndexed': '"execute" of frame \\d+',
  'GPUCanvasContext.getCurrentTexture': '"execute" of frame \\d+',
  'GPUQueue.submit': '"submit" of frame \\d+',
};

/**
 * Each row: the mode, the worker's role, its index among the page's workers, its name in messages, and whether
 * it owns the canvas.
 */
const workers = [
  ['render', 'render+rhi', 0, 'render', true],
  ['render+rhi', 'rhi', 0, 'RHI', true],
  ['render+rhi', 'render', 1, 'render', false],
] as const;

for (const [threading, role, index, name, ownsCanvas] of workers) {
  const phases =
    role === 'render' ? RENDER_PHASES : role === 'rhi' ? RHI_PHASES : [...RHI_PHASES, ...RENDER_PHASES];
  const replaced = [
    'error thread-silent',
    'error thread-not-answering',
    ...(ownsCanvas ? ['surfacechange'] : []),
    `threadrestarted ${name}`,
  ];

  test(`R9: ${threading}: the ${name} worker hangs or is killed at any phase; the pixels stay the same`, async ({
    page,
    context,
    isolatedURL,
  }) => {
    test.setTimeout(timeLimit(240_000));
    await prepareStops(context);
    await holdWorkers(page);
    await openEnginePage(page, isolatedURL);
    const results = await page.evaluate(
      async ([threading, role, index, phases]) => {
        const { kit } = window;
        const run = async (call: string | null, isKilled: boolean) => {
          window.workers.length = 0;
          const engine = await window.fencepost.createEngine(kit.view, {
            threading,
            background: '#123',
            watchdog: { reportSeconds: 0.5, restartSeconds: 1 },
          });
          const cube = kit.addScene(engine);
          const events = kit.listen(engine);
          const messages: string[] = [];
          const evidence: Readonly<Record<string, string>>[] = [];
          engine.addEventListener('error', ({ detail }) => {
            messages.push(detail.message);
            evidence.push(detail.details ?? {});
          });
          await engine.step(0.1);
          const stopped = window.stoppedWorker();
          if (call) await window.stopWorker(role, call);
          engine.world.addMesh({
            geometry: window.fencepost.boxGeometry({ size: 0.3 }),
            material: window.fencepost.standardMaterial({ baseColor: '#fff' }),
            position: [0.5, 0.8, 0.6],
          });
          cube.rotateY(0.3);
          const drawn = Promise.all([engine.step(0.1), kit.picture(engine), engine.step(0)]);
          if (call) await stopped;
          if (isKilled) window.workers[index]!.terminate();
          const [, picture] = await drawn;
          await engine.flush();
          const { leaks } = await engine.dispose();
          return { call, picture, events, messages, evidence, leaks };
        };
        const results = [await run(null, false)];
        for (const [order, call] of phases.entries()) results.push(await run(call, order % 2 === 1));
        return results;
      },
      [threading, role, index, phases as readonly string[]] as const,
    );
    const [undisturbed, ...stopped] = results;
    for (const { call, messages, evidence, ...result } of stopped) {
      expect(result, String(call)).toEqual({ picture: undisturbed!.picture, events: replaced, leaks: [] });
      for (const message of messages)
        expect(message).toMatch(
          new RegExp(`^The ${name} worker .*Its last event was ${BREADCRUMBS[String(call)] ?? '"\\w+"'}`),
        );
      // The verdict depends on the machine, but the evidence is always included.
      for (const details of evidence) {
        expect(details).toEqual({
          thread: name,
          verdict: expect.stringMatching(/^(hung|starved)$/),
          silentSeconds: expect.stringMatching(/^\d+\.\d$/),
          lateSeconds: expect.stringMatching(/^\d+\.\d$/),
          processorShare: expect.stringMatching(/^[01]\.\d\d$/),
        });
      }
    }
  });

  test(`R9: ${threading}: the engine survives the ${name} worker’s death before the first frame, during a load and a capture, and during its replacement`, async ({
    page,
    plainURL,
  }) => {
    test.setTimeout(timeLimit(120_000));
    await holdWorkers(page);
    await openEnginePage(page, plainURL);
    const glb = await referenceGlb();
    const results = await page.evaluate(
      async ([threading, index, base64]) => {
        const { kit } = window;
        const run = async (isKilled: boolean) => {
          window.workers.length = 0;
          const engine = await window.fencepost.createEngine(kit.view, {
            threading,
            background: '#123',
            watchdog: { reportSeconds: 0.5, restartSeconds: 1 },
          });
          const events = kit.listen(engine);
          const kill = () => isKilled && window.workers[index]!.terminate();
          // The threads have started, but no frame was drawn.
          await engine.flush();
          kill();
          engine.world.addCamera({ position: [1.5, 1.2, 3], lookAt: [0.2, 0, 0] });
          await engine.step(0);
          await engine.startCapture();
          const replacement = window.workers.at(-1)!; // the latest worker, before the load adds the asset worker
          const load = engine.world.load(kit.bytes(base64));
          if (isKilled) {
            // Kills the replacement of the first worker, and the next replacement before it has drawn.
            const NativeWorker = window.Worker;
            let isArmed = true;
            window.Worker = class extends NativeWorker {
              constructor(...parameters: ConstructorParameters<typeof Worker>) {
                super(...parameters);
                if (!isArmed || !String(parameters[0]).endsWith('/worker.js')) return;
                isArmed = false;
                this.terminate();
              }
            };
            replacement.terminate();
          }
          await load;
          await engine.step(0.1);
          const picture = await kit.picture(engine);
          const file = await engine.stopCapture();
          const { leaks } = await engine.dispose();
          return { picture, events, leaks, bytes: file.byteLength };
        };
        return [await run(false), await run(true)];
      },
      [threading, index, glb] as const,
    );
    const [undisturbed, killed] = results;
    expect(killed!.picture).toBe(undisturbed!.picture);
    expect(killed!.leaks).toEqual([]);
    expect(killed!.bytes).toBeGreaterThan(1000);
    expect(killed!.events.at(-1)).toMatch(/^threadrestarted/);
  });

  test(`R9: ${threading}: the ${name} worker’s death while a lost device is replaced is noticed in time and reported`, async ({
    page,
    isolatedURL,
    expectErrors,
  }) => {
    expectErrors(/device was lost/i);
    await holdWorkers(page);
    await openEnginePage(page, isolatedURL);
    const { same, events, messages } = await page.evaluate(
      async ([threading, index]) => {
        const { kit } = window;
        const engine = await window.fencepost.createEngine(kit.view, {
          threading,
          background: '#123',
          watchdog: { reportSeconds: 0.5, restartSeconds: 1 },
        });
        kit.addScene(engine);
        const events = kit.listen(engine);
        const messages: string[] = [];
        engine.addEventListener('error', ({ detail }) => messages.push(detail.message));
        await engine.step(0.1);
        const before = await kit.picture(engine);
        await engine.simulateDeviceLoss();
        window.workers[index]!.terminate();
        await engine.step(0);
        const same = (await kit.picture(engine)) === before;
        await engine.dispose();
        return { same, events, messages };
      },
      [threading, index] as const,
    );
    expect(same).toBe(true);
    // If the device was replaced before the worker counted as dead, there are two restarts. Otherwise one
    // restart reports both at its end.
    expect(events.filter((event) => !event.startsWith('surfacechange')).toSorted()).toEqual([
      'devicelost destroyed',
      'devicerestored',
      'error thread-not-answering',
      ...(messages.length > 1 ? ['error thread-silent'] : []),
      `threadrestarted ${name}`,
    ]);
    for (const message of messages) expect(message).toContain(`The ${name} worker has not answered`);
  });

  test(`R9: ${threading}: the ${name} worker throws and is replaced`, async ({
    page,
    context,
    plainURL,
    expectErrors,
  }) => {
    expectErrors(/thrown by the test/);
    await prepareStops(context);
    await openEnginePage(page, plainURL);
    const result = await page.evaluate(
      async ([threading, role]) => {
        const { kit } = window;
        const engine = await window.fencepost.createEngine(kit.view, { threading, background: '#123' });
        kit.addScene(engine);
        const events = kit.listen(engine);
        const messages: string[] = [];
        engine.addEventListener('error', ({ detail }) => messages.push(detail.message));
        await engine.step(0.1);
        const threads: string[] = [];
        engine.addEventListener('threadcreated', ({ detail }) => threads.push(`+${detail.thread}`));
        engine.addEventListener('threaddestroyed', ({ detail }) => threads.push(`-${detail.thread}`));
        const before = await kit.picture(engine);
        const restarted = new Promise((resolve) => engine.addEventListener('threadrestarted', resolve));
        await window.stopWorker(role, 'throw');
        await restarted;
        const after = await kit.picture(engine);
        const replacement = threads.splice(0);
        const { leaks } = await engine.dispose();
        return { before, after, events, messages, replacement, leaks };
      },
      [threading, role] as const,
    );
    expect(result.after).toBe(result.before);
    expect(result.events).toEqual(['error worker-died', ...replaced.slice(2)]);
    expect(result.messages[0]).toMatch(/thrown by the test/);
    expect(result.replacement).toEqual([`-${name}`, `+${name}`]);
    expect(result.leaks).toEqual([]);
  });
}

test('R9: a page that blocks for 1.5 s with frames in flight causes no error', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const events = await page.evaluate(async () => {
    const { kit } = window;
    const engine = await window.fencepost.createEngine(kit.view, {
      threading: 'render+rhi',
      watchdog: { reportSeconds: 1, restartSeconds: 5 },
    });
    kit.addScene(engine);
    const events = kit.listen(engine);
    await engine.step(0);
    engine.start();
    for (let block = 0; block < 3; block++) {
      const step = engine.step(0);
      const end = performance.now() + 1500;
      while (performance.now() < end);
      await step;
    }
    await engine.dispose();
    return events;
  });
  expect(events).toEqual([]);
});
