/**
 * Allocations of frames in the steady state, by V8's sampling heap profiler (bench B4). A frame allocates at most the
 * design's limit on the page's thread, and no object per mesh on the render thread.
 */
import type { Page } from '@playwright/test';
import { type Allocations, heapThreads, startSampling, stopSampling } from '../bench/lib/heap-sampling.js';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const MESHES = 1000;
const FRAMES = 600;
/** Uncounted first frames, until code is compiled and pools are full. */
const WARM_UP = 300;
/** Least size of an object in V8, in bytes. */
const OBJECT_BYTES = 12;

declare global {
  interface Window {
    runFrames(count: number): Promise<void>;
  }
}

/** Starts an engine whose meshes are all moved and turned in every frame. */
function startMoving(page: Page): Promise<void> {
  return page.evaluate(async (count) => {
    const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
    window.kit.view.style.cssText = 'width:16px;height:16px';
    const engine = await createEngine(window.kit.view, { antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 60] });
    world.addDirectionalLight({ direction: [-1, -2, -1.5] });
    const geometry = boxGeometry();
    const material = standardMaterial();
    const boxes = Array.from({ length: count }, () => world.addMesh({ geometry, material }));
    let frame = 0;
    let last = 0;
    let reached = (): void => {};
    // Whole numbers, because V8 allocates an object for a fraction that is passed to a function that it has not
    // inlined yet.
    world.onTick(() => {
      frame++;
      for (let index = 0; index < count; index++) {
        const box = boxes[index];
        box?.position.set((index + frame) % 30, index % 20, 0);
        box?.rotateY(0.01);
      }
      if (frame === last) reached();
    });
    window.runFrames = (frames) =>
      new Promise((resolve) => {
        last = frame + frames;
        reached = resolve;
      });
    await engine.whenReady();
    engine.start();
  }, MESHES);
}

/** Returns the bytes per frame that functions of a file of the library have allocated, and the largest of them. */
function bytesPerFrame(allocations: Allocations, file: string): { sum: number; largest: string[] } {
  const own = allocations.filter(([name]) => name.includes(`${file}:`));
  const sum = own.reduce((total, [, bytes]) => total + bytes, 0) / FRAMES;
  return { sum, largest: own.slice(0, 5).map(([name, bytes]) => `${Math.round(bytes / FRAMES)} ${name}`) };
}

for (const [isolation, limit] of [
  ['isolated', 1024],
  ['not isolated', 4096],
] as const) {
  test(`B4: a frame with ${MESHES} moved meshes allocates at most ${limit} bytes on the page, and no object per mesh on the render thread, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.setTimeout(timeLimit(180_000));
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    await startMoving(page);
    await page.evaluate((frames) => window.runFrames(frames), WARM_UP);
    const threads = await heapThreads(page);
    for (const thread of threads) await startSampling(thread);
    await page.evaluate((frames) => window.runFrames(frames), FRAMES);
    const found = new Map<string, Allocations>();
    for (const thread of threads) found.set(thread.name, await stopSampling(thread));
    const own = bytesPerFrame(found.get('page') ?? [], 'index.js');
    const worker = bytesPerFrame(found.get('worker.js') ?? [], 'worker.js');
    // The library allocates something: the profiler has seen both threads.
    expect(worker.sum).toBeGreaterThan(0);
    expect(own.sum, own.largest.join('\n')).toBeLessThanOrEqual(limit);
    expect(worker.sum, worker.largest.join('\n')).toBeLessThan(MESHES * OBJECT_BYTES);
  });
}
