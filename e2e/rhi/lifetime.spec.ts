// Lifetimes on WebGPU, through `fencepost/rhi`: numbered lists (L1), release queues (L2, L3), upload pages
// (L4, M6), ranges of shared buffers (L6), the end of a frame (L8), and the leak report (L9). The test of L6
// uses the engine.
import { expect, test } from '../fixtures.js';
import { openEnginePage, openLoadedPage } from '../open-engine-page.js';

test.beforeEach(async ({ page }) => {
  await openLoadedPage(page, '/e2e/rhi/commands.html');
});

test('L4 the peak of upload pages is reported, and the pages are freed after 120 idle lists', async ({
  page,
}) => {
  const { atPeak, after, pages, errors } = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
    const { context } = rhi;
    const executor = rhi.executor as import('fencepost/rhi').WebGpuExecutor;
    const usage = BufferUsage.copyTarget;
    const target = context.createBuffer({ label: 'target', byteLength: 1 << 20, usage });
    const data = new Uint32Array(1 << 18).fill(7);
    let frame = 0;
    // A write after a command of the same list can't go straight to the queue, so it takes upload memory.
    context.beginFrame(frame++);
    context.clearBuffer(target, 0, 4);
    for (let part = 0; part < 4; part++) {
      context.writeBuffer(target, part * 200_000, data.subarray(0, 50_000));
    }
    context.endFrame();
    await rhi.flush();
    const atPeak = { ...executor.uploadPageBytes };
    for (let list = 0; list < 130; list++) {
      context.beginFrame(frame++);
      context.endFrame();
      await rhi.flush();
    }
    const after = { ...executor.uploadPageBytes };
    context.destroy(target);
    rhi.dispose();
    device.destroy();
    return { atPeak, after, pages: window.rhi.DYNAMIC_PAGE_BYTES, errors };
  });
  expect(errors).toEqual([]);
  expect(atPeak).toEqual({ now: 4 * pages, peak: 4 * pages });
  expect(after).toEqual({ now: 0, peak: 4 * pages });
});

test('L1, L2: resources that a frame destroys are freed once its list has completed, not before', async ({
  page,
}) => {
  const { inFlight, completed, errors } = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const destroyed: string[] = [];
    const { destroy } = GPUBuffer.prototype;
    GPUBuffer.prototype.destroy = function () {
      destroyed.push(this.label);
      return destroy.call(this);
    };
    const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
    const { context, executor } = rhi;
    const usage = BufferUsage.copyTarget;
    const buffer = context.createBuffer({ label: 'short-lived', byteLength: 1 << 20, usage });
    context.beginFrame(0);
    context.clearBuffer(buffer, 0, 1 << 20);
    context.destroy(buffer);
    context.endFrame();
    context.publish();
    executor.pump();
    const state = () => ({
      lists: [rhi.submitted.value, rhi.completed.value],
      pending: executor.stats.pendingReleases,
      destroyed: [...destroyed],
    });
    const inFlight = state();
    await rhi.flush();
    const completed = state();
    rhi.dispose();
    device.destroy();
    return { inFlight, completed, errors };
  });
  expect(errors).toEqual([]);
  expect(inFlight).toEqual({ lists: [1, 0], pending: 1, destroyed: [] });
  expect(completed).toEqual({ lists: [1, 1], pending: 0, destroyed: ['short-lived'] });
});

test('L9 leaks are reported by kind, label and frame', async ({ page }) => {
  const leaks = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const rhi = createRhi({ device });
    const { context } = rhi;
    const usage = BufferUsage.copyTarget;
    context.beginFrame(0);
    const kept = context.createBuffer({ label: 'tidied', byteLength: 16, usage });
    context.endFrame();
    context.beginFrame(1);
    context.createBuffer({ label: 'forgotten', byteLength: 16, usage });
    context.destroy(kept);
    context.endFrame();
    await rhi.flush();
    const report = rhi.dispose();
    device.destroy();
    return report.leaks;
  });
  expect(leaks).toEqual([{ kind: 'buffer', label: 'forgotten', createdInFrame: 1 }]);
});

test('L1 a submission between frames is a numbered list, and its resources are freed with it', async ({
  page,
}) => {
  const { submitted, bytes, completed, errors } = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const destroyed: string[] = [];
    const { destroy } = GPUBuffer.prototype;
    GPUBuffer.prototype.destroy = function () {
      destroyed.push(this.label);
      return destroy.call(this);
    };
    const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
    const { context, executor } = rhi;
    const usage = BufferUsage.copyTarget | BufferUsage.copySource;
    const source = context.createBuffer({ label: 'source', byteLength: 16, usage });
    const target = context.createBuffer({ label: 'target', byteLength: 16, usage });
    context.writeBuffer(source, 0, Uint32Array.of(1, 2, 3, 4));
    context.copyBufferToBuffer(source, 0, target, 0, 16);
    context.destroy(source);
    const reading = rhi.read(target, 0, 16);
    context.publish();
    executor.pump();
    const state = () => ({
      lists: [rhi.submitted.value, rhi.completed.value],
      frames: executor.completedFrames.value,
      pending: executor.stats.pendingReleases,
      destroyed: destroyed.filter((label) => label === 'source'),
    });
    const submitted = state();
    const bytes = [...new Uint32Array(await reading)];
    await rhi.completed.whenReached(1);
    const completed = state();
    context.beginFrame(0);
    context.endFrame();
    await rhi.flush();
    const frames = executor.completedFrames.value;
    rhi.dispose();
    device.destroy();
    return { submitted, bytes, completed: { ...completed, later: frames }, errors };
  });
  expect(errors).toEqual([]);
  expect(submitted).toEqual({ lists: [1, 0], frames: 0, pending: 1, destroyed: [] });
  expect(bytes).toEqual([1, 2, 3, 4]);
  expect(completed).toEqual({ lists: [1, 1], frames: 0, pending: 0, destroyed: ['source'], later: 1 });
});

test('L2 descriptors wait for their list in a separate release queue', async ({ page }) => {
  const { inFlight, completed, errors } = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice, ShaderStage } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
    const { context, executor } = rhi;
    const usage = BufferUsage.uniform | BufferUsage.copyTarget;
    const buffer = context.createBuffer({ label: 'uniforms', byteLength: 256, usage });
    const layout = context.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: ShaderStage.fragment, buffer: {} }],
    });
    context.beginFrame(0);
    context.clearBuffer(buffer, 0, 256);
    for (let draw = 0; draw < 5; draw++) {
      const label = `group ${draw}`;
      context.destroy(context.createBindGroup({ label, layout, entries: [{ binding: 0, buffer }] }));
    }
    for (const handle of [layout, buffer]) context.destroy(handle);
    context.endFrame();
    context.publish();
    executor.pump();
    const pending = () => [executor.stats.pendingReleases, executor.stats.pendingDescriptors];
    const inFlight = pending();
    await rhi.flush();
    const completed = pending();
    const { leaks } = rhi.dispose();
    device.destroy();
    return { inFlight, completed, errors: [...errors, ...leaks] };
  });
  expect(errors).toEqual([]);
  expect(inFlight).toEqual([7, 6]);
  expect(completed).toEqual([0, 0]);
});

test('L2 resources destroyed while the queue is idle are freed at once, without a further frame', async ({
  page,
}) => {
  const { states, errors } = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice, ShaderStage } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const destroyed: string[] = [];
    const { destroy } = GPUBuffer.prototype;
    GPUBuffer.prototype.destroy = function () {
      destroyed.push(this.label);
      return destroy.call(this);
    };
    const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
    const { context, executor } = rhi;
    const usage = BufferUsage.uniform | BufferUsage.copyTarget;
    const buffer = context.createBuffer({ label: 'uniforms', byteLength: 256, usage });
    const layout = context.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: ShaderStage.fragment, buffer: {} }],
    });
    const group = context.createBindGroup({ label: 'group', layout, entries: [{ binding: 0, buffer }] });
    context.beginFrame(0);
    context.clearBuffer(buffer, 0, 256);
    context.endFrame();
    await rhi.flush();
    const state = () => ({
      lists: [rhi.submitted.value, rhi.completed.value],
      pending: executor.stats.pendingReleases,
      destroyed: [...destroyed],
    });
    const states = [state()];
    for (const handle of [group, layout, buffer]) context.destroy(handle);
    context.publish();
    executor.pump();
    states.push(state());
    rhi.dispose();
    device.destroy();
    return { states, errors };
  });
  expect(errors).toEqual([]);
  expect(states).toEqual([
    { lists: [1, 1], pending: 0, destroyed: [] },
    { lists: [1, 1], pending: 0, destroyed: ['uniforms'] },
  ]);
});

test('L3 a destroy waits for the lists that were open before it, until they are executed or discarded', async ({
  page,
}) => {
  const { bytes, pinned, unpinned, leaks, errors } = await page.evaluate(async () => {
    const { BufferUsage, createRhi, DeferredContext, openDevice } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
    const { context, executor } = rhi;
    const deferred = new DeferredContext();
    const usage = BufferUsage.copyTarget | BufferUsage.copySource;
    const buffer = (label: string) => context.createBuffer({ label, byteLength: 16, usage });
    const [source, target, unused] = [buffer('source'), buffer('target'), buffer('unused')];
    context.writeBuffer(source, 0, Uint32Array.of(1, 2, 3, 4));
    const liveResources = (): number => {
      context.publish();
      executor.pump();
      executor.purge();
      return executor.stats.liveResources;
    };
    context.beginFrame(0);
    const executed = context.openSubList('executed');
    deferred.begin(executed);
    deferred.copyBufferToBuffer(source, 0, target, 0, 16);
    deferred.finish();
    const discarded = context.openSubList('discarded');
    deferred.begin(discarded);
    deferred.copyBufferToBuffer(unused, 0, target, 0, 16);
    deferred.finish();
    // Lists that the executor has not received use both buffers.
    context.destroy(source);
    context.destroy(unused);
    const pinned = liveResources();
    context.executeSubLists([executed]);
    context.discardSubList(discarded);
    const reading = rhi.read(target, 0, 16);
    context.endFrame();
    const bytes = [...new Uint32Array(await reading)];
    const unpinned = liveResources();
    context.destroy(target);
    const { leaks } = rhi.dispose();
    device.destroy();
    return { bytes, pinned, unpinned, leaks, errors };
  });
  expect(errors).toEqual([]);
  expect(bytes).toEqual([1, 2, 3, 4]);
  expect([pinned, unpinned]).toEqual([3, 1]);
  expect(leaks).toEqual([]);
});

test('L4 an upload page is reused once its list has completed, not before', async ({ page }) => {
  const { inFlight, later, seen, errors } = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    let made = 0;
    const { createBuffer } = GPUDevice.prototype;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      if (descriptor.label === 'upload page') made++;
      return createBuffer.call(this, descriptor);
    };
    const rhi = createRhi({ device, maxFramesInFlight: 4, onError: (error) => errors.push(String(error)) });
    const { context, executor } = rhi;
    const usage = BufferUsage.copyTarget | BufferUsage.copySource;
    const target = context.createBuffer({ label: 'target', byteLength: 1 << 16, usage });
    let frame = 0;
    const upload = () => {
      context.beginFrame(frame++);
      context.clearBuffer(target, 0, 4);
      // This write follows a command, so it takes upload memory.
      context.writeBuffer(target, 4, new Uint32Array(10_000).fill(frame));
      const reading = rhi.read(target, 4, 4);
      context.endFrame();
      context.publish();
      executor.pump();
      return reading;
    };
    const together = [upload(), upload(), upload()];
    const inFlight = made;
    const seen = (await Promise.all(together)).map((bytes) => new Uint32Array(bytes)[0]);
    const turns = async (count: number): Promise<void> => {
      for (let turn = 0; turn < count; turn++) {
        const reading = upload();
        await rhi.flush();
        seen.push(new Uint32Array(await reading)[0]);
      }
    };
    // A page is mapped again some turns after its list has completed.
    await turns(4);
    const settled = made;
    await turns(10);
    context.destroy(target);
    rhi.dispose();
    device.destroy();
    return { inFlight, later: made - settled, seen, errors };
  });
  expect(errors).toEqual([]);
  expect(seen).toEqual(Array.from({ length: 17 }, (_, frame) => frame + 1));
  expect(inFlight).toBe(3);
  expect(later).toBe(0);
});

test('M6 upload memory is bounded: writes beyond it wait for the GPU, and every byte arrives in order', async ({
  page,
}) => {
  const { peak, frames, seen, errors } = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const maximumUploadBytes = 1 << 20;
    const rhi = createRhi({ device, maximumUploadBytes, onError: (error) => errors.push(String(error)) });
    const { context } = rhi;
    const executor = rhi.executor as import('fencepost/rhi').WebGpuExecutor;
    const usage = BufferUsage.copyTarget | BufferUsage.copySource;
    const parts = 40;
    const target = context.createBuffer({ label: 'target', byteLength: parts * 4, usage });
    const large = context.createBuffer({ label: 'large', byteLength: 200_000, usage });
    const data = new Uint32Array(50_000);
    context.beginFrame(0);
    for (let part = 0; part < parts; part++) {
      // The list writes 8 MB in 40 parts. A copy of one word follows each part.
      context.writeBuffer(large, 0, data.fill(part + 1));
      context.copyBufferToBuffer(large, (part % 50_000) * 4, target, part * 4, 4);
    }
    const reading = rhi.read(target, 0, parts * 4);
    context.endFrame();
    const seen = [...new Uint32Array(await reading)];
    await rhi.flush();
    const { peak } = executor.uploadPageBytes;
    const frames = executor.completedFrames.value;
    for (const handle of [target, large]) context.destroy(handle);
    rhi.dispose();
    device.destroy();
    return { peak, frames, seen, errors };
  });
  expect(errors).toEqual([]);
  expect(seen).toEqual(Array.from({ length: 40 }, (_, part) => part + 1));
  expect(frames).toBe(1);
  expect(peak).toBe(1 << 20);
});

test('L8 values of one frame expire exactly at the frame’s end, and resources destroyed in it are released with its list', async ({
  page,
}) => {
  const { kept, pages, expired, pending, errors } = await page.evaluate(async () => {
    const { BufferUsage, createRhi, DynamicBuffers, openDevice, ShaderStage } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const rhi = createRhi({ device, onError: (error) => errors.push(String(error)) });
    const { context, executor } = rhi;
    const dynamic = new DynamicBuffers(context, { pageBytes: 1024 });
    const layout = context.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: ShaderStage.fragment, buffer: {} }],
    });
    const codeOf = (call: () => unknown): string => {
      try {
        call();
        return '';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const usage = BufferUsage.copyTarget;
    const kept: unknown[] = [];
    const expired: string[] = [];
    const pending: number[][] = [];
    for (let frame = 0; frame < 6; frame++) {
      context.beginFrame(frame);
      const data = dynamic.allocate(256);
      data.words.fill(frame, data.firstWord, data.firstWord + 64);
      data.commit();
      const { buffer, byteOffset } = data;
      kept.push([byteOffset, dynamic.frame]);
      dynamic.bindGroup({ label: 'transient', layout, entries: [{ binding: 0, buffer, byteLength: 256 }] });
      const scratch = context.createBuffer({ label: 'scratch', byteLength: 16, usage });
      context.clearBuffer(scratch, 0, 16);
      context.destroy(scratch);
      context.endFrame();
      context.publish();
      executor.pump();
      expired.push(codeOf(() => data.buffer));
      const { stats } = executor;
      const inFlight = [stats.pendingReleases, stats.pendingDescriptors];
      await rhi.flush();
      pending.push([...inFlight, stats.pendingReleases, stats.pendingDescriptors]);
    }
    const { pageCount } = dynamic;
    dynamic.dispose();
    context.destroy(layout);
    rhi.dispose();
    device.destroy();
    return { kept, pages: pageCount, expired, pending, errors };
  });
  expect(errors).toEqual([]);
  expect(kept).toEqual([0, 1, 2, 3, 4, 5].map((frame) => [0, frame]));
  expect(pages).toBe(1);
  expect(expired).toEqual(Array(6).fill('dynamic-expired'));
  expect(pending).toEqual(Array(6).fill([2, 1, 0, 0]));
});

test('L6 meshes share a page; a freed range is reused some frames later, not before', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const { full, atOnce, freed, again, errors } = await page.evaluate(async () => {
    const { createEngine, geometry, unlitMaterial } = window.fencepost;
    const errors: string[] = [];
    const engine = await createEngine(window.kit.view, {
      threading: 'single',
      antialias: false,
      pixelRatio: 1,
    });
    engine.addEventListener('error', ({ detail }) => errors.push(detail.code));
    window.kit.addScene(engine);
    const material = unlitMaterial();
    /**
     * Adds a mesh with 95,904 bytes of vertices. They have colours, so no other mesh shares their pages of 256
     * KiB.
     */
    const add = () => {
      const colors = new Float32Array(4 * 1998).fill(1);
      const positions = new Float32Array(3 * 1998).fill(1);
      return engine.world.addMesh({
        geometry: geometry({ positions, normals: positions, colors }),
        material,
      });
    };
    const measure = async (frames: number): Promise<number> => {
      for (let frame = 0; frame < frames; frame++) await engine.step(0);
      await engine.flush();
      return engine.stats().memory.geometry;
    };
    await engine.whenReady();
    add();
    const second = add();
    const full = await measure(8);
    second.destroy();
    const third = add();
    const atOnce = await measure(1);
    third.destroy();
    const freed = await measure(12);
    add();
    const again = await measure(8);
    await engine.dispose();
    return { full, atOnce, freed, again, errors };
  });
  expect(errors).toEqual([]);
  expect(atOnce).toBeGreaterThan(full);
  expect(freed).toBe(full);
  expect(again).toBe(full);
});
