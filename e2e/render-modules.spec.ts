/** Render modules of users: modules, commands, callbacks and waits, in every mode, isolated or not. */

import type { Page } from '@playwright/test';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

type Threading = 'single' | 'render' | 'render+rhi';

/** The module that all tests load. It logs its actions and returns the log on request. */
const PROBE = `
export default (api) => {
  const log = [];
  api.defineCommand('note', (data, { frame }) => { log.push([frame, data]); });
  api.defineCommand('bytes', (data) => { log.push([data.constructor.name, data.byteLength, data[1]]); });
  api.defineCommand('nested', () => { log.push('before'); api.send('note', 'inside'); log.push('after'); });
  api.defineCommand('throw', () => { throw new Error('on purpose'); });
  api.defineCommand('report', () => api.post({ log, isRestored: api.isRestored, data: api.data }));
  api.defineCommand('place', ({ actor, x }) => {
    api.scene.setPosition(actor, x, 0, 0);
    log.push([...api.scene.worldTransform(actor)].slice(12, 15));
  });
  api.defineCommand('paint', ({ actor, color }) => api.scene.setMaterial(actor, { baseColor: color }));
  api.defineCommand('late', async ({ actor }) => {
    await null;
    api.scene.setPosition(actor, 0, 0, 0);
  });
  api.defineCommand('hang', () => { for (;;); });
  let ticks = 0;
  const order = [];
  const endFirst = api.onFrame(({ frame }) => { ticks++; order.push('a' + frame); });
  api.onFrame(({ frame }) => order.push('b' + frame));
  api.defineCommand('order', () => api.post([...order]));
  api.defineCommand('endFirst', () => endFirst());
  api.defineCommand('wait', async (ahead, { frame }) => {
    await api.whenSubmitted(frame);
    await api.whenCompleted(frame + ahead);
    const picture = await api.readBack();
    api.post({ frame, width: picture.width, pixel: [...picture.data.slice(0, 4)] });
  });
};`;

/** Adds `window.probe` to the page: an engine with a cube and the module. */
async function addProbe(
  page: Page,
  threading: Threading,
  watchdog?: import('fencepost').EngineOptions['watchdog'],
): Promise<void> {
  await page.evaluate(
    async ([threading, source, watchdog]) => {
      const { createEngine, boxGeometry, unlitMaterial } = window.fencepost;
      const engine = await createEngine(window.kit.view, {
        threading,
        antialias: false,
        background: '#00f',
        ...(watchdog ? { watchdog } : {}),
      });
      engine.world.addCamera({ position: [0, 0, 4] });
      const cube = engine.world.addMesh({
        geometry: boxGeometry(),
        material: unlitMaterial({ baseColor: '#f00' }),
      });
      const errors: [string, string][] = [];
      engine.addEventListener('error', ({ detail }) => errors.push([detail.code, detail.message]));
      const url = URL.createObjectURL(new Blob([source as string], { type: 'text/javascript' }));
      const module = await engine.addRenderModule(url, { name: 'probe', data: { given: true } });
      const answer = <T>(command: string, data?: never) =>
        new Promise<T>((resolve) => {
          const end = module.onMessage((value) => {
            end();
            resolve(value as T);
          });
          module.send(command, data);
        });
      Object.assign(window, { probe: { engine, cube, module, errors, answer } });
    },
    [threading, PROBE, watchdog] as const,
  );
}

declare global {
  interface Window {
    probe: {
      engine: import('fencepost').Engine;
      cube: import('fencepost').Actor;
      module: import('fencepost').RenderModule;
      errors: [code: string, message: string][];
      answer: <T>(command: string, data?: unknown) => Promise<T>;
    };
  }
}

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const threading of modesOf(isolation)) {
    const label = `${threading}, ${isolation}`;
    const open = async (page: Page, isolatedURL: string, plainURL: string): Promise<void> => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      await addProbe(page, threading);
    };

    test(`R2: commands of a module run once and in order, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolatedURL, plainURL);
      const result = await page.evaluate(async () => {
        const { engine, cube, module, errors, answer } = window.probe;
        module.send('note', 1);
        module.send('note', { two: [2] });
        module.send('bytes', new Uint16Array([1, 2, 3]));
        await engine.step(0.1);
        module.send('nested');
        module.send('throw');
        const unknown = await window.kit.refusal(() => module.send('nothing'));
        module.send('place', { actor: module.idOf(cube), x: 0.25 });
        module.send('paint', { actor: module.idOf(cube), color: [0, 1, 0, 1] });
        await engine.step(0.1);
        const answered = answer<{ log: unknown[] }>('report');
        await engine.flush(); // draws an extra frame for the messages
        const { log, ...rest } = await answered;
        const picture = await engine.captureFrame();
        const middle = window.kit.pixel(picture, 72, 64);
        const left = window.kit.pixel(picture, 54, 64);
        const stranger = await window.kit.refusal(() => module.idOf(new window.fencepost.Actor()));
        module.remove();
        await engine.step(0.1);
        const removed = await window.kit.refusal(() => module.send('note'));
        const { leaks } = await engine.dispose();
        return { log, rest, errors, unknown, stranger, removed, middle, left, leaks };
      });
      expect(result.log).toEqual([
        [1, 1],
        [1, { two: [2] }],
        ['Uint16Array', 6, 2],
        'before',
        [2, 'inside'],
        'after',
        [0.25, 0, 0],
      ]);
      expect(result.rest).toEqual({ isRestored: false, data: { given: true } });
      expect(result.errors).toEqual([
        [
          'render-module-threw',
          expect.stringMatching(/command "throw" of the render module "probe".*on purpose/),
        ],
      ]);
      expect(result.unknown).toMatchObject({ name: 'StateError', code: 'render-command-unknown' });
      expect(result.stranger.code).toBe('actor-of-another-world');
      expect(result.removed.code).toBe('render-module-removed');
      expect(result.middle).toEqual([0, 255, 0, 255]);
      expect(result.leaks).toEqual([]);
    });

    test(`R8: callbacks run once per frame, in order, and end on request, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolatedURL, plainURL);
      const orders = await page.evaluate(async () => {
        const { engine, module, answer } = window.probe;
        await engine.step(0.1);
        await engine.step(0.1);
        const first = answer('order');
        module.send('endFirst');
        await engine.step(0.1);
        const second = answer('order');
        await engine.step(0.1);
        const result = [await first, await second];
        await engine.dispose();
        return result;
      });
      expect(orders).toEqual([
        ['a1', 'b1', 'a2', 'b2'],
        ['a1', 'b1', 'a2', 'b2', 'b3'],
      ]);
    });

    test(`H7: a module awaits a submission, a completion and a picture while frames go on, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolatedURL, plainURL);
      const { answer, steps } = await page.evaluate(async () => {
        const { engine, answer } = window.probe;
        // The wait ends with the third frame after the frame in which it began. A wait that blocked a thread
        // would never end.
        const waiting = answer('wait', 3);
        let answered: unknown = null;
        waiting.then((value) => {
          answered = value;
        });
        let steps = 0;
        for (; answered === null && steps < 40; steps++) await engine.step(0.1);
        await engine.dispose();
        return { answer: answered, steps };
      });
      expect(steps).toBeGreaterThanOrEqual(4);
      expect(answer).toEqual({ frame: 1, width: 128, pixel: [0, 0, 255, 255] });
    });

    test(`R2: after a change of threads or a lost device, the module is set up anew and gets pending commands, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      test.setTimeout(timeLimit(60_000));
      await open(page, isolatedURL, plainURL);
      const result = await page.evaluate(async (threading) => {
        const { engine, module, errors, answer } = window.probe;
        const other = threading === 'render' ? 'render+rhi' : 'render';
        await engine.step(0.1);
        module.send('note', 'before');
        await engine.step(0.1);
        const answered = answer<{ log: unknown[] }>('report');
        await engine.step(0.1);
        const { log } = await answered;
        const restored: string[] = [];
        module.onRestored(() => {
          restored.push('restored');
          module.send('note', 'restored');
        });
        module.send('note', 'on its way'); // is sent with the first frame of the new threads
        await engine.setThreading(other);
        const after = answer<{ log: unknown[] }>('report');
        await engine.step(0.1);
        const first = await after;
        const isBack = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
        await engine.simulateDeviceLoss();
        await isBack;
        const lost = answer<{ log: unknown[] }>('report');
        await engine.step(0.1);
        const second = await lost;
        const { leaks } = await engine.dispose();
        return { log, first, second, restored, errors, leaks };
      }, threading);
      expect(result.log).toEqual([[2, 'before']]);
      const notes = (log: unknown[]): unknown[] => log.map((entry) => (entry as unknown[])[1]);
      expect(notes(result.first.log)).toEqual(['on its way', 'restored']);
      expect(notes(result.second.log)).toEqual(['restored']);
      expect(result.first).toMatchObject({ isRestored: true });
      expect(result.restored).toEqual(['restored', 'restored']);
      expect(result.errors).toEqual([]);
      expect(result.leaks).toEqual([]);
    });

    test(`R7: a frame waits for its prerequisites without blocking a thread, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolatedURL, plainURL);
      const result = await page.evaluate(async () => {
        const { engine, cube, errors } = window.probe;
        const { world } = engine;
        await engine.step(0.1);
        let finish = (): void => {};
        const isAsked = new Promise<number>((ask) => {
          const stop = world.onTick(() => {
            stop();
            engine.addFramePrerequisite(
              (frame) =>
                new Promise<void>((resolve) => {
                  finish = () => {
                    cube.position.set(1, 0, 0); // shows in the frame that waits
                    resolve();
                  };
                  ask(frame);
                }),
              { name: 'simulation' },
            );
          });
        });
        const step = engine.step(0.1);
        let isDone = false;
        step.then(() => {
          isDone = true;
        });
        const asked = await isAsked;
        const frameWhileWaiting = engine.stats().frame;
        const wasDone = isDone;
        finish();
        await step;
        const pixel = window.kit.pixel(await engine.captureFrame(), 100, 64);
        engine.addFramePrerequisite(() => Promise.reject(new Error('no physics')), { name: 'physics' });
        engine.addFramePrerequisite(() => new Promise(() => {}), { name: 'never', seconds: 0.05 });
        await engine.flush();
        await engine.step(0.1);
        await engine.dispose();
        return { asked, frameWhileWaiting, wasDone, pixel, errors };
      });
      expect(result).toMatchObject({
        asked: 2,
        frameWhileWaiting: 1,
        wasDone: false,
        pixel: [255, 0, 0, 255],
      });
      expect(result.errors).toEqual([
        ['prerequisite-failed', expect.stringContaining('"physics" failed: no physics')],
        ['wait-timed-out', expect.stringContaining('the frame prerequisite "never"')],
      ]);
    });

    test(`R4: render fences complete, for GPU work and for presentation; a hundred of them need few messages, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      // The count begins before the engine creates its ports.
      await page.addInitScript(() => {
        const counts = { messages: 0 };
        Object.assign(window, { counts });
        const { set } = Object.getOwnPropertyDescriptor(
          MessagePort.prototype,
          'onmessage',
        ) as PropertyDescriptor;
        Object.defineProperty(MessagePort.prototype, 'onmessage', {
          configurable: true,
          set(this: MessagePort, listener: ((event: MessageEvent) => void) | null) {
            set?.call(this, (event: MessageEvent) => {
              counts.messages++;
              listener?.call(this, event);
            });
          },
        });
      });
      await open(page, isolatedURL, plainURL);
      const result = await page.evaluate(async () => {
        const { engine, module } = window.probe;
        const { counts } = window as unknown as { counts: { messages: number } };
        await engine.step(0.1);
        const count = async (fences: number): Promise<number> => {
          await engine.step(0.1);
          for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
          const before = counts.messages;
          const begun = [];
          for (let index = 0; index < fences; index++) begun.push(engine.renderFence({ through: 'gpu' }));
          const waits = (await Promise.all(begun)).map((fence) => fence.wait());
          await engine.step(0.1);
          await Promise.all(waits);
          for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
          return counts.messages - before;
        };
        const few = await count(1);
        const many = await count(100);
        module.send('note', 'fenced');
        const fence = await engine.renderFence({ through: 'present' });
        const wasComplete = fence.isComplete;
        await fence.wait();
        const { isComplete } = fence;
        await engine.dispose();
        return { few, many, wasComplete, isComplete };
      });
      // A frame's signals may arrive together or one by one, but not once per fence.
      expect(result.few).toBeLessThan(25);
      expect(result.many).toBeLessThan(25);
      expect(result).toMatchObject({ wasComplete: false, isComplete: true });
    });

    test(`R10: using the scene outside a handler is refused with the threads’ names, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolatedURL, plainURL);
      const errors = await page.evaluate(async () => {
        const { engine, cube, module, errors } = window.probe;
        const isReported = new Promise((resolve) => engine.addEventListener('error', resolve));
        module.send('late', { actor: module.idOf(cube) });
        await engine.step(0.1);
        await engine.flush();
        await isReported;
        await engine.dispose();
        return errors;
      });
      const current = threading === 'single' ? 'main' : 'render';
      expect(errors).toEqual([
        [
          'render-module-threw',
          expect.stringMatching(new RegExp(`belongs to the thread "render".*on the thread "${current}"`)),
        ],
      ]);
    });

    if (threading === 'single') continue;

    test(`R2: a command that hangs its thread is not repeated, and later commands run, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      test.setTimeout(timeLimit(60_000));
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      // These limits are shorter than the default ones, with which the test would wait for five seconds.
      await addProbe(page, threading, { reportSeconds: 0.5, restartSeconds: 1.5 });
      const { log, events } = await page.evaluate(async () => {
        const { engine, module, answer } = window.probe;
        const events = window.kit.listen(engine);
        await engine.step(0.1);
        module.send('note', 'done before');
        module.send('hang');
        module.send('note', 'after');
        const answered = answer<{ log: unknown[] }>('report');
        await engine.step(0.1);
        const { log } = await answered;
        await engine.dispose();
        return { log, events };
      });
      expect(log.map((entry) => (entry as unknown[])[1])).toEqual(['after']);
      expect(events).toContain('threadrestarted render');
    });

    test(`R8: callbacks also run before the frames that the render thread draws by itself, ${label}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await open(page, isolatedURL, plainURL);
      const order = await page.evaluate(async () => {
        const { engine, cube, answer } = window.probe;
        cube.motion = window.fencepost.spin({ axis: [0, 0, 1], radiansPerSecond: 1 });
        engine.start();
        await engine.whenReady();
        for (let count = 0; count < 10; count++)
          await new Promise((resolve) => requestAnimationFrame(resolve));
        const end = performance.now() + 2000;
        while (performance.now() < end);
        const order = await answer<string[]>('order');
        await engine.dispose();
        return order;
      });
      const ticks = order.filter((entry) => entry.startsWith('a'));
      expect(ticks.length).toBeGreaterThan(new Set(ticks).size);
    });
  }
}
