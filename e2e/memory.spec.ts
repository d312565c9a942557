/** Memory by subsystem (M8) in `stats()`, compared with WebGPU's allocations and with known content. */
import { expect, test } from './fixtures.js';
import { gateQueues } from './gate-queues.js';
import { openEnginePage } from './open-engine-page.js';
import { isolationsOf, MODES } from './threading-modes.js';
import { atStartOfWorkers } from './workers.js';

const kib = 1024;
const EVENT_RING_BYTES = (8 + 4096 * 5) * 8;

for (const [threading, isolation] of [
  ['single', 'isolated'],
  ['render', 'isolated'],
  ['render+rhi', 'isolated'],
  ['render+rhi', 'not isolated'],
] as const) {
  test(`M8: memory by subsystem grows and shrinks with content: ${threading}, ${isolation}`, async ({
    page,
    plainURL,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    const { before, full, large, after } = await page.evaluate(async (threading) => {
      const { boxGeometry, createEngine, geometry, texture, unlitMaterial } = window.fencepost;
      const engine = await createEngine(window.kit.view, { threading, antialias: false, pixelRatio: 1 });
      window.kit.addScene(engine);
      /** Measures after destroyed resources are gone and their geometry's space is free again. */
      const measure = async () => {
        await engine.whenReady();
        for (let frame = 0; frame < 8; frame++) await engine.step(0);
        await engine.flush();
        return engine.stats();
      };
      const pixel = texture({ width: 1, height: 1, data: new Uint8Array(4) });
      // The first texture also creates the default textures for a material's missing ones.
      engine.world.addMesh({
        geometry: boxGeometry(),
        material: unlitMaterial({ baseColorTexture: pixel }),
      });
      const before = await measure();
      const positions = new Float32Array(3 * 65535).fill(1);
      const data = new Uint8Array(256 * 256 * 4);
      const mesh = engine.world.addMesh({
        geometry: geometry({ positions, normals: positions }),
        material: unlitMaterial({ baseColorTexture: texture({ width: 256, height: 256, data }) }),
      });
      const full = await measure();
      engine.pixelRatio = 2;
      const large = await measure();
      engine.pixelRatio = 1;
      mesh.destroy();
      const after = await measure();
      await engine.dispose();
      return { before, full, large, after };
    }, threading);
    const grown = (name: 'geometry' | 'textures' | 'retained') => full.memory[name] - before.memory[name];
    // 65,535 vertices with at least position and normal, in their own buffer.
    expect(grown('geometry')).toBeGreaterThanOrEqual(65535 * 24);
    // 256 × 256 texels of four bytes, with their mip levels.
    expect(grown('textures')).toBe(4 * ((4 ** 9 - 1) / 3));
    expect(grown('retained')).toBeGreaterThanOrEqual(65535 * 24 + 256 * kib);
    expect(full.memory.retained).toBe(full.retainedBytes);
    expect(before.memory.renderTargets).toBeGreaterThanOrEqual(128 * 128 * 4);
    expect(large.memory.renderTargets).toBe(4 * before.memory.renderTargets);
    expect(before.memory.buffers).toBeGreaterThan(0);
    expect(before.memory.streams).toBeGreaterThanOrEqual(2 * 64 * kib);
    expect(full.memory.gpuPeak - before.memory.gpuPeak).toBeGreaterThanOrEqual(65535 * 24);
    for (const name of ['geometry', 'textures', 'renderTargets', 'retained'] as const) {
      expect([name, after.memory[name]]).toEqual([name, before.memory[name]]);
    }
    // The peak may grow a little, because GPU timing reads back through one small buffer per frame in flight.
    expect(after.memory.gpuPeak).toBeGreaterThanOrEqual(large.memory.gpuPeak);
    expect(after.memory.gpuPeak).toBeLessThan(large.memory.gpuPeak + 16 * kib);
  });
}

for (const threading of ['single', 'render', 'render+rhi'] as const) {
  for (const isolation of isolationsOf(threading)) {
    const isIsolated = isolation === 'isolated';
    test(`L2: statistics of a page at rest do not count released resources, ${threading}, ${isIsolated ? 'isolated' : 'not isolated'}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const { before, targets, expected } = await page.evaluate(async (threading) => {
        const { createEngine } = window.fencepost;
        const { kit } = window;
        const engine = await createEngine(kit.view, { threading, pixelRatio: 1 });
        kit.addScene(engine);
        await engine.step(0);
        await engine.flush();
        const before = engine.stats().memory.renderTargets;
        kit.view.style.width = kit.view.style.height = '96px';
        await new Promise((resolve) => engine.addEventListener('resize', resolve, { once: true }));
        const { frame } = engine.stats();
        engine.invalidate();
        while (engine.stats().frame === frame) await new Promise(requestAnimationFrame);
        await (await engine.renderFence({ through: 'gpu' })).wait();
        while (engine.stats().pendingReleases > 0) await new Promise(requestAnimationFrame);
        const targets = engine.stats().memory.renderTargets;
        // A flush must free nothing more.
        await engine.flush();
        const expected = engine.stats().memory.renderTargets;
        await engine.dispose();
        return { before, targets, expected };
      }, threading);
      expect(targets).toBe(expected);
      expect(targets).toBe((before * 96 * 96) / (128 * 128));
    });
  }
}

for (const threading of MODES) {
  test(`M3: targets of a removed view are freed after 30 frames, even if the GPU has not completed the newest frame, ${threading}`, async ({
    context,
    page,
    isolatedURL,
  }) => {
    await gateQueues(context, page);
    await openEnginePage(page, isolatedURL);
    // Bytes of colour with 4 samples, of resolved colour, and of depth with 4 samples.
    const targetBytes = 96 * 96 * (4 * 8 + 8 + 4 * 4);
    const measure = async ([threading, targetBytes]: readonly [(typeof MODES)[number], number]) => {
      const { createEngine, renderTexture } = window.fencepost;
      const { kit, gates, openGate, drawFrame } = window;
      const watchdog = { reportSeconds: 60, restartSeconds: 120 };
      const engine = await createEngine(kit.view, { threading, watchdog, pixelRatio: 1 });
      kit.addScene(engine);
      const camera = engine.world.addCamera({ position: [0, 0, 5] });
      const target = renderTexture({ width: 96, height: 96, mipmaps: false });
      const view = engine.addView({ camera, target });
      await engine.step(0);
      const bytes = () => engine.stats().memory.renderTargets;
      const full = bytes();
      view.dispose();
      let pending = full;
      let completed = full;
      for (let frame = 0; frame < 40 && completed > full - targetBytes; frame++) {
        gates[1] = 1;
        await drawFrame(engine);
        await engine.flush({ until: 'executed' });
        pending = bytes();
        openGate(1);
        await engine.flush({ until: 'completed' });
        completed = bytes();
      }
      await engine.dispose();
      return { freed: full - completed, pending: pending - completed };
    };
    const { freed, pending } = await page.evaluate(measure, [threading, targetBytes] as const);
    expect(freed).toBeGreaterThanOrEqual(targetBytes);
    expect(pending).toBe(0);
  });
}

/**
 * Counts the bytes that the thread allocates on the GPU and in shared memory. Runs at the start of the page and of each
 * worker, so it can't use anything outside its body. The page asks the workers over a channel.
 */
function countAllocations(): void {
  // The page's first, empty document is not a secure context.
  if (!globalThis.GPUDevice) return;
  const live = new Map<object, number>();
  let shared = 0;
  const { createBuffer, createTexture } = GPUDevice.prototype;
  GPUDevice.prototype.createBuffer = function (descriptor) {
    const buffer = createBuffer.call(this, descriptor);
    live.set(buffer, buffer.size);
    return buffer;
  };
  GPUDevice.prototype.createTexture = function (descriptor) {
    const made = createTexture.call(this, descriptor);
    const texels = made.width * made.height * made.depthOrArrayLayers * made.sampleCount;
    const bytes = /^rgba(16|32)/.exec(made.format)?.[1];
    if (made.mipLevelCount > 1) throw new Error('This test does not count mip levels.');
    live.set(made, texels * (bytes ? Number(bytes) / 2 : 4));
    return made;
  };
  for (const { prototype } of [GPUBuffer, GPUTexture]) {
    const { destroy } = prototype;
    prototype.destroy = function (this: GPUBuffer | GPUTexture) {
      live.delete(this);
      return destroy.call(this as never);
    } as typeof destroy;
  }
  if (globalThis.SharedArrayBuffer) {
    globalThis.SharedArrayBuffer = class extends SharedArrayBuffer {
      constructor(byteLength = 0) {
        super(byteLength);
        shared += byteLength;
      }
    };
  }
  const allocated = () => ({ gpu: [...live.values()].reduce((sum, bytes) => sum + bytes, 0), shared });
  const channel = new BroadcastChannel('allocations');
  if (globalThis.document === undefined) {
    channel.onmessage = ({ data }) => data === 'ask' && channel.postMessage(allocated());
    return;
  }
  Object.assign(window, {
    /** Returns the bytes of the page and of this many workers. */
    allocatedBytes: (workers: number) =>
      new Promise((resolve) => {
        const sum = allocated();
        let answers = 0;
        channel.onmessage = ({ data }) => {
          sum.gpu += data.gpu;
          sum.shared += data.shared;
          if (++answers === workers) resolve(sum);
        };
        channel.postMessage('ask');
        if (workers === 0) resolve(sum);
      }),
  });
}

declare global {
  interface Window {
    allocatedBytes(workers: number): Promise<{ gpu: number; shared: number }>;
  }
}

for (const [workers, threading] of MODES.entries()) {
  for (const isolation of isolationsOf(threading)) {
    const isIsolated = isolation === 'isolated';
    test(`M8: the sum of all purposes equals the bytes that were allocated and not freed, ${threading}, ${isIsolated ? 'isolated' : 'not isolated'}`, async ({
      page,
      context,
      isolatedURL,
      plainURL,
    }) => {
      await atStartOfWorkers(context, `(${countAllocations})();`);
      await page.addInitScript(countAllocations);
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const { sums, end } = await page.evaluate(
        async ({ threading, workers }) => {
          const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
          const { shared } = await window.allocatedBytes(0);
          const engine = await createEngine(window.kit.view, { threading, taskWorkers: 0 });
          window.kit.addScene(engine);
          await engine.fences();
          type Bytes = { gpu: number; shared: number };
          const sums: { counted: Bytes; allocated: Bytes; cpu: number; peak: number }[] = [];
          const measure = async () => {
            await engine.step(0);
            await engine.captureFrame();
            await engine.pick(64, 64);
            await engine.flush();
            const { memory } = engine.stats();
            const { streams, fences, eventRings } = memory;
            const allocated = await window.allocatedBytes(workers);
            // Command pages, fences and events are in shared memory if the page is isolated.
            const counted = { gpu: memory.gpu, shared: streams + fences + eventRings };
            sums.push({
              counted,
              allocated: { ...allocated, shared: allocated.shared - shared },
              cpu: memory.cpu,
              peak: memory.gpuPeak,
            });
          };
          // The first figures start the measurement of GPU times, which has buffers of its own.
          await engine.step(0);
          engine.stats();
          await measure();
          const meshes = Array.from({ length: 600 }, () =>
            engine.world.addMesh({ geometry: boxGeometry(), material: standardMaterial() }),
          );
          await measure();
          for (const mesh of meshes) mesh.destroy();
          engine.pixelRatio = 2;
          await measure();
          await engine.dispose();
          return { sums, end: workers === 0 ? (await window.allocatedBytes(0)).gpu : 0 };
        },
        { threading, workers },
      );
      for (const { counted, allocated, cpu, peak } of sums) {
        expect(counted.gpu).toBe(allocated.gpu);
        expect(peak).toBeGreaterThanOrEqual(counted.gpu);
        expect(cpu).toBeGreaterThan(counted.shared);
        // The sum leaves out the shared frame statistics and the fence cells of links between threads, together
        // less than 4 KiB.
        // The other modes are skipped, because they have streams within one thread, outside shared memory.
        if (!isIsolated || threading !== 'render+rhi') continue;
        expect(Math.abs(counted.shared - EVENT_RING_BYTES - allocated.shared)).toBeLessThan(4 * kib);
      }
      const [first, second] = sums;
      expect(second!.counted.gpu).toBeGreaterThan(first!.counted.gpu);
      expect(end).toBe(0);
    });

    if (isIsolated)
      test(`M8: the memory that loops share with helpers is counted as it was allocated, ${threading}`, async ({
        page,
        context,
        isolatedURL,
      }) => {
        await atStartOfWorkers(context, `(${countAllocations})();`);
        await page.addInitScript(countAllocations);
        await openEnginePage(page, isolatedURL);
        const { before, after, peak, placeBytes } = await page.evaluate(
          async ({ threading, workers }) => {
            const { createEngine, planeGeometry, unlitMaterial } = window.fencepost;
            const engine = await createEngine(window.kit.view, {
              threading,
              taskWorkers: 2,
              antialias: false,
            });
            window.kit.addScene(engine);
            const measure = async () => {
              await engine.flush();
              const { streams, fences, eventRings, tasks, loops, peak } = engine.stats().memory;
              const { shared } = await window.allocatedBytes(workers);
              const sharedStreams = threading === 'render+rhi' ? streams : 0;
              return { loops, peak, rest: shared - sharedStreams - fences - eventRings - tasks - loops };
            };
            await engine.step(0);
            const before = await measure();
            const count = 17_000;
            const crowd = engine.world.addInstances({
              geometry: planeGeometry({ size: 0.1 }),
              material: unlitMaterial(),
              count,
            });
            const { positions, rotations, scales } = crowd;
            // The places of instances are in shared memory, too, and are counted as `sceneArrays`.
            const placeBytes = positions.byteLength + rotations.byteLength + scales.byteLength;
            // Bounds of all primitives: six floats each.
            for (let turn = 0; turn < 300 && engine.stats().memory.loops < count * 24; turn++) {
              // Nothing is in front of the camera, and every group is in motion.
              for (let place = 0; place < count; place++) positions[place * 3] = -1000 - (turn % 2);
              crowd.touch();
              await engine.step(0.01);
            }
            const after = await measure();
            await engine.dispose();
            return { before, after, peak: after.peak.loops, placeBytes };
          },
          { threading, workers },
        );
        expect(before.loops).toBe(0);
        expect(after.loops).toBeGreaterThan(17_000 * 24);
        // In the mode `render`, one of the two streams is in shared memory, and `stats()` does not report its
        // share.
        const rest = after.rest - placeBytes;
        if (threading !== 'render') expect(Math.abs(rest - before.rest)).toBeLessThan(4 * kib);
        expect(peak).toBe(after.loops);
      });

    test(`M8: every purpose has bytes once it is used, and its peak stays, ${threading}, ${isIsolated ? 'isolated' : 'not isolated'}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const { empty, used } = await page.evaluate(async (threading) => {
        const { boxGeometry, createEngine, texture, unlitMaterial } = window.fencepost;
        const engine = await createEngine(window.kit.view, { threading });
        window.kit.addScene(engine);
        await engine.step(0);
        const empty = engine.stats().memory;
        await engine.fences();
        engine.tasks.arenas({ blocks: 1, blockBytes: 4096 });
        const pixel = texture({ width: 1, height: 1, data: new Uint8Array(4) });
        const geometry = boxGeometry();
        for (let count = 0; count < 2000; count++) {
          engine.world.addMesh({ geometry, material: unlitMaterial({ baseColorTexture: pixel }) });
        }
        await engine.startCapture();
        await engine.captureFrame();
        await engine.stopCapture();
        await engine.step(0);
        await engine.flush();
        const used = engine.stats().memory;
        await engine.dispose();
        return { empty, used };
      }, threading);
      expect(empty.captures).toBe(0);
      const { peak } = used;
      // Upload memory is needed only if a buffer changes in the middle of a command list, so `uploads` may stay
      // 0. Loops need more primitives than this scene has. The test of loops with helpers covers them.
      const unused = Object.entries(peak).filter(
        ([tag, bytes]) => bytes === 0 && tag !== 'uploads' && tag !== 'loops',
      );
      expect(unused).toEqual([]);
      expect([used.captures, used.recordings]).toEqual([0, 0]);
      // 2,000 nodes with at least a local and a world transform, on the page and on the render thread.
      expect(used.sceneArrays - empty.sceneArrays).toBeGreaterThan(2000 * (40 + 40));
      expect(used.tasks).toBeGreaterThanOrEqual(4096);
      for (const [tag, bytes] of Object.entries(peak)) {
        expect([tag, bytes]).toEqual([tag, Math.max(bytes, used[tag as keyof typeof peak])]);
      }
    });

    test(`M5: frames of the render thread use the same memory again, ${threading}, ${isIsolated ? 'isolated' : 'not isolated'}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const { sizes, peak } = await page.evaluate(async (threading) => {
        const { createEngine, planeGeometry, unlitMaterial } = window.fencepost;
        const engine = await createEngine(window.kit.view, { threading, antialias: false, pixelRatio: 1 });
        window.kit.addScene(engine);
        // Blended primitives are sorted in every frame.
        engine.world.addInstances({
          geometry: planeGeometry({ size: 0.01 }),
          material: unlitMaterial({ baseColor: '#fff8', alphaMode: 'blend' }),
          count: 2000,
        });
        const sizes: number[] = [];
        for (let frame = 0; frame < 40; frame++) {
          await engine.step(0.01);
          await engine.flush();
          sizes.push(engine.stats().memory.frameArrays);
        }
        const { peak } = engine.stats().memory;
        await engine.dispose();
        return { sizes, peak: peak.frameArrays };
      }, threading);
      // Keys and ids of 2,000 primitives, each twice.
      expect(sizes[4]).toBeGreaterThanOrEqual(4 * 2000 * 4);
      expect(sizes.slice(4)).toEqual(new Array(36).fill(sizes[4]));
      expect(peak).toBe(sizes[4]);
    });

    test(`M6 M8: a capture whose data exceeds its limit ends with an error, ${threading}, ${isIsolated ? 'isolated' : 'not isolated'}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const limit = 1.5 * 2 ** 20;
      const { during, file, refused, after, errors } = await page.evaluate(
        async ({ threading, limit }) => {
          const { createEngine, geometry, unlitMaterial } = window.fencepost;
          const engine = await createEngine(window.kit.view, {
            threading,
            antialias: false,
            pixelRatio: 1,
            maximumCaptureBytes: limit,
          });
          const errors = window.kit.listen(engine);
          window.kit.addScene(engine);
          await engine.step(0);
          await engine.startCapture();
          await engine.step(0);
          await engine.flush();
          const during = engine.stats().memory.recordings;
          const file = (await engine.stopCapture()).byteLength;
          // The first capture exceeds the limit by the upload of the geometry, the second by the contents of its
          // buffer.
          const positions = new Float32Array(3 * 65535).fill(1);
          const refused: unknown[] = [];
          await engine.startCapture();
          await engine.step(0);
          engine.world.addMesh({
            geometry: geometry({ positions, normals: positions }),
            material: unlitMaterial(),
          });
          await engine.step(0);
          await engine.step(0);
          refused.push(await window.kit.refusal(() => engine.stopCapture()));
          await engine.startCapture();
          await engine.step(0);
          refused.push(await window.kit.refusal(() => engine.stopCapture()));
          await engine.step(0);
          await engine.flush();
          const { recordings, captures, peak } = engine.stats().memory;
          await engine.dispose();
          return { during, file, refused, after: { recordings, captures, peak: peak.recordings }, errors };
        },
        { threading, limit },
      );
      expect(during).toBeGreaterThan(0);
      expect(file).toBeGreaterThan(2 ** 18);
      expect(file).toBeLessThan(limit + 64 * kib);
      expect(refused).toMatchObject([
        {
          code: 'capture-too-large',
          message: expect.stringMatching(/ended in its frame 2\..* 1572864 bytes/),
        },
        {
          code: 'capture-too-large',
          message: expect.stringMatching(/ended in its frame 1\..* 1572864 bytes/),
        },
      ]);
      expect(after).toMatchObject({ recordings: 0, captures: 0 });
      expect(after.peak).toBeGreaterThanOrEqual(during);
      expect(after.peak).toBeLessThanOrEqual(limit);
      expect(errors).toEqual([]);
    });

    test(`M6: pictures, picks and reads share bounded staging memory, and wait when it is full, ${threading}, ${isIsolated ? 'isolated' : 'not isolated'}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const { bytes, equal, picked, refused, errors } = await page.evaluate(async (threading) => {
        const { createEngine, renderTexture } = window.fencepost;
        const engine = await createEngine(window.kit.view, {
          threading,
          antialias: false,
          pixelRatio: 1,
          maximumReadBackBytes: 65536,
        });
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push(detail.code));
        const cube = window.kit.addScene(engine);
        const camera = engine.world.activeCamera!;
        // A picture of 128 × 128 pixels fills the memory.
        const target = renderTexture({ width: 128, height: 128 });
        const large = renderTexture({ width: 256, height: 128 });
        engine.addView({ camera, target });
        engine.addView({ camera, target: large });
        await engine.step(0);
        const asked = [
          target.read(),
          engine.captureFrame(),
          target.read(),
          target.read(),
          engine.captureFrame(),
        ];
        const picking = engine.pick(64, 64);
        const pictures = await Promise.all(asked);
        const picked = (await picking)?.actor === cube;
        const same = (one: number, other: number): boolean => {
          const [a, b] = [pictures[one]!.data, pictures[other]!.data];
          return a.length === b.length && a.every((value, index) => value === b[index]);
        };
        const equal = [same(0, 2), same(2, 3), same(1, 4)];
        await engine.flush();
        const { memory } = engine.stats();
        const bytes = [memory.staging, memory.peak.staging];
        const refused = await window.kit.refusal(() => large.read());
        await engine.dispose();
        return { bytes, equal, picked, refused, errors };
      }, threading);
      expect(equal).toEqual([true, true, true]);
      expect(picked).toBe(true);
      // Besides the pool, GPU times are read back through one buffer of 1 KiB per frame in flight.
      for (const each of bytes) {
        expect(each).toBeLessThanOrEqual(65536 + 3 * kib);
        expect(each).toBeGreaterThan(0);
      }
      expect(refused).toMatchObject({ code: 'capture-failed' });
      expect(errors).toEqual(['staging-exhausted']);
    });

    test(`L2, L6: an engine at rest frees the memory of a destroyed geometry, ${threading}, ${isIsolated ? 'isolated' : 'not isolated'}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const { before, full, after, frames } = await page.evaluate(async (threading) => {
        const { createEngine, geometry, unlitMaterial } = window.fencepost;
        const engine = await createEngine(window.kit.view, { threading, pixelRatio: 1 });
        window.kit.addScene(engine);
        await engine.whenReady();
        await engine.step(0);
        await engine.flush();
        const before = engine.stats().memory.geometry;
        const positions = new Float32Array(3 * 65535).fill(1);
        const large = geometry({ positions, normals: positions });
        const mesh = engine.world.addMesh({ geometry: large, material: unlitMaterial() });
        await engine.step(0);
        const full = engine.stats().memory.geometry;
        const { frame } = engine.stats();
        mesh.destroy();
        // The engine draws the change once, and then no further frame.
        engine.invalidate();
        while (engine.stats().frame === frame) await new Promise(requestAnimationFrame);
        for (let turn = 0; turn < 300 && engine.stats().memory.geometry > before; turn++) {
          await new Promise(requestAnimationFrame);
        }
        const after = engine.stats().memory.geometry;
        const frames = engine.stats().frame - frame;
        await engine.dispose();
        return { before, full, after, frames };
      }, threading);
      expect(full).toBeGreaterThan(before);
      expect(after).toBe(before);
      expect(frames).toBe(1);
    });
  }
}
