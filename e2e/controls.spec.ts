import type { CDPSession, Page } from '@playwright/test';
import type { Actor, CameraComponent, Engine, OrbitControls } from 'fencepost';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { changesOf } from './threading-modes.js';

// The controls of a camera with real pointers, wheels, touches and keys.

/** The objects of the page that the functions below work with. */
interface Held {
  engine: Engine;
  camera: Actor<CameraComponent>;
  controls: OrbitControls;
  clicks: string[];
  heard: string[];
  arrival: Promise<boolean>;
}

type Point = readonly [x: number, y: number];

/** Touches the page at some points, moves the fingers by as many others, and lifts them. */
async function touch(session: CDPSession, from: readonly Point[], to: readonly Point[]): Promise<void> {
  const points = (all: readonly Point[]) => all.map(([x, y], id) => ({ x, y, id }));
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', all: readonly Point[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: points(all) });
  await send('touchStart', from);
  // A browser decides at the first moves whether they scroll.
  for (const share of [0.25, 0.5, 0.75, 1]) {
    const between = (index: number, axis: 0 | 1): number => {
      const start = from[index]?.[axis] ?? 0;
      return start + share * ((to[index]?.[axis] ?? 0) - start);
    };
    await send(
      'touchMove',
      from.map((_, index) => [between(index, 0), between(index, 1)]),
    );
  }
  await send('touchEnd', []);
}

/** Draws a frame. @returns the pose of the controls, and the name of the colour in the middle of the picture */
const look = (page: Page) =>
  page.evaluate(async () => {
    const { engine, controls } = window as unknown as Held;
    await engine.step(0);
    const { data, width, height } = await engine.captureFrame();
    const at = (Math.floor(height / 2) * width + Math.floor(width / 2)) * 4;
    const color = { '255,0,0': 'red', '0,255,0': 'green' }[data.slice(at, at + 3).join()] ?? 'other';
    const round = (value: number): number => Math.round(value * 1000) / 1000 + 0;
    const { azimuth, polar, distance, target } = controls;
    return {
      color,
      azimuth: round(azimuth),
      polar: round(polar),
      distance: round(distance),
      target: target.map(round),
    };
  });

async function drag(page: Page, [x, y]: Point, [right, down]: Point, button: 'left' | 'right' = 'left') {
  await page.mouse.move(x, y);
  await page.mouse.down({ button });
  await page.mouse.move(x + right, y + down, { steps: 4 });
  await page.mouse.up({ button });
}

for (const isolated of [true, false]) {
  test(`pointers, wheel, keys, touches and flights move the camera within its limits, in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openEnginePage(page, isolated ? isolatedURL : plainURL);
    const session = await page.context().newCDPSession(page);
    const all: unknown[] = [];
    for (const [threading, next] of changesOf(isolated)) {
      await page.evaluate(async (threading) => {
        const { fencepost, kit } = window;
        const engine = await fencepost.createEngine(kit.view, { threading, antialias: false });
        const { world } = engine;
        const camera = world.addCamera({ position: [0, 0, 6] });
        const clicks: string[] = [];
        for (const [name, baseColor, position] of [
          ['red box', '#f00', [0, 0, 1.5]],
          ['green box', '#0f0', [-1.5, 0, 0]],
        ] as const) {
          const material = fencepost.unlitMaterial({ baseColor });
          const box = world.addMesh({
            geometry: fencepost.boxGeometry({ size: 2 }),
            material,
            position,
            name,
          });
          box.addEventListener('click', () => clicks.push(name));
        }
        const controls = fencepost.orbitControls(engine, camera, {
          damping: 0,
          keys: true,
          zoomToPointer: true,
          targetBounds: { min: [-1, -1, -1], max: [1, 1, 1] },
        });
        const heard: string[] = [];
        for (const type of ['start', 'change', 'end'] as const) {
          controls.addEventListener(type, () => heard.push(type));
        }
        await engine.whenReady();
        Object.assign(window, { engine, camera, controls, clicks, heard });
      }, threading);
      const clicksAfter = (count: number) =>
        expect.poll(() => page.evaluate(() => (window as unknown as Held).clicks)).toHaveLength(count);

      const seen: Record<string, unknown> = { start: await look(page) };
      await page.mouse.click(64, 64);
      await clicksAfter(1);
      // A quarter of the height is a quarter turn. The click at its end is withheld.
      await drag(page, [48, 64], [32, 0]);
      seen.turned = await look(page);
      seen.heard = await page.evaluate(() => [...new Set((window as unknown as Held).heard)].sort());
      await page.mouse.click(64, 64);
      await clicksAfter(2);
      seen.clicks = await page.evaluate(() => (window as unknown as Held).clicks);
      // The camera stays above the floor, and the target in its box.
      await drag(page, [64, 64], [0, 40]);
      seen.above = await look(page);
      await drag(page, [64, 64], [0, -120]);
      seen.floor = await look(page);
      await drag(page, [20, 64], [100, 0], 'right');
      seen.panned = await look(page);
      await page.mouse.move(96, 64);
      await page.mouse.wheel(0, -200);
      seen.zoomed = await look(page);
      // The click has focused the canvas, so it receives the keys.
      for (const key of ['ArrowLeft', 'ArrowUp', 'Shift+ArrowUp', '-']) await page.keyboard.press(key);
      seen.keys = await look(page);
      await touch(session, [[64, 64]], [[32, 64]]);
      seen.touched = await look(page);
      await touch(
        session,
        [
          [56, 64],
          [72, 64],
        ],
        [
          [40, 64],
          [88, 64],
        ],
      );
      seen.pinched = await look(page);
      await page.evaluate(() => {
        (window as unknown as Held).controls.isEnabled = false;
        document.body.style.height = '3000px';
      });
      await touch(session, [[64, 100]], [[64, 20]]);
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
      await page.evaluate(() => {
        // A page without overflow ends the scrolling that continues after a touch.
        document.body.style.height = '';
        scrollTo(0, 0);
        (window as unknown as Held).controls.isEnabled = true;
      });
      seen.unmoved = await look(page);

      seen.flight = await page.evaluate(async () => {
        const { controls, camera, engine } = window as unknown as Held;
        const arrival = controls.flyTo({ position: [6, 0, 0], target: [0, 0, 0], seconds: 2 });
        await engine.step(1);
        const halfway = camera.position.x;
        await engine.step(1);
        return { halfway, hasArrived: await arrival, end: [camera.position.x, camera.position.z] };
      });
      await page.evaluate(async () => {
        const { controls, engine } = window as unknown as Held;
        const arrival = controls.flyTo({ position: [0, 0, 6], seconds: 2 });
        Object.assign(window, { arrival });
        await engine.step(0.5);
      });
      await page.mouse.move(64, 64);
      await page.mouse.wheel(0, 100);
      seen.interrupted = await page.evaluate(() => (window as unknown as Held).arrival);

      // Other threads draw to another canvas. It gets the input, and keeps the page's touch-action.
      await page.evaluate(async (next) => {
        const { controls, engine } = window as unknown as Held;
        await engine.setThreading(next);
        await engine.step(0);
        controls.azimuth = 0;
      }, next);
      await drag(page, [48, 64], [32, 0]);
      seen.switched = (await look(page)).azimuth;
      seen.end = await page.evaluate(async () => {
        const { controls, engine } = window as unknown as Held;
        const { canvas } = engine;
        const before = [canvas.style.touchAction, canvas.tabIndex];
        controls.isEnabled = false;
        const after = [canvas.style.touchAction, canvas.tabIndex];
        const { leaks } = await engine.dispose();
        return { before, after, leaks };
      });
      all.push(seen);
    }
    for (const seen of all) expect(seen).toEqual(all[0]);
    expect(all[0]).toMatchObject({
      start: { color: 'red', azimuth: 0 },
      turned: { color: 'green', azimuth: -1.571 },
      heard: ['change', 'end', 'start'],
      clicks: ['red box', 'green box'],
      above: { azimuth: -1.571, polar: 0.01 },
      floor: { polar: 1.571 },
      panned: { target: [0, 0, -1] },
      // The pointer is a quarter of the picture's height right of the middle, towards +Z: 6 m · tan(π/8) / 2.
      zoomed: { distance: 4.912, target: [0, 0, -0.775] },
      // A sixtieth of a turn to the left and upwards, a twentieth of the picture's height upwards, and a zoom.
      keys: { azimuth: -1.676, polar: 1.466, distance: 5.458 },
      touched: { color: 'red', azimuth: -0.105 },
      pinched: { distance: 1.819 },
      unmoved: { azimuth: -0.105, polar: 1.466, distance: 1.819 },
      flight: { hasArrived: true, end: [6, expect.closeTo(0, 9)] },
      interrupted: false,
      switched: -1.571,
      end: { before: ['none', 0], after: ['', -1], leaks: [] },
    });
  });
}

test('each view has controls of its own, also on a canvas that a change of threads has replaced', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { threading: 'single', antialias: false });
    const { world } = engine;
    world.addMesh({ geometry: fencepost.boxGeometry(), material: fencepost.unlitMaterial() });
    const add = () => world.addCamera({ position: [0, 0, 6] });
    const [corner, own, main] = [add(), add(), add()];
    const map = document.createElement('canvas');
    map.style.cssText = 'display: block; width: 128px; height: 64px; touch-action: pan-y';
    document.body.append(map);
    const part = engine.addView({ camera: corner, rect: { x: 0.5, y: 0, width: 0.5, height: 0.5 } });
    const view = engine.addView({ camera: own, canvas: map });
    const options = { damping: 0 };
    const all = [
      fencepost.orbitControls(engine, main, options),
      fencepost.orbitControls(part, corner, options),
      fencepost.orbitControls(map, own, options),
    ];
    await engine.whenReady();
    await engine.step(0);
    Object.assign(window, { engine, all, view });
  });
  /** Returns the azimuths in eighths of a turn, and resets them. */
  const turns = () =>
    page.evaluate(() => {
      const { all } = window as unknown as { all: OrbitControls[] };
      const eighths = all.map(({ azimuth }) => Math.round(azimuth / (Math.PI / 4)) + 0);
      for (const controls of all) controls.azimuth = 0;
      return eighths;
    });
  /** Drags on the engine's canvas, in the view on it, and on the view's own canvas. */
  const dragEach = async (): Promise<unknown[]> => {
    const seen: unknown[] = [];
    for (const [x, y] of [
      [20, 100],
      [80, 20],
      [20, 160],
    ] as const) {
      await drag(page, [x, y], [16, 0]);
      seen.push(await turns());
    }
    return seen;
  };
  // The views have 64 pixels of height, and the engine's canvas has 128: 16 pixels are a quarter or an eighth of a turn.
  const expected = [
    [-1, 0, 0],
    [0, -2, 0],
    [0, 0, -2],
  ];
  expect(await dragEach()).toEqual(expected);
  const styles = await page.evaluate(async () => {
    const { engine, all, view } = window as unknown as {
      engine: Engine;
      all: OrbitControls[];
      view: { readonly canvas: HTMLCanvasElement; dispose(): void };
    };
    const before = view.canvas;
    const isReplaced = new Promise<void>((resolve) =>
      engine.addEventListener('surfacechange', ({ detail }) => detail.view && resolve()),
    );
    await engine.setThreading('render');
    await engine.step(0);
    await isReplaced;
    const styles = [before === view.canvas, view.canvas.style.touchAction];
    for (const controls of all) controls.isEnabled = false;
    styles.push(view.canvas.style.touchAction, engine.canvas.style.touchAction);
    for (const controls of all) controls.isEnabled = true;
    for (const canvas of [before, view.canvas]) {
      try {
        window.fencepost.dragControls(canvas, []).dispose();
        styles.push('found');
      } catch {
        styles.push('refused');
      }
    }
    return styles;
  });
  expect(styles).toEqual([false, 'none', 'pan-y', '', 'refused', 'found']);
  expect(await dragEach()).toEqual(expected);
  const end = await page.evaluate(async () => {
    const { engine, all, view } = window as unknown as {
      engine: Engine;
      all: OrbitControls[];
      view: { readonly canvas: HTMLCanvasElement; dispose(): void };
    };
    const arrival = all[2]?.flyTo({ target: [1, 0, 0] });
    view.dispose();
    const hasArrived = await arrival;
    const { leaks } = await engine.dispose();
    document.querySelector('body > canvas')?.remove();
    return { hasArrived, afterwards: await all[0]?.flyTo({ target: [1, 0, 0] }), leaks };
  });
  expect(end).toEqual({ hasArrived: false, afterwards: false, leaks: [] });
});
