/** Memory by subsystem (M8) in `stats()`, compared with WebGPU's allocations and with known content. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const kib = 1024;

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
    const grown = (name: keyof typeof full.memory) => full.memory[name] - before.memory[name];
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
    // GPU timing reads back through one small buffer per frame in flight.
    expect(after.memory.gpuPeak).toBeGreaterThanOrEqual(large.memory.gpuPeak);
    expect(after.memory.gpuPeak).toBeLessThan(large.memory.gpuPeak + 16 * kib);
  });
}

for (const threading of ['single', 'render', 'render+rhi'] as const) {
  for (const isIsolated of [true, false]) {
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

test('M8: the sum of all subsystems equals the bytes that WebGPU has allocated and not freed', async ({
  page,
  plainURL,
}) => {
  await page.addInitScript(() => {
    const live = new Map<object, number>();
    const { createBuffer, createTexture } = GPUDevice.prototype;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      const buffer = createBuffer.call(this, descriptor);
      live.set(buffer, buffer.size);
      return buffer;
    };
    GPUDevice.prototype.createTexture = function (descriptor) {
      const made = createTexture.call(this, descriptor);
      const texels = made.width * made.height * made.depthOrArrayLayers * made.sampleCount;
      const bytes = made.format === 'rgba16float' ? 8 : 4;
      if (made.mipLevelCount > 1) throw new Error('This test does not count mip levels.');
      live.set(made, texels * bytes);
      return made;
    };
    for (const { prototype } of [GPUBuffer, GPUTexture]) {
      const { destroy } = prototype;
      prototype.destroy = function (this: GPUBuffer | GPUTexture) {
        live.delete(this);
        return destroy.call(this as never);
      } as typeof destroy;
    }
    Object.assign(window, {
      allocatedBytes: () => [...live.values()].reduce((sum, bytes) => sum + bytes, 0),
    });
  });
  await openEnginePage(page, plainURL);
  const sums = await page.evaluate(async () => {
    const { createEngine, boxGeometry, standardMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { threading: 'single' });
    window.kit.addScene(engine);
    const { allocatedBytes } = window as unknown as { allocatedBytes(): number };
    const sums: { counted: number; allocated: number }[] = [];
    const measure = async () => {
      await engine.step(0);
      await engine.captureFrame();
      await engine.flush();
      const { geometry, buffers, textures, renderTargets, staging } = engine.stats().memory;
      const counted = geometry + buffers + textures + renderTargets + staging;
      sums.push({ counted, allocated: allocatedBytes() });
    };
    await measure();
    const meshes = Array.from({ length: 600 }, () =>
      engine.world.addMesh({ geometry: boxGeometry(), material: standardMaterial() }),
    );
    await measure();
    for (const mesh of meshes) mesh.destroy();
    engine.pixelRatio = 2;
    await measure();
    await engine.dispose();
    return [...sums, { counted: 0, allocated: allocatedBytes() }];
  });
  expect(sums.map(({ counted }) => counted)).toEqual(sums.map(({ allocated }) => allocated));
  expect(sums[1]!.counted).toBeGreaterThan(sums[0]!.counted);
});
