import { decodePng, pixelAt } from 'fencepost/testing';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

// Changes to an engine that has drawn a frame and is not running.

type Engine = Awaited<ReturnType<typeof window.fencepost.createEngine>>;
type Mesh = ReturnType<Engine['world']['addMesh']>;

/** The objects of the page that draws only changes. */
interface Held {
  engine: Engine;
  box: Mesh;
  camera: ReturnType<Engine['world']['addCamera']>;
  pass(count?: number): Promise<number>;
  rest(): Promise<void>;
  spin: typeof window.fencepost.spin;
  orbitControls: typeof window.fencepost.orbitControls;
}

declare global {
  interface Window {
    resting: { engine: Engine; box: Mesh; drawn: () => Promise<void> };
  }
}

for (const threading of MODES) {
  test(`an engine at rest draws changes by itself, ${threading}`, async ({ page, plainURL }) => {
    await openEnginePage(page, plainURL);
    await page.evaluate(async (threading) => {
      const { boxGeometry, createEngine, unlitMaterial } = window.fencepost;
      const { view } = window.kit;
      view.style.cssText = 'position:fixed;left:0;top:0;width:100px;height:100px';
      const engine = await createEngine(view, { threading, antialias: false });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 5], orthographic: { halfHeight: 5 } });
      const box = world.addMesh({
        geometry: boxGeometry({ size: 4 }),
        material: unlitMaterial({ baseColor: '#f00' }),
      });
      await engine.whenReady();
      let { frame } = engine.stats();
      /** Resolves when the page shows a frame that the test did not request. */
      const drawn = async (): Promise<void> => {
        const animationFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        while (engine.stats().frame === frame) await animationFrame();
        ({ frame } = engine.stats());
        await engine.flush();
        await animationFrame();
        await animationFrame();
        if (engine.stats().frame !== frame) throw new Error('One change drew more than one frame.');
      };
      window.resting = { engine, box, drawn };
    }, threading);
    const shown = async (x: number, y: number): Promise<number[]> =>
      pixelAt(decodePng(await page.screenshot()), x, y).slice(0, 3);

    await page.evaluate(async () => {
      const { engine, drawn } = window.resting;
      engine.background = '#00f';
      await drawn();
    });
    expect([await shown(50, 50), await shown(10, 10)]).toEqual([
      [255, 0, 0],
      [0, 0, 255],
    ]);
    await page.evaluate(async () => {
      const { box, drawn } = window.resting;
      box.root.material.baseColor = '#0f0';
      await drawn();
    });
    expect(await shown(50, 50)).toEqual([0, 255, 0]);
    // Blending needs a new pipeline, which the frame waits for.
    await page.evaluate(async () => {
      const { box, drawn } = window.resting;
      box.root.material.alphaMode = 'blend';
      await drawn();
    });
    expect(await shown(50, 50)).toEqual([0, 255, 0]);
    await page.evaluate(async () => {
      const { box, drawn } = window.resting;
      box.position.set(-3, 3, 0);
      box.scale.set(0.5, 0.5, 0.5);
      await drawn();
    });
    expect([await shown(50, 50), await shown(20, 20)]).toEqual([
      [0, 0, 255],
      [0, 255, 0],
    ]);
    // An image that arrives later causes another frame.
    await page.evaluate(async () => {
      const { engine, box } = window.resting;
      const animationFrames = async (count: number): Promise<void> => {
        for (let index = 0; index < count; index++)
          await new Promise((resolve) => requestAnimationFrame(resolve));
      };
      const canvas = new OffscreenCanvas(1, 1);
      const context = canvas.getContext('2d')!;
      context.fillStyle = '#fff';
      context.fillRect(0, 0, 1, 1);
      const { texture } = window.fencepost;
      box.root.material.baseColor = '#ff0';
      box.root.material.baseColorTexture = texture(await canvas.convertToBlob());
      while (engine.world.isPending) await animationFrames(1);
      await animationFrames(2);
      await engine.flush();
      await animationFrames(2);
    });
    expect(await shown(20, 20)).toEqual([255, 255, 0]);
    await page.evaluate(async () => {
      const { engine, box, drawn } = window.resting;
      // Consumes the frames that were drawn so far.
      await drawn();
      box.destroy();
      await drawn();
      await engine.dispose();
    });
  });
}

test('an engine that draws only changes rests without frames, draws a colour by itself, and follows a drag', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  await page.evaluate(async () => {
    const { boxGeometry, createEngine, orbitControls, spin, unlitMaterial } = window.fencepost;
    const { view } = window.kit;
    view.style.cssText = 'position:fixed;left:0;top:0;width:64px;height:64px';
    const engine = await createEngine(view, { antialias: false });
    const { world } = engine;
    const camera = world.addCamera({ position: [0, 0, 5] });
    const box = world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#f00' }) });
    const animationFrames = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++)
        await new Promise((resolve) => requestAnimationFrame(resolve));
    };
    /** Passes animation frames. @returns the number of frames drawn meanwhile */
    const pass = async (count = 60): Promise<number> => {
      const { frame } = engine.stats();
      await animationFrames(count);
      await engine.flush();
      return engine.stats().frame - frame;
    };
    /** Resolves when nothing was drawn for 10 animation frames. */
    const rest = async (): Promise<void> => {
      while ((await pass(10)) > 0);
    };
    engine.start({ when: 'changed' });
    await rest();
    Object.assign(window, { held: { engine, box, camera, pass, rest, spin, orbitControls } });
  });
  const shown = async (): Promise<number[]> =>
    pixelAt(decodePng(await page.screenshot()), 32, 32).slice(0, 3);
  const run = <Result>(work: (held: Held) => Promise<Result>): Promise<Result> =>
    page.evaluate(`(${work})(window.held)`) as Promise<Result>;

  expect(await shown()).toEqual([255, 0, 0]);
  expect(await run(({ pass }) => pass())).toBe(0);
  const colored = await run(async ({ box, pass }) => {
    box.root.material.baseColor = '#0f0';
    return pass();
  });
  expect([colored, await shown()]).toEqual([1, [0, 255, 0]]);
  const moved = await run(async ({ box, pass, rest, spin }) => {
    box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    const moving = await pass();
    box.motion = null;
    await rest();
    return [moving, await pass()];
  });
  expect(moved[0]).toBeGreaterThan(5);
  expect(moved[1]).toBe(0);

  await run(async ({ engine, camera, orbitControls, rest }) => {
    orbitControls(engine, camera, { target: [0, 0, 0] });
    await rest();
  });
  const before = await run(async ({ engine, camera }) => [engine.stats().frame, camera.position.x]);
  await page.mouse.move(20, 32);
  await page.mouse.down();
  await page.mouse.move(40, 32, { steps: 3 });
  await page.mouse.up();
  const after = await run(async ({ engine, camera, rest }) => {
    await rest();
    return [engine.stats().frame, camera.position.x];
  });
  expect(after[0]).toBeGreaterThan(before[0]!);
  expect(after[1]).toBeLessThan(before[1]! - 1);
  expect(await run(({ pass }) => pass())).toBe(0);
  await run(async ({ engine }) => void (await engine.dispose()));
});

test('an engine driven by steps draws only on steps, until it is invalidated', async ({ page, plainURL }) => {
  await openEnginePage(page, plainURL);
  const frames = await page.evaluate(async () => {
    const { kit, fencepost } = window;
    const engine = await fencepost.createEngine(kit.view);
    const box = kit.addScene(engine);
    const seen: number[] = [];
    /** Waits for two animation frames, so that a requested frame has been drawn. */
    const look = async (): Promise<void> => {
      for (let index = 0; index < 2; index++) await new Promise((resolve) => requestAnimationFrame(resolve));
      await engine.flush();
      seen.push(engine.stats().frame);
    };
    box.position.x = 1;
    await look();
    await engine.step(0);
    engine.background = '#00f';
    box.position.x = 2;
    await look();
    await engine.step(0);
    await look();
    engine.invalidate();
    await look();
    box.position.x = 3;
    await look();
    await engine.dispose();
    return seen;
  });
  expect(frames).toEqual([0, 1, 2, 3, 4]);
});
