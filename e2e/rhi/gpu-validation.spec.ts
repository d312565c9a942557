// H8: what WebGPU finds wrong comes as `gpu-validation` where validation is on, with the command and our names of object,
// pass and frame; without it, as what it was. In Chromium and, by Dawn, in Node.
import { openDevice } from '../../src/rhi.js';
import { expect, test } from '../fixtures.js';
import { openDawn } from './dawn.js';
import { type GpuSlip, gpuSlips, tellOf } from './gpu-slips.js';

const url = '/e2e/rhi/commands.html';

/** One message with all that it must hold, and nothing by another code. */
function expectTold(told: readonly string[], { title, told: parts }: GpuSlip): void {
  expect(told.length, title).toBeGreaterThan(0);
  for (const line of told) expect(line, title).toMatch(/^gpu-validation: /);
  for (const part of parts) expect(told[0], title).toContain(part);
}

test('H8 what WebGPU finds wrong is gpu-validation, in Chromium', async ({ page }) => {
  await page.goto(url);
  await page.waitForSelector('html[data-loaded]', { state: 'attached' });
  const told = await page.evaluate(() => window.tellSlips(true));
  for (const [index, slip] of gpuSlips.entries()) expectTold(told[index] ?? [], slip);
});

test('H8 what WebGPU finds wrong is gpu-validation, on Dawn in Node', async () => {
  const dawn = await openDawn();
  test.skip(typeof dawn === 'string', String(dawn));
  if (typeof dawn === 'string') return;
  const { device } = await openDevice(dawn.gpu);
  for (const slip of gpuSlips) expectTold(await tellOf(slip, device, true), slip);
  device.destroy();
  dawn.close();
});

test('H8 without validation the codes are what they were', async ({ page, expectErrors }) => {
  expectErrors(/^GPU: /);
  await page.goto(url);
  await page.waitForSelector('html[data-loaded]', { state: 'attached' });
  const told = await page.evaluate(() => window.tellSlips(false));
  const codes = told.map((lines) => lines.map((line) => line.split(':')[0]));
  expect(new Set(codes.flat())).toEqual(new Set(['resource-creation', 'gpu-uncaptured']));
  for (const [index, { title }] of gpuSlips.entries()) expect(codes[index]?.length, title).toBeGreaterThan(0);
});
