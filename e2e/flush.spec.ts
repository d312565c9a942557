/**
 * The `until` values of a flush. Gates in front of the GPU show which work is done when the flush resolves.
 */

import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { gateQueues } from './gate-queues.js';
import { openEnginePage } from './open-engine-page.js';

/** Bytes of the vertices of the mesh that `addLargeMesh` adds, 32 per vertex. */
const LARGE_MESH_BYTES = 65535 * 32;

const watchdog = { reportSeconds: 60, restartSeconds: 120 };

test('R16: a flush resolves at dispatched, executed, completed or released, as requested', async ({
  context,
  page,
  isolatedURL,
}) => {
  await gateQueues(context, page);
  await openEnginePage(page, isolatedURL);
  const steps = await page.evaluate(async (watchdog) => {
    const { kit, gates, openGate, drawFrame, addLargeMesh } = window;
    const engine = await window.fencepost.createEngine(kit.view, { threading: 'render+rhi', watchdog });
    kit.addScene(engine);
    const large = addLargeMesh(engine);
    await engine.step(0);
    await engine.step(0);
    const { geometry } = engine.stats().memory;
    // The resize replaces the scene's targets, and the old ones wait in the release queue. A page of geometry
    // is freed only after further frames.
    large.destroy();
    gates.fill(1);
    kit.view.style.width = '96px';
    await new Promise((resolve) => engine.addEventListener('resize', resolve, { once: true }));
    await drawFrame(engine);
    // An engine that comes to rest frees destroyed geometry, except after a step. This step keeps it allocated.
    const stepped = engine.step(0);
    const ended: string[] = [];
    const flush = async (until: 'dispatched' | 'executed' | 'completed' | 'released'): Promise<void> => {
      await engine.flush({ until });
      ended.push(until);
    };
    const reached = async () => {
      const through = ['render', 'present', 'gpu'] as const;
      const fences = await Promise.all(through.map((each) => engine.renderFence({ through: each })));
      return {
        ended: [...ended],
        fences: fences.map((fence) => fence.isComplete),
        hasReleases: engine.stats().pendingReleases > 0,
        hasPage: engine.stats().memory.geometry === geometry,
      };
    };
    const dispatched = flush('dispatched');
    const executed = flush('executed');
    const completed = flush('completed');
    await dispatched;
    const atDispatched = await reached();
    openGate(0);
    await executed;
    const atExecuted = await reached();
    openGate(1);
    await completed;
    const atCompleted = await reached();
    await flush('released');
    const atReleased = await reached();
    await stepped;
    await engine.dispose();
    return [atDispatched, atExecuted, atCompleted, atReleased];
  }, watchdog);
  expect(steps).toMatchObject([
    { ended: ['dispatched'], fences: [true, false, false], hasPage: true },
    { ended: ['dispatched', 'executed'], fences: [true, true, false], hasReleases: true, hasPage: true },
    { ended: ['dispatched', 'executed', 'completed'], fences: [true, true, true], hasPage: true },
    { ended: ['dispatched', 'executed', 'completed', 'released'], hasReleases: false, hasPage: false },
  ]);
});

test('R16: a flush until dispatched waits for the render thread, whose script loads late here', async ({
  context,
  page,
  isolatedURL,
}) => {
  let letThrough = (): void => {};
  const isLetThrough = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await gateQueues(context, page);
  await context.route(/\/dist\/worker\.js/, async (route) => {
    await isLetThrough;
    await route.fallback();
  });
  await openEnginePage(page, isolatedURL);
  const flushed = page.evaluate(async (watchdog) => {
    const engine = await window.fencepost.createEngine(window.kit.view, { watchdog });
    window.kit.addScene(engine);
    await window.drawFrame(engine);
    document.documentElement.dataset.isDrawn = 'true';
    await engine.flush({ until: 'dispatched' });
    document.documentElement.dataset.isFlushed = 'true';
    const { isComplete } = await engine.renderFence();
    await engine.dispose();
    return isComplete;
  }, watchdog);
  await page.waitForSelector('html[data-is-drawn]', { state: 'attached' });
  // The flush is still pending after many turns of the page's event loop.
  for (let turn = 0; turn < 10; turn++) {
    expect(await page.getAttribute('html', 'data-is-flushed')).toBeNull();
  }
  letThrough();
  expect(await flushed).toBe(true);
});

for (const threading of ['single', 'render', 'render+rhi'] as const) {
  test(`R6: the options gpu and deferredDeletes each work without the other, ${threading}`, async ({
    context,
    page,
    isolatedURL,
  }) => {
    await gateQueues(context, page);
    await openEnginePage(page, isolatedURL);
    const result = await page.evaluate(
      async ([threading, watchdog]) => {
        const { kit, gates, openGate, drawFrame, addLargeMesh } = window;
        const engine = await window.fencepost.createEngine(kit.view, { threading, watchdog });
        kit.addScene(engine);
        const large = addLargeMesh(engine);
        await engine.step(0);
        await engine.step(0);
        const { geometry } = engine.stats().memory;
        gates[1] = 1;
        large.destroy();
        await drawFrame(engine);
        const isDone = async (through: 'present' | 'gpu') =>
          (await engine.renderFence({ through })).isComplete;
        await engine.flush({ gpu: false, deferredDeletes: false });
        const without = { present: await isDone('present'), gpu: await isDone('gpu') };
        const withGpu = engine.flush({ gpu: true, deferredDeletes: false });
        let isEarly = true;
        withGpu.then(() => {
          isEarly = false;
        });
        // This flush makes a whole round trip through the threads. The pending flush must not resolve
        // meanwhile.
        await engine.flush({ gpu: false, deferredDeletes: true });
        const isHeld = isEarly;
        openGate(1);
        await withGpu;
        const after = { gpu: await isDone('gpu') };
        const again = addLargeMesh(engine);
        await engine.step(0);
        again.destroy();
        await engine.step(0);
        await engine.flush({ deferredDeletes: false });
        const kept = engine.stats().memory.geometry === geometry;
        await engine.flush({ deferredDeletes: true });
        const freed = geometry - engine.stats().memory.geometry;
        const released = engine.stats().pendingReleases;
        const both = await kit.refusal(() => engine.flush({ until: 'executed', gpu: false }));
        const unknown = await kit.refusal(() => engine.flush({ until: 'drawn' as never }));
        const { leaks } = await engine.dispose();
        return { without, isHeld, after, kept, freed, released, codes: [both.code, unknown.code], leaks };
      },
      [threading, watchdog] as const,
    );
    expect(result).toMatchObject({
      without: { present: true, gpu: false },
      isHeld: true,
      after: { gpu: true },
      kept: true,
      freed: LARGE_MESH_BYTES,
      released: 0,
      codes: ['option-invalid', 'option-invalid'],
      leaks: [],
    });
  });
}

test("R6: a flush frees a destroyed mesh's memory one frame later, with the same commands in every mode", async ({
  page,
  isolatedURL,
  plainURL,
}) => {
  test.setTimeout(timeLimit(240_000));
  const commands = new Set<string>();
  for (const origin of [isolatedURL, plainURL]) {
    await openEnginePage(page, origin);
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const { bytes, leaks, pictures, stream } = await page.evaluate(async (threading) => {
        const { createEngine, geometry, unlitMaterial } = window.fencepost;
        const { kit } = window;
        const rhiModule = '/dist/rhi.js';
        const { decodeCapture } = (await import(rhiModule)) as typeof import('fencepost/rhi');
        const engine = await createEngine(kit.view, { threading });
        kit.addScene(engine);
        await engine.step(0);
        await engine.flush();
        const bytes = [engine.stats().memory.geometry];
        const pictures = [await kit.picture(engine)];
        const positions = new Float32Array(3 * 65535);
        const addLarge = () =>
          engine.world.addMesh({ geometry: geometry({ positions }), material: unlitMaterial() });
        await engine.startCapture();
        const mesh = addLarge();
        await engine.step(0);
        bytes.push(engine.stats().memory.geometry);
        mesh.destroy();
        await engine.step(0);
        await engine.flush({ gpu: true, deferredDeletes: true });
        bytes.push(engine.stats().memory.geometry);
        // Other meshes in the same page of memory still show, and the space can be reused.
        await engine.step(0);
        pictures.push(await kit.picture(engine));
        addLarge();
        await engine.step(0);
        const { stream } = decodeCapture(await engine.stopCapture());
        bytes.push(engine.stats().memory.geometry);
        const { leaks } = await engine.dispose();
        const words = new Uint8Array(stream.buffer, stream.byteOffset, stream.byteLength);
        return { bytes, leaks, pictures, stream: kit.hash(words) };
      }, threading);
      const [before = 0] = bytes;
      expect(bytes).toEqual([before, before + LARGE_MESH_BYTES, before, before + LARGE_MESH_BYTES]);
      expect(pictures[1]).toBe(pictures[0]);
      expect(leaks).toEqual([]);
      commands.add(stream);
    }
  }
  expect(commands.size).toBe(1);
});

test('R7: a flush waits for the tasks that the next frame waits for, in every mode', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const orders = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const orders: string[][] = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await createEngine(window.kit.view, { threading });
      await engine.step(0);
      const order: string[] = [];
      let finish = (): void => {};
      engine.addFramePrerequisite(
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
      );
      const flushed = engine.flush().then(() => order.push('flush'));
      // The fence is for all frames produced so far. It is complete, because the flush waits for the task
      // before it produces a frame.
      const { isComplete } = await engine.renderFence({ through: 'gpu' });
      for (let turn = 0; turn < 20; turn++) {
        await new Promise<void>((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve();
          port2.postMessage(0);
        });
      }
      order.push(isComplete ? 'task' : 'frame');
      finish();
      await flushed;
      await engine.dispose();
      orders.push(order);
    }
    return orders;
  });
  expect(orders).toEqual(Array(3).fill(['task', 'flush']));
});

test('R5: frameSync present makes the game wait for submissions, and frameSync render for recorded frames', async ({
  context,
  page,
  isolatedURL,
}) => {
  await gateQueues(context, page);
  await openEnginePage(page, isolatedURL);
  const frames = await page.evaluate(async (watchdog) => {
    const { kit, gates, openGate } = window;
    const frames: Record<string, number> = {};
    const turn = () =>
      new Promise<void>((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve();
        port2.postMessage(0);
      });
    for (const frameSync of ['present', 'render'] as const) {
      const engine = await window.fencepost.createEngine(kit.view, {
        threading: 'render+rhi',
        frameSync,
        watchdog,
      });
      kit.addScene(engine);
      await engine.step(0);
      await engine.step(0);
      // From now on no frame is submitted. With lag, frame 4 waits only for frame 2, and frame 5 only for frame
      // 3.
      gates[0] = 1;
      const steps = [engine.step(0), engine.step(0), engine.step(0)];
      while (engine.stats().frame < 4) await turn();
      await (await engine.renderFence()).wait();
      if (frameSync === 'render') while (engine.stats().frame < 5) await turn();
      else for (let count = 0; count < 20; count++) await turn();
      frames[frameSync] = engine.stats().frame;
      openGate(0);
      await Promise.all(steps);
      frames[`${frameSync}, submitted`] = engine.stats().frame;
      await engine.dispose();
    }
    return frames;
  }, watchdog);
  expect(frames).toEqual({ present: 4, 'present, submitted': 5, render: 5, 'render, submitted': 5 });
});
