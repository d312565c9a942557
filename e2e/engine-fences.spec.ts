/** `engine.fences` across changes of threads, lost devices and dead workers, in every mode (SYSTEMS F2, F4, F7). */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODULE as MODULE_OF_TASKS } from './open-tasks.js';
import { prepareStops } from './stop-worker.js';
import { modesOf } from './threading-modes.js';

type Threading = 'single' | 'render' | 'render+rhi';

/** A render module that signals once per frame and on the page's messages. */
const MODULE = `
export default async (api) => {
  const { data } = api;
  const opened = [data.seen, data.drawn, data.go, data.progress, data.answered].map(api.openFence);
  const [seen, drawn, go, progress, answered] = await Promise.all(opened);
  let frames = seen.value;
  api.onFrame(() => seen.signal(++frames));
  api.defineCommand('draw', (value) => api.signalFence(drawn, value));
  api.defineCommand('hold', (value) => api.waitFence(go, value));
  api.defineCommand('late', async (value) => {
    await null;
    api.signalFence(drawn, value);
  });
  api.defineCommand('report', (frame) => progress.whenReached(frame).then(() => answered.signal(frame)));
  api.defineCommand('count', (frame) => api.signalFence(progress, frame));
  api.defineCommand('foreign', () => api.signalFence({ name: 'no fence' }, 1));
};`;

async function open(page: Page, origin: string, threading: Threading, namesQueues = false): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(
    async ([threading, source, namesQueues]) => {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading });
      const errors: string[] = [];
      engine.addEventListener('error', ({ detail }) => errors.push(detail.code));
      const early = await window.kit.refusal(async () => {
        const address = URL.createObjectURL(
          new Blob(['export default (api) => api.openFence({ group: "none" })'], { type: 'text/javascript' }),
        );
        await engine.addRenderModule(address, { name: 'early' });
      });
      const fences = await engine.fences({ namesQueues });
      const [seen, drawn, go, answered] = ['seen', 'drawn', 'go', 'answered'].map((name) =>
        fences.create(name),
      ) as [
        import('fencepost').MonitoredFence,
        import('fencepost').MonitoredFence,
        import('fencepost').MonitoredFence,
        import('fencepost').MonitoredFence,
      ];
      const address = URL.createObjectURL(new Blob([source as string], { type: 'text/javascript' }));
      const data = {
        ...{ seen: seen.share(), drawn: drawn.share(), go: go.share(), answered: answered.share() },
        progress: fences.queueProgress.share(),
      };
      const module = await engine.addRenderModule(address, { name: 'fences', data });
      Object.assign(window, { shared: { engine, fences, seen, drawn, go, answered, module, errors, early } });
    },
    [threading, MODULE, namesQueues] as const,
  );
}

declare global {
  interface Window {
    shared: Record<'seen' | 'drawn' | 'go' | 'answered', import('fencepost').MonitoredFence> & {
      engine: import('fencepost').Engine;
      fences: import('fencepost').EngineFences;
      module: import('fencepost').RenderModule;
      errors: string[];
      early: { code: string };
    };
  }
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const threading of modesOf(isolation)) {
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

    test(`F7: queueProgress counts the frames that the GPU has completed, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolation === 'isolated' ? isolatedURL : plainURL, threading);
      const result = await page.evaluate(async (threading) => {
        const { engine, fences, seen, go, answered, module, errors } = window.shared;
        const { queueProgress } = fences;
        const codes = [
          await window.kit.refusal(() => queueProgress.signal(100)),
          await window.kit.refusal(() => queueProgress.fail(new Error('by the page'))),
        ].map(({ code }) => code);
        /** Draws a frame, and returns its number once page and render thread have seen the GPU complete it. */
        const draw = async (): Promise<number> => {
          const frame = engine.stats().frame + 1;
          const drawn = engine.step(0.1);
          module.send('report', frame);
          await drawn;
          await queueProgress.whenReached(frame);
          await engine.step(0);
          await answered.whenReached(frame);
          return frame;
        };
        const first = await draw();
        const frames = seen.value;
        module.send('hold', 1);
        const frame = engine.stats().frame + 1;
        const held = engine.step(0.1);
        await seen.whenReached(frames + 1);
        const isHeld = !queueProgress.isReached(frame);
        go.signal(1);
        await held;
        await queueProgress.whenReached(frame);
        await engine.simulateDeviceLoss();
        const afterLoss = await draw();
        await engine.setThreading(threading === 'render' ? 'single' : 'render');
        const afterChange = await draw();
        // The error may arrive after the frame, because it comes through another port.
        const reported = new Promise((resolve) => engine.addEventListener('error', resolve, { once: true }));
        module.send('count', 1000);
        await engine.step(0.1);
        await reported;
        const isRaised = queueProgress.isReached(1000);
        const handle = fences.open(queueProgress.share());
        queueProgress.close();
        const late = window.kit.refusal(() => handle.whenReached(1000));
        const { leaks } = await engine.dispose();
        const isGrowing = first < frame && frame < afterLoss && afterLoss < afterChange;
        return { codes, isHeld, isGrowing, isRaised, errors, late: (await late).code, leaks };
      }, threading);
      expect(result).toEqual({
        codes: ['fence-of-queue', 'fence-of-queue'],
        isHeld: true,
        isGrowing: true,
        isRaised: false,
        errors: ['render-module-threw'],
        late: 'engine-disposed',
        leaks: [],
      });
    });

    test(`F11: notifications of the GPU name fences, or with namesQueues their queue, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      const scans: number[] = [];
      for (const namesQueues of [false, true]) {
        await open(page, isolation === 'isolated' ? isolatedURL : plainURL, threading, namesQueues);
        const result = await page.evaluate(async (namesQueues) => {
          const { engine, fences, drawn, module, errors } = window.shared;
          const codes = [
            await window.kit.refusal(() => engine.fences({ namesQueues: !namesQueues })),
            await window.kit.refusal(() => engine.fences({ namesQueues: 'yes' as never })),
          ].map(({ code }) => code);
          const isKept =
            (await engine.fences()) === fences && (await engine.fences({ namesQueues })) === fences;
          const counts: number[] = [];
          for (const value of [1, 2]) {
            const reached = drawn.whenReached(value);
            module.send('draw', value);
            await engine.step(0.1);
            await reached;
            counts.push(fences.counts.scans);
            // A queue without logs does not record which fences it has signalled. So a notification that names
            // this queue makes the page scan all fences.
            for (let queue = 0; queue < 8; queue++) fences.setLogs(queue, null);
          }
          await engine.dispose();
          return { codes, isKept, errors, counts };
        }, namesQueues);
        scans.push(...result.counts);
        const { counts: _, ...rest } = result;
        expect(rest).toEqual({ codes: ['fences-created', 'option-invalid'], isKept: true, errors: [] });
      }
      // Without shared memory the page signals for the GPU's thread, and needs no notification.
      expect(scans).toEqual([0, 0, 0, isolation === 'isolated' ? expect.any(Number) : 0]);
      expect((scans[3] as number) > 0).toBe(isolation === 'isolated');
    });
  }

  for (const threading of modesOf(isolation)) {
    test(`F3: tasks block on fences in shared memory, and await them otherwise, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const result = await page.evaluate(
        async ([threading, url]) => {
          const { kit, fencepost } = window;
          const engine = await fencepost.createEngine(kit.view, { threading, taskWorkers: 1 });
          const module = await engine.tasks.load(url);
          const early = await kit.refusal(() => module.run('fences', {}));
          const fences = await engine.fences();
          const [ask, answer] = [fences.create('ask'), fences.create('answer')];
          const points = { ask: ask.share(), answer: answer.share() };
          const onPage = await kit.refusal(() => module.run('fences', points, { thread: 'game' }));
          const task = module.run('fences', points);
          ask.signal(2);
          const before = answer.value;
          ask.signal(3);
          await answer.whenReached(6);
          const { how, isShared } = (await task) as { how: string; isShared: boolean };
          const frame = engine.stats().frame + 1;
          const drawn = engine.step(0.1);
          const progress = fences.queueProgress.share();
          const isDrawn = await module.run('progress', { progress, frame });
          await drawn;
          const { leaks } = await engine.dispose();
          return {
            ...{ early: early.code, onPage: onPage.code, before, answer: answer.value, how, isShared },
            ...{ isDrawn, leaks },
          };
        },
        [threading, MODULE_OF_TASKS] as const,
      );
      expect(result).toEqual({
        early: 'fences-not-connected',
        onPage: 'task-fences-refused',
        ...{ before: 0, answer: 6, isShared: true, isDrawn: true, leaks: [] },
        how: isolation === 'isolated' ? 'blocked' : 'blocking-refused',
      });
    });
  }

  for (const threading of modesOf(isolation)) {
    test(`F7: the places of dead task workers are freed, ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
      expectErrors,
    }) => {
      test.slow();
      expectErrors(/died while it ran the task "joinAndClose"/);
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const result = await page.evaluate(
        async ([threading, url]) => {
          const { kit, fencepost } = window;
          const engine = await fencepost.createEngine(kit.view, { threading, taskWorkers: 1 });
          const module = await engine.tasks.load(url);
          const fences = await engine.fences();
          const [go, ask, answer] = [fences.create('go'), fences.create('ask'), fences.create('answer')];
          // More workers join and die than a group has places.
          const codes = new Set<string>();
          for (let round = 0; round < 18; round++) {
            const { code } = await kit.refusal(() => module.run('joinAndClose', { go: go.share() }));
            codes.add(code);
          }
          const task = module.run('fences', { ask: ask.share(), answer: answer.share() });
          ask.signal(3);
          await answer.whenReached(6);
          await task;
          go.signal(1);
          const { leaks } = await engine.dispose();
          return { codes: [...codes], leaks };
        },
        [threading, MODULE_OF_TASKS] as const,
      );
      expect(result).toEqual({ codes: ['task-worker-died'], leaks: [] });
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
    // The group has 16 places. The page has one of them, and two threads have at most two connections each.
    expect(result.places).toBeGreaterThanOrEqual(11);
  });
}
