// H8: with validation, errors that WebGPU finds are reported as `gpu-validation`, with the command and the
// names of object, pass and frame. Without validation the errors keep their own codes. Runs in Chromium and,
// with Dawn, in Node.
import { openDevice } from '../../src/rhi.js';
import { expect, test } from '../fixtures.js';
import { openLoadedPage } from '../open-engine-page.js';
import { openDawn } from './dawn.js';
import { errorsOf, type GpuSlip, gpuSlips } from './gpu-slips.js';

const url = '/e2e/rhi/commands.html';

/** Expects a message with all of the slip's parts, and no error with another code. */
function expectMessages(messages: readonly string[], { title, expectedParts }: GpuSlip): void {
  expect(messages.length, title).toBeGreaterThan(0);
  for (const line of messages) expect(line, title).toMatch(/^gpu-validation: /);
  for (const part of expectedParts) expect(messages[0], title).toContain(part);
}

test('H8 errors that WebGPU finds are reported as gpu-validation, in Chromium', async ({ page }) => {
  await openLoadedPage(page, url);
  const messages = await page.evaluate(() => window.runSlips(true));
  for (const [index, slip] of gpuSlips.entries()) expectMessages(messages[index] ?? [], slip);
});

test('H8 errors that WebGPU finds are reported as gpu-validation, on Dawn in Node', async () => {
  const dawn = await openDawn();
  test.skip(typeof dawn === 'string', String(dawn));
  if (typeof dawn === 'string') return;
  const { device } = await openDevice(dawn.gpu);
  for (const slip of gpuSlips) expectMessages(await errorsOf(slip, device, true), slip);
  device.destroy();
  dawn.close();
});

test('H6 commands that the declared queue can’t do are left out and reported; others run', async ({
  page,
}) => {
  await openLoadedPage(page, url);
  const { errors, bytes } = await page.evaluate(async () => {
    const { BufferUsage, createRhi, openDevice, QueueHint, validate } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: string[] = [];
    const rhi = createRhi({
      device,
      validation: validate,
      onError: (error) => errors.push(`${(error as { code: string }).code}: ${(error as Error).message}`),
    });
    const { context } = rhi;
    const usage = BufferUsage.copyTarget | BufferUsage.copySource;
    const data = context.createBuffer({ label: 'data', byteLength: 16, usage });
    context.beginFrame(0);
    context.setQueue(QueueHint.copy);
    context.writeBuffer(data, 0, Uint32Array.of(1, 2, 3, 4));
    context.beginComputePass({ label: 'sums' });
    context.endComputePass();
    context.setQueue(QueueHint.compute);
    context.beginComputePass({ label: 'more sums' });
    context.endComputePass();
    const reading = rhi.read(data, 0, 16);
    context.endFrame();
    const bytes = [...new Uint32Array(await reading)];
    context.destroy(data);
    rhi.dispose();
    device.destroy();
    return { errors, bytes };
  });
  expect(errors).toEqual([
    "queue-command: beginComputePass is recorded for the copy queue, which can't execute it. Set the compute queue first.",
  ]);
  expect(bytes).toEqual([1, 2, 3, 4]);
});

test('H8 without validation the errors keep their own codes', async ({ page, expectErrors }) => {
  expectErrors(/^GPU: /);
  await openLoadedPage(page, url);
  const messages = await page.evaluate(() => window.runSlips(false));
  const codes = messages.map((lines) => lines.map((line) => line.split(':')[0]));
  expect(new Set(codes.flat())).toEqual(new Set(['resource-creation', 'gpu-uncaptured']));
  for (const [index, { title }] of gpuSlips.entries()) expect(codes[index]?.length, title).toBeGreaterThan(0);
});
