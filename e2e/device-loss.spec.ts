/**
 * The GPU device is lost at every phase of a frame, in every threading mode. The picture returns byte for byte,
 * and pending promises resolve.
 */
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { PHASES, prepareLosses } from './lose-device.js';
import { openEnginePage } from './open-engine-page.js';
import { referenceGlb } from './reference-glb.js';

const modes = ['single', 'render', 'render+rhi'] as const;

test.beforeEach(({ expectErrors }) => expectErrors(/device was lost|no device for now/i));

for (const threading of modes) {
  test(`R9: ${threading}: a device loss at any phase of a frame leaves the pixels the same`, async ({
    page,
    context,
    isolatedURL,
  }) => {
    test.setTimeout(timeLimit(180_000));
    await prepareLosses(page, context);
    await openEnginePage(page, isolatedURL);
    const results = await page.evaluate(
      async ([threading, phases]) => {
        const { kit } = window;
        const run = async (call: string | null) => {
          const engine = await window.fencepost.createEngine(kit.view, { threading, background: '#123' });
          const cube = kit.addScene(engine);
          const events = kit.listen(engine);
          await engine.step(0.1);
          const total = engine.stats().presentedFrames;
          if (call) await window.loseDevice(call);
          // This mesh needs new buffers, a new pipeline and a new picture.
          engine.world.addMesh({
            geometry: window.fencepost.boxGeometry({ size: 0.3 }),
            material: window.fencepost.standardMaterial({ baseColor: '#fff8', alphaMode: 'blend' }),
            position: [0.5, 0.8, 0.6],
          });
          cube.rotateY(0.3);
          const [, picture] = await Promise.all([engine.step(0.1), kit.picture(engine), engine.step(0)]);
          await engine.flush();
          const hasGrown = engine.stats().presentedFrames > total;
          const { leaks } = await engine.dispose();
          return { call, picture, events, hasGrown, leaks };
        };
        const results = [];
        for (const call of [null, ...phases]) results.push(await run(call));
        return results;
      },
      [threading, Object.values(PHASES)] as const,
    );
    const [undisturbed, ...disturbed] = results;
    expect(undisturbed!.events).toEqual([]);
    for (const { call, ...result } of disturbed) {
      expect(result, String(call)).toEqual({
        picture: undisturbed!.picture,
        events: ['devicelost destroyed', 'devicerestored'],
        hasGrown: true,
        leaks: [],
      });
    }
  });

  test(`R9: ${threading}: the engine recovers from a loss before the first frame, twice in a row, while restarting, and while running`, async ({
    page,
    context,
    plainURL,
  }) => {
    await prepareLosses(page, context);
    await openEnginePage(page, plainURL);
    const result = await page.evaluate(async (threading) => {
      const { kit } = window;
      const engine = await window.fencepost.createEngine(kit.view, { threading, background: '#123' });
      const events = kit.listen(engine);
      /** Returns the events so far, once the last of them is `devicerestored`. */
      const take = async () => {
        while (events.at(-1) !== 'devicerestored') {
          await new Promise((resolve) => engine.addEventListener('devicerestored', resolve, { once: true }));
        }
        return events.splice(0);
      };
      await engine.simulateDeviceLoss();
      kit.addScene(engine);
      await engine.step(0.1);
      const first = await kit.picture(engine);
      const beforeFirst = await take();

      await engine.simulateDeviceLoss();
      await engine.simulateDeviceLoss();
      const second = await kit.picture(engine);
      await engine.flush();
      const twice = await take();

      // The new device is lost while the scene is drawn on it for the first time.
      await window.loseDevice('GPUQueue.submit');
      const lostAgain = new Promise<void>((resolve) =>
        engine.addEventListener('devicelost', () => resolve(window.loseDevice('GPUQueue.submit')), {
          once: true,
        }),
      );
      const third = await kit.picture(engine);
      await lostAgain;
      const fourth = await kit.picture(engine);
      await engine.flush();
      const restarting = await take();

      engine.start();
      await engine.simulateDeviceLoss();
      const { frame } = engine.stats();
      await new Promise<void>((resolve) => {
        engine.world.onTick(() => engine.stats().frame > frame + 5 && resolve());
      });
      engine.stop();
      const fifth = await kit.picture(engine);
      const running = await take();
      const { leaks } = await engine.dispose();
      return {
        pictures: [first, second, third, fourth, fifth],
        beforeFirst,
        twice,
        restarting,
        running,
        leaks,
      };
    }, threading);
    expect(new Set(result.pictures).size).toBe(1);
    const once = ['devicelost destroyed', 'devicerestored'];
    expect(result.beforeFirst).toEqual(once);
    expect(result.twice.filter((event) => event === 'devicelost destroyed')).toHaveLength(2);
    expect(result.twice.at(-1)).toBe('devicerestored');
    expect(result.restarting.filter((event) => event === 'devicelost destroyed')).toHaveLength(2);
    expect(result.restarting.at(-1)).toBe('devicerestored');
    expect(result.running).toEqual(once);
    expect(result.leaks).toEqual([]);
  });

  test(`R9: ${threading}: the engine recovers from a loss during a load, and during a capture of the RHI stream`, async ({
    page,
    context,
    isolatedURL,
  }) => {
    await prepareLosses(page, context);
    await openEnginePage(page, isolatedURL);
    const glb = await referenceGlb();
    const result = await page.evaluate(
      async ([threading, base64]) => {
        const { kit } = window;
        const run = async (isLost: boolean) => {
          const engine = await window.fencepost.createEngine(kit.view, { threading, background: '#123' });
          const events = kit.listen(engine);
          engine.world.addCamera({ position: [1.5, 1.2, 3], lookAt: [0.2, 0, 0] });
          await engine.step(0);
          await engine.startCapture();
          const loads = [
            engine.world.load(kit.bytes(base64)),
            engine.world.load(kit.bytes(base64), { position: [0, 0.5, 0] }),
          ];
          if (isLost) await engine.simulateDeviceLoss();
          await Promise.all(loads);
          if (isLost) await window.loseDevice('GPUQueue.writeTexture');
          await engine.whenReady();
          await engine.step(0.1);
          const picture = await kit.picture(engine);
          const file = await engine.stopCapture();
          const { leaks } = await engine.dispose();
          return { picture, events, leaks, bytes: file.byteLength };
        };
        return [await run(false), await run(true)];
      },
      [threading, glb] as const,
    );
    const [undisturbed, lost] = result;
    expect(lost!.picture).toBe(undisturbed!.picture);
    expect(lost!.events).toEqual(['devicelost destroyed', 'devicerestored']);
    expect(lost!.bytes).toBeGreaterThan(1000);
    expect(lost!.leaks).toEqual([]);
  });
}

test('R9: while there is no adapter, one error and a message over the canvas report this, and the picture returns afterwards', async ({
  page,
  context,
  isolatedURL,
}) => {
  await prepareLosses(page, context);
  await openEnginePage(page, isolatedURL);
  const all = await page.evaluate(async (modes) => {
    const { kit } = window;
    const all = [];
    for (const threading of modes) {
      const engine = await window.fencepost.createEngine(kit.view, {
        threading,
        background: '#123',
        deviceLostMessage: true,
      });
      kit.addScene(engine);
      const events = kit.listen(engine);
      await engine.step(0);
      const before = await kit.picture(engine);
      const message = () => kit.view.querySelector('.fencepost-message')?.textContent ?? '';
      let shown = '';
      // The message appears in the same turn as the event.
      engine.addEventListener('error', () => queueMicrotask(() => (shown = message())));
      await window.loseDevice('adapters 2');
      await engine.simulateDeviceLoss();
      const isSame = (await kit.picture(engine)) === before;
      await engine.flush();
      all.push({ events, shown, isSame, left: message() });
      // Resets the page's own count of missing adapters, which the next `createEngine` uses.
      await window.loseDevice('adapters 0');
      await engine.dispose();
    }
    return all;
  }, modes);
  for (const { shown, ...result } of all) {
    expect(shown).toMatch(/graphics device was lost/);
    expect(result).toEqual({
      events: ['devicelost destroyed', 'error device-unavailable', 'devicerestored'],
      isSame: true,
      left: '',
    });
  }
});
