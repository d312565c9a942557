// A capture made in one page shows the same pixels in another page, and in Node on Dawn. The file contains resources,
// command stream and attachments. The scene's picture depends on its earlier frames, so any missing part would show.
import type { Page } from '@playwright/test';
import { openDevice, replay } from 'fencepost/rhi';
import { expect, test } from '../fixtures.js';
import { openLoadedPage } from '../open-engine-page.js';
import { openDawn } from './dawn.js';

async function openPage(page: Page, origin: string): Promise<void> {
  await openLoadedPage(page, `${origin}/e2e/pages/capture.html`);
}

const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

for (const when of ['from the start', 'later'] as const) {
  test(`H1: a capture prepared ${when} shows equal pixels in another page`, async ({
    page,
    context,
    isolatedURL,
    plainURL,
  }) => {
    await openPage(page, isolatedURL);
    const captured = await page.evaluate((request) => window.makeCapture(request), { when });
    expect(captured.errors).toEqual([]);
    expect(captured.pictures).toHaveLength(3);
    expect(new Set(captured.pictures).size).toBe(3);
    await page.close();

    const other = await context.newPage();
    await openPage(other, plainURL);
    // One of the two replays draws into a canvas, the other one into a texture.
    const isShown = when === 'later';
    const replayed = await other.evaluate(([file, shown]) => window.replayCapture(file, shown), [
      captured.file,
      isShown,
    ] as const);
    expect(replayed.canvas).toEqual(isShown ? [96, 64] : null);
    expect(replayed.errors).toEqual([]);
    expect(replayed.frames).toBe(3);
    expect(replayed.pictures.map(({ frame }) => frame)).toEqual([3, 4, 5]);
    expect(replayed.draws).toEqual([3, 4, 5].map(() => [5, 0]));
    captured.pictures.forEach((picture, index) => {
      expect(bytes(replayed.pictures[index]?.data ?? '').equals(bytes(picture))).toBe(true);
    });
  });
}

test('H1: a capture replayed in Node on Dawn shows equal pixels', async ({ page }) => {
  const dawn = await openDawn();
  test.skip(typeof dawn === 'string', String(dawn));
  if (typeof dawn === 'string') return;
  await openPage(page, '');
  const captured = await page.evaluate((request) => window.makeCapture(request), { when: 'later' } as const);
  const { device } = await openDevice(dawn.gpu);
  const file = Uint8Array.from(bytes(captured.file)).buffer;
  const pictures: Buffer[] = [];
  const { errors } = await replay(file, device, {
    onFrame: ({ data }) => pictures.push(Buffer.from(data)),
  });
  device.destroy();
  dawn.close();
  expect(errors).toEqual([]);
  expect(pictures).toHaveLength(3);
  captured.pictures.forEach((picture, index) => {
    expect(pictures[index]?.equals(bytes(picture))).toBe(true);
  });
});

test('stepping shows the target after each draw, multisampled or not, and the bound resources', async ({
  page,
}) => {
  await openPage(page, '');
  const { file, pictures } = await page.evaluate((request) => window.makeCapture(request), {
    when: 'later',
  } as const);
  const { steps, state, passes, frame } = await page.evaluate((data) => window.stepThrough(data), file);
  expect(frame).toBe(5);
  expect(passes).toEqual(['compute turn', 'render glow', 'render main']);
  expect(steps.flatMap(({ errors }) => errors)).toEqual([]);
  const [clearedTrail, trail, cleared, shownTrail, ...boxes] = steps;
  expect([clearedTrail?.target, clearedTrail?.format]).toEqual(['<texture 3.0 "trail">', 'rgba16float']);
  // The pass loads the trail of earlier frames and adds one glow.
  expect(brightness(clearedTrail?.data)).toBeGreaterThan(0);
  expect(brightness(trail?.data)).toBeGreaterThan(brightness(clearedTrail?.data));
  expect([...bytes(cleared?.data ?? '').subarray(0, 4)]).toEqual([26, 51, 77, 255]);
  // Every draw changes the picture. After the last draw it is the frame's picture.
  expect(boxes).toHaveLength(3);
  expect(new Set([cleared, shownTrail, ...boxes].map((step) => step?.data)).size).toBe(5);
  expect(boxes[2]?.data).toBe(pictures[2]);
  expect(boxes[2]?.line).toMatch(/^drawIndexed indexCount=36 .*firstInstance=2$/);
  expect(state).toEqual({
    pass: 'main',
    pipeline: '<graphics pipeline 0.0 "boxes">',
    groups: { 0: '<bind group 0.0 "boxes">' },
    vertexBuffers: { 0: '<buffer 0.0 "corners"> from 0, 288 bytes' },
    indexBuffer: '<buffer 1.0 "indices"> uint16 from 0, 72 bytes',
    other: {},
  });
});

test('the flight recorder writes the frames before a device loss', async ({ page, expectErrors }) => {
  expectErrors(/device was lost|destroyed/i);
  await openPage(page, '');
  const captured = await page.evaluate((request) => window.makeCapture(request), {
    when: 'later',
    loseDevice: true,
  } as const);
  const replayed = await page.evaluate((file) => window.replayCapture(file), captured.file);
  expect(replayed.errors).toEqual([]);
  const last = replayed.pictures.slice(-3);
  expect(last.map(({ frame }) => frame)).toEqual([3, 4, 5]);
  expect(last.map(({ data }) => data)).toEqual(captured.pictures);
});

test('the demo steps through its sample by keys, and names the fault of invalid files', async ({ page }) => {
  await page.goto('/demo/capture.html?sample');
  const shown = (command: string) =>
    page.locator(`html[data-shown="0 ${command}"]`).waitFor({ state: 'attached' });
  const picture = () => page.locator('#picture').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  await shown('21');
  const whole = await picture();
  await page.keyboard.press('ArrowLeft');
  await shown('20');
  const withoutLast = await picture();
  expect(withoutLast).not.toBe(whole);
  await page.keyboard.press('ArrowRight');
  await shown('21');
  expect(await picture()).toBe(whole);
  await expect(page.locator('#state')).toContainText('<graphics pipeline 2.0 "lit boxes">');
  await expect(page.locator('#target')).toContainText('<texture 0.0 "viewport">');
  const buffer = Buffer.from('no capture');
  await page.setInputFiles('#file', { name: 'notes.txt', mimeType: 'text/plain', buffer });
  await expect(page.locator('#message')).toHaveText(/^This is not a capture/);
  // The error replaces everything of the previous capture.
  for (const part of ['#commands', '#state', '#summary', '#target', '#frame'])
    await expect(page.locator(part), part).toBeEmpty();
  await expect(page.locator('#picture')).toBeHidden();
  await expect(page.locator('#frame')).toBeDisabled();
  // The page can open the next file.
  await page.click('#sample');
  await expect(page.locator('#state')).toContainText('<graphics pipeline 2.0 "lit boxes">');
  await expect(page.locator('#picture')).toBeVisible();
});

/** Returns the sum over all channels. */
function brightness(data: string | undefined): number {
  return bytes(data ?? '').reduce((sum, value) => sum + value, 0);
}
