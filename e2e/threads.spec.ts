/**
 * Rules between threads: events of threads, waits that would never end, calls on the wrong thread, and the
 * thread that draws.
 */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const modes = ['single', 'render', 'render+rhi'] as const;

/**
 * A module whose command calls a function that the page has put on `globalThis`. In `single` mode, this
 * function therefore calls the game's API during the render thread's work.
 */
const TRESPASSER = `
export default (api) => {
  api.defineCommand('trespass', () => {
    try {
      globalThis.trespass();
      api.post(null);
    } catch ({ code, message }) {
      api.post({ code, message });
    }
  });
};`;

test('R3: threadcreated and threaddestroyed report every thread: at the start, on a switch, at the end', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const events = await page.evaluate(async (modes) => {
    const { kit } = window;
    const events: Record<string, string[]> = {};
    for (const from of modes) {
      for (const to of modes) {
        if (from === to) continue;
        const engine = await window.fencepost.createEngine(kit.view, { threading: from });
        const heard: string[] = [];
        engine.addEventListener('threadcreated', ({ detail }) => heard.push(`+${detail.thread}`));
        engine.addEventListener('threaddestroyed', ({ detail }) => heard.push(`-${detail.thread}`));
        await engine.step(0);
        heard.push('drawn');
        await engine.setThreading(to);
        await engine.setThreading(to); // nothing to do
        heard.push('switched');
        await engine.dispose();
        events[`${from} to ${to}`] = heard;
      }
    }
    return events;
  }, modes);
  expect(events).toEqual({
    'single to render': ['drawn', '+render', 'switched', '-render'],
    'single to render+rhi': ['drawn', '+render', '+RHI', 'switched', '-render', '-RHI'],
    'render to single': ['+render', 'drawn', '-render', 'switched'],
    'render to render+rhi': ['+render', 'drawn', '+RHI', 'switched', '-render', '-RHI'],
    'render+rhi to single': ['+render', '+RHI', 'drawn', '-render', '-RHI', 'switched'],
    'render+rhi to render': ['+render', '+RHI', 'drawn', '-RHI', 'switched', '-render'],
  });
});

for (const threading of modes) {
  test(`R2: enqueueing while blocked on the render thread is refused at once with both threads’ names, ${threading}`, async ({
    page,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolatedURL);
    const result = await page.evaluate(async (threading) => {
      const { kit } = window;
      const engine = await window.fencepost.createEngine(kit.view, { threading });
      await engine.step(0);
      const errors: { code: string; message: string }[] = [];
      engine.addEventListener('error', ({ detail: { code, message } }) => errors.push({ code, message }));
      const fence = await engine.renderFence();
      const source = `data:text/javascript,export default ({ defineCommand }) => defineCommand('note', () => {});`;
      const module = await engine.addRenderModule(source, { name: 'notes' });
      const calls: Record<string, () => unknown> = {
        'send() of a render module': () => module.send('note'),
        'step()': () => engine.step(0),
        'flush()': () => engine.flush(),
        'whenReady()': () => engine.whenReady(),
        'captureFrame()': () => engine.captureFrame(),
        'wait() of a render fence': () => fence.wait(),
      };
      // None of the calls runs into its time limit.
      for (const [name, call] of Object.entries(calls)) {
        engine.addFramePrerequisite(async () => call(), { name, seconds: 5 });
        await engine.step(0);
      }
      const { frame } = engine.stats();
      await engine.dispose();
      return { errors, frame };
    }, threading);
    expect(result.frame).toBe(7);
    const names = [
      'send() of a render module',
      'step()',
      'flush()',
      'whenReady()',
      'captureFrame()',
      'wait() of a render fence',
    ];
    expect(result.errors).toEqual(
      names.map(() => ({
        code: 'blocked-on-render-thread',
        message: expect.stringMatching(/The thread "main" would wait for the thread "render"/),
      })),
    );
    for (const [index, name] of names.entries())
      expect(result.errors[index]?.message).toContain(`${name} was called`);
  });
}

test('R2 R10: in single mode, game calls during the render thread’s work fail with both thread names; without validation only commands do', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const caught = await page.evaluate(async (source) => {
    const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
    const caught: Record<string, unknown> = {};
    for (const validation of [true, false]) {
      const engine = await createEngine(window.kit.view, { threading: 'single', validation });
      const cube = engine.world.addMesh({ geometry: boxGeometry(), material: standardMaterial() });
      const module = await engine.addRenderModule(`data:text/javascript,${encodeURIComponent(source)}`);
      await engine.step(0);
      const calls: Record<string, () => unknown> = {
        enqueue: () => module.send('trespass'),
        spawn: () => engine.world.addCamera(),
        change: () => {
          cube.root.visible = !cube.root.visible;
        },
        engine: () => engine.invalidate(),
      };
      for (const [name, call] of Object.entries(calls)) {
        const answer = new Promise((resolve) => {
          const end = module.onMessage((value) => {
            end();
            resolve(value);
          });
        });
        Object.assign(globalThis, { trespass: call });
        module.send('trespass');
        await engine.step(0);
        caught[`${name}, ${validation ? 'checked' : 'as the page is built'}`] = await answer;
      }
      await engine.dispose();
    }
    return caught;
  }, TRESPASSER);
  const refused = {
    code: 'wrong-thread',
    message: expect.stringMatching(/belongs to the thread "main".*on the thread "render"/),
  };
  expect(caught).toEqual({
    'enqueue, checked': refused,
    'spawn, checked': refused,
    'change, checked': refused,
    'engine, checked': refused,
    // Commands are always checked. All other calls are checked only in development builds and with the option
    // `validation`.
    'enqueue, as the page is built': refused,
    'spawn, as the page is built': null,
    'change, as the page is built': null,
    'engine, as the page is built': null,
  });
});

test('R17: engine.drawingThread names the one owner of device and surface, which changes only between frames', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async (modes) => {
    const { kit } = window;
    const engine = await window.fencepost.createEngine(kit.view, { threading: 'single' });
    kit.addScene(engine);
    const seen: string[] = [];
    const torn: string[] = [];
    const now = () => `${engine.threading}: ${engine.drawingThread}`;
    let before = '';
    engine.world.onTick(
      () => {
        before = now();
        if (seen.at(-1) !== before) seen.push(before);
      },
      { group: 'pre-physics' },
    );
    engine.world.onTick(
      () => {
        if (now() !== before) torn.push(`${before} then ${now()}`);
      },
      { group: 'post-update' },
    );
    engine.start();
    for (const mode of [...modes, ...modes]) {
      // The change is requested in the middle of a tick.
      await new Promise<void>((resolve, reject) => {
        const end = engine.world.onTick(() => {
          end();
          engine.setThreading(mode).then(resolve, reject);
        });
      });
      const { frame } = engine.stats();
      await new Promise<void>((resolve) => {
        const end = engine.world.onTick(() => {
          if (engine.stats().frame < frame + 2) return;
          end();
          resolve();
        });
      });
    }
    const whileLost = new Promise((resolve) =>
      engine.addEventListener('devicelost', () => resolve(engine.drawingThread), { once: true }),
    );
    const isBack = new Promise((resolve) =>
      engine.addEventListener('devicerestored', () => resolve(engine.drawingThread), { once: true }),
    );
    await engine.simulateDeviceLoss();
    const loss = [await whileLost, await isBack];
    const { leaks } = await engine.dispose();
    return { seen, torn, loss, leaks, atEnd: engine.drawingThread };
  }, modes);
  expect(result).toEqual({
    seen: [
      'single: main',
      'render: render',
      'render+rhi: RHI',
      'single: main',
      'render: render',
      'render+rhi: RHI',
    ],
    torn: [],
    loss: [null, 'RHI'],
    leaks: [],
    atEnd: null,
  });
});

test('R17: no frame is produced while device and surface pass on to other threads', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async (modes) => {
    const { kit } = window;
    const engine = await window.fencepost.createEngine(kit.view, { threading: 'single' });
    kit.addScene(engine);
    const source = 'data:text/javascript,export default () => {};';
    const module = await engine.addRenderModule(source, { name: 'watch' });
    const drawn: (string | null)[] = [];
    engine.world.onTick(() => void drawn.push(engine.drawingThread));
    // The module is loaded again while no thread owns the device and the surface. A step that is requested
    // then must wait.
    const between: (string | null)[] = [];
    let step: Promise<void> = Promise.resolve();
    module.onRestored(() => {
      between.push(engine.drawingThread);
      step = engine.step(0);
    });
    await engine.step(0);
    for (const mode of [...modes.slice(1), ...modes]) {
      await engine.setThreading(mode);
      await step;
    }
    const { leaks } = await engine.dispose();
    return { drawn, between, leaks };
  }, modes);
  expect(result).toEqual({
    drawn: ['main', 'render', 'RHI', 'main', 'render', 'RHI'],
    between: Array(5).fill(null),
    leaks: [],
  });
});
