/** Declared motion continues while the page is busy, does not jump afterwards, and is the same in every mode. */

import type { Page } from '@playwright/test';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { isolationsOf } from './threading-modes.js';

type Threading = 'single' | 'render' | 'render+rhi';

/** Observations before and after a block of the main thread. */
interface Block {
  readonly presentedBefore: number;
  readonly presentedAfter: number;
  readonly milliseconds: number;
  /** Angles in radians that the page reads before and after the block. */
  readonly angles: readonly number[];
  /** Hashes of pictures before and right after the block. */
  readonly hashes: readonly string[];
}

/**
 * Shows a box that spins at half a radian per second, has ended its motion or never moves. Measures before
 * and after a block of the main thread.
 */
function block(page: Page, threading: Threading, moves: 'spin' | 'ended' | 'nothing'): Promise<Block> {
  return page.evaluate(
    async ([threading, moves]) => {
      const { createEngine, boxGeometry, keyframes, spin, unlitMaterial } = window.fencepost;
      const engine = await createEngine(window.kit.view, { threading, antialias: false });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 4] });
      const box = world.addMesh({
        geometry: boxGeometry({ size: [2, 1, 1] }),
        material: unlitMaterial({ baseColor: '#f80' }),
      });
      if (moves === 'spin') box.motion = spin({ axis: [0, 0, 1], radiansPerSecond: 0.5 });
      if (moves === 'ended') box.motion = keyframes({ times: [0.01], positions: [0, 0.5, 0] });
      engine.start();
      await engine.whenReady();
      const settled = async (): Promise<number> => {
        // Messages that workers sent meanwhile arrive in their own tasks.
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
        return engine.stats().presentedFrames;
      };
      const ticks = (count: number) =>
        new Promise<void>((resolve) => {
          const stop = world.onTick(() => {
            if (--count > 0) return;
            stop();
            resolve();
          });
        });
      await ticks(10);
      const angle = (): number => 2 * Math.atan2(box.rotation.z, box.rotation.w);
      const picture = async (): Promise<string> => window.kit.hash((await engine.captureFrame()).data);
      const hashes = [await picture()];
      await ticks(1);
      const angles = [angle()];
      const presentedBefore = engine.stats().presentedFrames;
      const began = performance.now();
      while (performance.now() - began < 2000);
      const milliseconds = performance.now() - began;
      angles.push(angle());
      hashes.push(await picture());
      const presentedAfter = await settled();
      await engine.dispose();
      return { presentedBefore, presentedAfter, milliseconds, angles, hashes };
    },
    [threading, moves] as const,
  );
}

for (const threading of ['render', 'render+rhi'] as const) {
  for (const isolation of isolationsOf(threading)) {
    test(`the picture moves on while the main thread is blocked: ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const run = await block(page, threading, 'spin');
      // Bench B3 measures the rate. Without motion a few frames would still be drawn.
      expect(run.presentedAfter - run.presentedBefore).toBeGreaterThan(10);
      expect(run.angles[1]! - run.angles[0]!).toBeCloseTo(0.5 * (run.milliseconds / 1000), 1);
      expect(run.hashes[1]).not.toBe(run.hashes[0]);
    });
  }
}

for (const moves of ['nothing', 'ended'] as const) {
  test(`where ${moves === 'ended' ? 'all motion has ended' : 'nothing moves'}, no frames are drawn while the page is blocked, except those in flight`, async ({
    page,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolatedURL);
    const run = await block(page, 'render', moves);
    // Up to four frames are in flight. The tick and `captureFrame` each draw one more.
    expect(run.presentedAfter - run.presentedBefore).toBeLessThanOrEqual(6);
    expect(run.hashes[1]).toBe(run.hashes[0]);
  });
}

test('a stopped engine keeps its picture, and continues from there', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async () => {
    const { createEngine, boxGeometry, spin, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 4] });
    const box = world.addMesh({ geometry: boxGeometry({ size: [2, 1, 1] }), material: unlitMaterial() });
    box.motion = spin({ axis: [0, 0, 1], radiansPerSecond: 1 });
    const tick = () =>
      new Promise<void>((resolve) => {
        const stop = world.onTick(() => {
          stop();
          resolve();
        });
      });
    const angle = (): number => 2 * Math.atan2(box.rotation.z, box.rotation.w);
    const hash = async (): Promise<string> => window.kit.hash((await engine.captureFrame()).data);
    engine.start();
    await engine.whenReady();
    await tick();
    await tick();
    const began = performance.now();
    while (performance.now() - began < 500);
    engine.stop();
    const stopped = angle();
    await engine.step(0);
    const shown = await hash();
    const presented = engine.stats().presentedFrames;
    const later = performance.now();
    while (performance.now() - later < 500);
    const still = { angle: angle(), presented: engine.stats().presentedFrames, hash: await hash() };
    const restarted = performance.now();
    engine.start();
    await tick();
    await tick();
    const resumed = angle();
    const seconds = (performance.now() - restarted) / 1000;
    engine.stop();
    await engine.step(0.25);
    const stepped = angle();
    await engine.dispose();
    return { stopped, shown, presented, still, resumed, seconds, stepped };
  });
  expect(result.still).toEqual({ angle: result.stopped, presented: result.presented, hash: result.shown });
  expect(result.resumed).toBeGreaterThanOrEqual(result.stopped);
  // The angle must not include the half second of the stop, however long the next two frames took.
  expect(result.resumed - result.stopped).toBeLessThan(result.seconds + 0.25);
  expect(result.stepped - result.resumed).toBeGreaterThanOrEqual(0.25 - 1e-4);
});

/**
 * Steps a scene with every kind of motion. Returns a picture per step.
 * @param change runs between the second and the third step
 */
function steppedPictures(
  page: Page,
  threading: Threading,
  change: Threading | 'lose the device' | null = null,
): Promise<string[]> {
  return page.evaluate(
    async ([threading, change]) => {
      const { animate, boxGeometry, createEngine, keyframes, orbit, spin, standardMaterial } =
        window.fencepost;
      const engine = await createEngine(window.kit.view, { threading });
      const { world } = engine;
      const camera = world.addCamera({ position: [0, 2, 6], lookAt: [0, 0, 0] });
      camera.motion = orbit({ radiansPerSecond: 0.3, turnsAlong: true });
      world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
      const material = standardMaterial({ baseColor: '#888' });
      const [a, b, c, d] = [-2, -1, 1, 2].map((x) =>
        world.addMesh({ geometry: boxGeometry(), material, position: [x, 0, 0] }),
      );
      a!.motion = spin({ axis: [1, 1, 0], radiansPerSecond: 2 });
      b!.motion = orbit({ center: [0, 0, 0], radiansPerSecond: -1, turnsAlong: true });
      c!.motion = keyframes({
        times: [0, 0.3, 0.5],
        positions: [1, 0, 0, 1, 1, 0, 1, 0, 1],
        scales: [1, 1, 1, 0.5, 0.5, 0.5, 1, 1, 1],
        interpolation: 'cubic',
        loop: true,
      });
      d!.attachTo(b!);
      d!.motion = keyframes({ times: [0, 1], rotations: [0, 0, 0, 1, 0, 1, 0, 0] });
      material.motion = animate({ times: [0, 1], baseColor: ['#f00', '#00f'], roughness: [0.2, 1] });
      const hashes: string[] = [];
      for (const seconds of [0, 0.1, 0.35, 0.01, 0.5]) {
        if (seconds === 0.35) {
          if (change === 'lose the device') await engine.simulateDeviceLoss();
          else if (change) await engine.setThreading(change);
        }
        await engine.step(seconds);
        hashes.push(window.kit.hash((await engine.captureFrame()).data));
      }
      await engine.dispose();
      return hashes;
    },
    [threading, change] as const,
  );
}

test('stepped motion draws the same bytes in every threading mode, isolated or not', async ({
  page,
  isolatedURL,
  plainURL,
}) => {
  test.setTimeout(timeLimit(180_000));
  const runs: string[][] = [];
  for (const origin of [isolatedURL, plainURL]) {
    await openEnginePage(page, origin);
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      runs.push(await steppedPictures(page, threading));
    }
  }
  expect(new Set(runs[0]).size).toBe(5);
  for (const run of runs) expect(run).toEqual(runs[0]);
});

test('motion is in the same phase after a change of threads and after a lost device', async ({
  page,
  isolatedURL,
  expectErrors,
}) => {
  test.setTimeout(timeLimit(180_000));
  expectErrors(/device was lost|Device lost|device.*destroyed/i);
  await openEnginePage(page, isolatedURL);
  const reference = await steppedPictures(page, 'render');
  expect(await steppedPictures(page, 'render', 'render+rhi')).toEqual(reference);
  expect(await steppedPictures(page, 'render+rhi', 'single')).toEqual(reference);
  expect(await steppedPictures(page, 'render', 'lose the device')).toEqual(reference);
});

test('a hidden page is not drawn, even while things move', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const presented = await page.evaluate(async () => {
    const { createEngine, boxGeometry, spin, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 4] });
    const box = world.addMesh({ geometry: boxGeometry(), material: unlitMaterial() });
    box.motion = spin({ axis: [0, 0, 1], radiansPerSecond: 1 });
    engine.start();
    await engine.whenReady();
    await new Promise<void>((resolve) => world.onTick(() => resolve()));
    document.dispatchEvent(new Event('visibilitychange'));
    const before = engine.stats().presentedFrames;
    const began = performance.now();
    while (performance.now() - began < 1000);
    const presented = engine.stats().presentedFrames - before;
    await engine.dispose();
    return presented;
  });
  // Up to four frames are in flight. The tick draws one more.
  expect(presented).toBeLessThanOrEqual(5);
});

test('declared motion matches page code at the same scene times, also when page code takes over', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const [declared, driven] = await page.evaluate(async () => {
    const { boxGeometry, createEngine, keyframes, unlitMaterial } = window.fencepost;
    const run = async (isDeclared: boolean): Promise<string[]> => {
      const engine = await createEngine(document.body.appendChild(document.createElement('div')), {
        antialias: false,
      });
      engine.canvas.style.cssText = 'width: 128px; height: 128px';
      const { world } = engine;
      world.addCamera({ position: [0, 0, 5] });
      const box = world.addMesh({ geometry: boxGeometry(), material: unlitMaterial({ baseColor: '#f80' }) });
      const place = (seconds: number): void => box.position.set(-1 + 2 * Math.min(seconds, 1), 0, 0);
      if (isDeclared) box.motion = keyframes({ times: [0, 1], positions: [-1, 0, 0, 1, 0, 0] });
      const hashes: string[] = [];
      let seconds = 0;
      for (const delta of [0, 0.25, 0.25, 0.25, 0.5]) {
        seconds += delta;
        if (!isDeclared) place(seconds);
        // From halfway on, page code moves the box from its current position.
        if (isDeclared && seconds > 0.6) {
          if (box.motion) {
            if (box.position.x !== 0) throw new Error(`The box is at ${box.position.x}.`);
            box.motion = null;
          }
          box.position.x = Math.min(box.position.x + delta * 2, 1);
        }
        await engine.step(delta);
        hashes.push(window.kit.hash((await engine.captureFrame()).data));
      }
      await engine.dispose();
      return hashes;
    };
    return [await run(true), await run(false)] as const;
  });
  expect(new Set(driven).size).toBe(5);
  expect(declared).toEqual(driven);
});

test('after the page was blocked, nothing jumps: time continues where it was, in the picture and for the page', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const { angles, seconds, firstAsked } = await page.evaluate(async () => {
    const { createEngine, boxGeometry, spin, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 4] });
    const box = world.addMesh({ geometry: boxGeometry({ size: [2, 0.5, 1] }), material: unlitMaterial() });
    /** Returns the box's angle in the picture, computed from the second moments of its pixels. Its period is π. */
    const shown = async (): Promise<number> => {
      const { width, data } = await engine.captureFrame();
      let [xx, xy, yy] = [0, 0, 0];
      for (let index = 0; index < data.length / 4; index++) {
        if (data[index * 4]! < 128) continue;
        const x = (index % width) - width / 2 + 0.5;
        const y = width / 2 - 0.5 - Math.floor(index / width);
        xx += x * x;
        xy += x * y;
        yy += y * y;
      }
      return Math.atan2(2 * xy, xx - yy) / 2;
    };
    const read = (): number => 2 * Math.atan2(box.rotation.z, box.rotation.w);
    engine.start();
    await engine.whenReady();
    /**
     * The longest of ten frames, in seconds. A picture's scene time is at most this much older than its
     * request.
     */
    const longest = await new Promise<number>((resolve) => {
      let count = 0;
      let most = 0;
      world.onTick((seconds) => {
        if (++count > 10) return;
        most = Math.max(most, seconds);
        if (count === 10) resolve(most);
      });
    });
    // The motion starts only here, so that its angle stays far below half a turn however long the engine took
    // to start.
    box.motion = spin({ axis: [0, 0, 1], radiansPerSecond: 0.25 });
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const times: number[] = [];
    const angles: number[] = [];
    const note = (angle: number): void => {
      times.push(performance.now() / 1000);
      angles.push(angle);
    };
    const firstAsked = performance.now() / 1000 - longest;
    note(await shown());
    const began = performance.now();
    // The block is longer than two frames, because a picture may be older than its request by the longest
    // frame.
    while (performance.now() - began < 1500 + 2000 * longest);
    note(read());
    note(await shown());
    // One frame later the page takes over the motion.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    note(await shown());
    box.motion = null;
    const left = read();
    note(left);
    note(await new Promise<number>((resolve) => requestAnimationFrame(() => resolve(shown()))));
    await engine.dispose();
    return { angles, seconds: times, firstAsked };
  });
  const rate = 0.25;
  // By index, 0, 2, 3 and 5 are pictures; 1 and 4 are readings. A picture may be late by the time that its
  // drawing takes, which is long on a busy machine. No picture may be ahead of the clock, or older than the
  // previous one by more than a pixel.
  for (let index = 1; index < 4; index++) {
    const elapsed = seconds[index]! - firstAsked;
    expect(angles[index]! - angles[0]!).toBeLessThan(rate * elapsed + 0.02);
  }
  for (const [before, after] of [
    [0, 2],
    [2, 3],
    [3, 5],
    [1, 4],
  ] as const)
    expect(angles[after]!).toBeGreaterThan(angles[before]! - 0.02);
  expect(angles[2]! - angles[0]!).toBeGreaterThan(0.25);
  expect(angles[5]!).toBeCloseTo(angles[4]!, 1);
});

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`the zoom of a wheel turn completes although the page is busy from then on: ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const result = await page.evaluate(async () => {
      const { createEngine, boxGeometry, orbitControls, unlitMaterial } = window.fencepost;
      const engine = await createEngine(window.kit.view, { antialias: false });
      const { world } = engine;
      const camera = world.addCamera({ position: [0, 0, 4] });
      world.addMesh({ geometry: boxGeometry(), material: unlitMaterial() });
      const controls = orbitControls(engine, camera);
      /** Counts the white pixels of the box's face. */
      const area = async (): Promise<number> => {
        const { data } = await engine.captureFrame();
        return data.filter((value, index) => index % 4 === 0 && value > 128).length;
      };
      const turnWheel = (deltaY: number): void => {
        engine.canvas.dispatchEvent(new WheelEvent('wheel', { deltaY, cancelable: true }));
      };
      const frames = async (count: number): Promise<void> => {
        for (let frame = 0; frame < count; frame++) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      };
      engine.start();
      await engine.whenReady();
      // The first turn of the wheel loads the code that moves the camera.
      turnWheel(1);
      await frames(60);
      const before = await area();
      turnWheel(1000 * Math.log(2));
      const began = performance.now();
      while (performance.now() - began < 1500);
      const during = await area();
      const read = camera.position.z;
      await frames(60);
      const after = await area();
      const { distance } = controls;
      await engine.dispose();
      return { before, during, after, read, distance };
    });
    expect(result.distance).toBeCloseTo(8, 1);
    expect(result.after).toBeLessThan(result.before / 3);
    expect(Math.abs(result.during - result.after)).toBeLessThanOrEqual(result.after * 0.02);
  });
}
