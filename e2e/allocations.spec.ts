/**
 * Measures the allocations of frames in the steady state with V8's sampling heap profiler (bench B4). On the
 * page's thread, a frame allocates at most the number of bytes that the design allows. On the render thread, it
 * allocates no object per mesh.
 */
import type { Page } from '@playwright/test';
import { type Allocations, heapThreads, startSampling, stopSampling } from '../bench/lib/heap-sampling.js';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const MESHES = 1000;
const FRAMES = 600;
/** Number of first frames that are not measured. In them, code is compiled and pools grow. */
const WARM_UP = 300;
/** Size of V8's smallest object, in bytes. */
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
    // Positions are whole numbers. For a fraction, V8 would allocate an object when it passes the number to a
    // function that is not inlined yet.
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

/** Most rounds until the functions of the steady state are compiled. */
const ROUNDS = 4;

interface BytesPerFrame {
  readonly sum: number;
  readonly largest: readonly string[];
}

const EMPTY: BytesPerFrame = { sum: 0, largest: [] };

/** Returns the bytes per frame that a library file's functions allocated, and the functions that allocated most. */
function bytesPerFrame(allocations: Allocations, file: string): BytesPerFrame {
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
    // A busy machine compiles functions late, so the warm-up may need several rounds.
    let [own, worker] = [EMPTY, EMPTY];
    for (let round = 0; round < ROUNDS && (round === 0 || own.sum > limit); round++) {
      for (const thread of threads) await startSampling(thread);
      await page.evaluate((frames) => window.runFrames(frames), FRAMES);
      const found = new Map<string, Allocations>();
      for (const thread of threads) found.set(thread.name, await stopSampling(thread));
      own = bytesPerFrame(found.get('page') ?? [], 'index.js');
      worker = bytesPerFrame(found.get('worker.js') ?? [], 'worker.js');
    }
    // The library always allocates something, so 0 would mean that the profiler has missed the worker.
    expect(worker.sum).toBeGreaterThan(0);
    expect(own.sum, own.largest.join('\n')).toBeLessThanOrEqual(limit);
    expect(worker.sum, worker.largest.join('\n')).toBeLessThan(MESHES * OBJECT_BYTES);
  });
}
