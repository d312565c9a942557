// Lifetimes on a real GPU, through `fencepost/rhi`: numbered lists (L1), release queues (L2), upload pages (L4), and the
// leak report (L9). Each runs in the page.
import { expect, test } from '../fixtures.js';

test.beforeEach(async ({ page }) => {
  await page.goto('/e2e/rhi/commands.html');
  await page.waitForSelector('html[data-loaded]', { state: 'attached' });
});

test('L4 the peak of upload pages is reported, and the pages are given back after 120 idle lists', async ({
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
    // Behind a command of the same list a write can't go straight to the queue: it takes upload memory.
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

test('L1, L2: what a frame destroys is freed when its list has completed, not before', async ({ page }) => {
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

test('L9 what nobody has destroyed is reported by kind, label and frame', async ({ page }) => {
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
