/** `engine.fences` across changes of threads, lost devices and dead workers, in every mode (SYSTEMS F2, F4, F7). */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { prepareStops } from './stop-worker.js';

type Threading = 'single' | 'render' | 'render+rhi';

/** A render module that signals once per frame and on the page's messages. */
const MODULE = `
export default async (api) => {
  const [seen, drawn, go] = await Promise.all([api.data.seen, api.data.drawn, api.data.go].map(api.openFence));
  let frames = seen.value;
  api.onFrame(() => seen.signal(++frames));
  api.defineCommand('draw', (value) => api.signalFence(drawn, value));
  api.defineCommand('hold', (value) => api.waitFence(go, value));
  api.defineCommand('late', async (value) => {
    await null;
    api.signalFence(drawn, value);
  });
  api.defineCommand('foreign', () => api.signalFence({ name: 'no fence' }, 1));
};`;

async function open(page: Page, origin: string, threading: Threading): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(
    async ([threading, source]) => {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading });
      const errors: string[] = [];
      engine.addEventListener('error', ({ detail }) => errors.push(detail.code));
      const early = await window.kit.refusal(async () => {
        const address = URL.createObjectURL(
          new Blob(['export default (api) => api.openFence({ group: "none" })'], { type: 'text/javascript' }),
        );
        await engine.addRenderModule(address, { name: 'early' });
      });
      const fences = await engine.fences();
      const [seen, drawn, go] = ['seen', 'drawn', 'go'].map((name) => fences.create(name)) as [
        import('fencepost').MonitoredFence,
        import('fencepost').MonitoredFence,
        import('fencepost').MonitoredFence,
      ];
      const address = URL.createObjectURL(new Blob([source as string], { type: 'text/javascript' }));
      const data = { seen: seen.share(), drawn: drawn.share(), go: go.share() };
      const module = await engine.addRenderModule(address, { name: 'fences', data });
      Object.assign(window, { shared: { engine, fences, seen, drawn, go, module, errors, early } });
    },
    [threading, MODULE] as const,
  );
}

declare global {
  interface Window {
    shared: Record<'seen' | 'drawn' | 'go', import('fencepost').MonitoredFence> & {
      engine: import('fencepost').Engine;
      fences: import('fencepost').Fences;
      module: import('fencepost').RenderModule;
      errors: string[];
      early: { code: string };
    };
  }
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const threading of ['single', 'render', 'render+rhi'] as const) {
    const label = `${threading}, ${isolation}`;

    test(`F2, F7: fences keep working when the threads change, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolation === 'isolated' ? isolatedURL : plainURL, threading);
      const result = await page.evaluate(async (threading) => {
        const { engine, seen, drawn, module, errors, early } = window.shared;
        let isOver = false;
        const waiting = drawn.whenReached(30).then(() => {
          isOver = true;
        });
        // An invalid value throws in the module. A signalled −1 would be the fence's last value, because it has
        // all bits set.
        module.send('draw', -1);
        module.send('hold', 1.5);
        module.send('draw', 10);
        module.send('foreign');
        await engine.step(0.1);
        await drawn.whenReached(10);
        const before = [seen.value, drawn.value, isOver];
        await engine.setThreading(threading === 'render' ? 'render+rhi' : 'render');
        module.send('draw', 20);
        await engine.step(0.1);
        await drawn.whenReached(20);
        const between = [drawn.value, isOver, seen.value >= 2];
        await engine.setThreading('single');
        module.send('late', 30);
        await engine.step(0.1);
        await waiting;
        const late = window.kit.refusal(() => drawn.whenReached(31));
        const { leaks } = await engine.dispose();
        return { before, between, leaks, errors, early: early.code, late: (await late).code };
      }, threading);
      expect(result).toEqual({
        before: [1, 10, false],
        between: [20, false, true],
        leaks: [],
        errors: ['render-module-threw', 'render-module-threw', 'render-module-threw'],
        early: 'fences-not-connected',
        late: 'engine-disposed',
      });
    });

    test(`F2, F4: the next device signals the values that a lost GPU device did not signal, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolation === 'isolated' ? isolatedURL : plainURL, threading);
      const result = await page.evaluate(async () => {
        const { engine, seen, drawn, go, module, errors } = window.shared;
        await engine.step(0.1);
        module.send('hold', 1);
        module.send('draw', 5);
        const held = engine.step(0.1);
        await seen.whenReached(2);
        const before = drawn.value;
        await engine.simulateDeviceLoss();
        await held;
        await drawn.whenReached(5);
        module.send('draw', 6);
        await engine.step(0.1);
        await drawn.whenReached(6);
        const { leaks } = await engine.dispose();
        return { before, go: go.value, leaks, errors };
      });
      expect(result).toEqual({ before: 0, go: 0, leaks: [], errors: [] });
    });
  }

  test(`F2, F7: fences survive a worker's death, and the dead thread's place in their group is freed, ${isolation}`, async ({
    page,
    context,
    isolatedURL,
    plainURL,
    expectErrors,
  }) => {
    expectErrors(/thrown by the test/);
    await prepareStops(context);
    await open(page, isolation === 'isolated' ? isolatedURL : plainURL, 'render+rhi');
    const result = await page.evaluate(async () => {
      const { engine, seen, drawn, fences, module, errors } = window.shared;
      await engine.step(0.1);
      for (const role of ['rhi', 'render']) {
        const value = drawn.value + 5;
        module.send('hold', 1);
        module.send('draw', value);
        const frames = seen.value;
        const held = engine.step(0.1);
        await seen.whenReached(frames + 1);
        await window.stopWorker(role, 'throw');
        await held;
        await drawn.whenReached(value);
      }
      // After one more change of threads, the places of the dead threads are free.
      await engine.setThreading('render');
      await engine.setThreading('render+rhi');
      let places = 0;
      const full = await window.kit.refusal(() => {
        for (; places < 20; places++) fences.invite();
      });
      await engine.dispose();
      return { value: drawn.value, full: full.code, places, errors };
    });
    expect(result).toMatchObject({ value: 10, full: 'too-many-fence-threads' });
    // The group has 16 places, minus the page's and those of at most two connections of two threads.
    expect(result.places).toBeGreaterThanOrEqual(11);
  });
}
