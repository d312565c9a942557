/**
 * The gallery. Every example shows a picture beside its short code. A capture of its first frames is replayed in the
 * page. Node replays captures of some examples (`IN_NODE`), on Dawn where it is installed, and on the null executor,
 * which checks the handles of every record.
 */

import { readdirSync } from 'node:fs';
import type { Engine } from 'fencepost';
import { decodeCapture, openDevice, replay } from 'fencepost/rhi';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { divideByAlpha } from '../src/proxy/unpack-capture.js';
import { RecordReader } from '../src/rhi/capture/replay-run.js';
import { NullExecutor } from '../src/rhi/null/executor.js';
import { expect, test } from './fixtures.js';
import { GALLERY_EXAMPLES } from './gallery-examples.js';
import { type Dawn, openDawn } from './rhi/dawn.js';
import { RUNS_ALL_MODES } from './threading-modes.js';

/** Examples whose captures are also replayed in Node. Sending a capture of many MB there takes seconds. */
const IN_NODE: readonly string[] = RUNS_ALL_MODES
  ? GALLERY_EXAMPLES
  : ['environment', 'worlds', 'passes', 'bloom', 'instances'];

let dawn: Dawn | string;
test.beforeAll(async () => {
  dawn = await openDawn();
});
test.afterAll(() => {
  if (typeof dawn !== 'string') dawn.close();
});

// A software adapter needs seconds for a picture, and each test draws several.
test.setTimeout(timeLimit(240_000));

test('these tests show every example of the gallery', () => {
  const examples = readdirSync('demo/gallery').map((file) => file.replace(/\.ts$/, ''));
  expect([...GALLERY_EXAMPLES].sort()).toEqual(examples.sort());
});

test('the next example of the gallery starts without loading the page again', async ({
  page,
  isolatedURL,
}) => {
  await page.addInitScript(() => Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.2 }));
  await page.goto(`${isolatedURL}/demo/gallery.html#labels`);
  const root = page.locator('html');
  await expect(root).toHaveAttribute('data-example', 'labels', { timeout: timeLimit(60_000) });
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await page.locator('#examples').getByRole('link', { name: 'Motion' }).click();
  await expect(root).toHaveAttribute('data-example', 'motion', { timeout: timeLimit(60_000) });
  expect(await page.evaluate('window.isSamePage')).toBe(true);
});

for (const name of GALLERY_EXAMPLES) {
  test(`H1: the gallery's "${name}" shows a picture, and a replayed capture shows the same pixels`, async ({
    page,
    isolatedURL,
    expectErrors,
  }) => {
    // A busy software adapter keeps the worker waiting for more than 1 s.
    expectErrors(/has not answered for 1 s/);
    await page.addInitScript(() => Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.2 }));
    await page.goto(`${isolatedURL}/demo/gallery.html#${name}`);
    await expect(page.locator('html')).toHaveAttribute('data-example', name, { timeout: timeLimit(60_000) });
    const { problem, lines, file, shown, replayed, errors } = await page.evaluate(async (isForNode) => {
      const { engine } = window as unknown as { engine: Engine };
      const base64 = (bytes: Uint8Array): Promise<string> =>
        new Promise((resolve) => {
          const reader = new FileReader();
          reader.onload = () => resolve((reader.result as string).split(',', 2)[1] ?? '');
          reader.readAsDataURL(new Blob([new Uint8Array(bytes)]));
        });
      engine.stop();
      await engine.step(0.1);
      await engine.startCapture();
      await engine.step(0.1);
      await engine.step(0.1);
      // `captureFrame` draws the last frame of the capture.
      const { data } = await engine.captureFrame();
      const file = await engine.stopCapture();
      await engine.dispose();

      const rhiModule = '/dist/rhi.js';
      const { openDevice, replay } = (await import(rhiModule)) as typeof import('fencepost/rhi');
      const { device } = await openDevice(navigator.gpu);
      const { picture, errors } = await replay(file, device);
      device.destroy();
      return {
        problem: document.querySelector('.picture')?.textContent,
        lines: (document.querySelector('#code')?.textContent ?? '').split('\n').length,
        file: isForNode && (await base64(new Uint8Array(file))),
        shown: await base64(new Uint8Array(data.buffer)),
        replayed: picture && (await base64(new Uint8Array(picture.data.buffer))),
        errors: errors.map(String),
      };
    }, IN_NODE.includes(name));
    // The labels of this example are elements over the picture.
    expect(problem).toBe(name === 'labels' ? problem : '');
    expect(lines).toBeLessThan(60);
    checkPicture(Buffer.from(shown, 'base64'));
    expect(errors).toEqual([]);
    expect(replayed && asImageData(Buffer.from(replayed, 'base64')) === shown).toBe(true);
    if (!file) return;

    const bytes = Uint8Array.from(Buffer.from(file, 'base64')).buffer;
    expect(await nullErrors(bytes)).toEqual([]);
    if (typeof dawn === 'string') return;
    const { device } = await openDevice(dawn.gpu);
    const inNode = await replay(bytes, device);
    device.destroy();
    expect(inNode.errors).toEqual([]);
    expect(inNode.picture && asImageData(inNode.picture.data) === shown).toBe(true);
  });
}

/** Checks that RGBA pixels show more than a plain area. */
function checkPicture(data: Buffer): void {
  const counts = new Map<number, number>();
  for (let at = 0; at < data.length; at += 4) {
    const pixel = data.readUInt32LE(at);
    counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  }
  expect(counts.size).toBeGreaterThan(12);
  // Pixels that do not have the most frequent colour count as drawn.
  expect(data.length / 4 - Math.max(...counts.values())).toBeGreaterThan(80);
}

/** Returns the bytes of a replayed canvas in base64, not premultiplied, as `captureFrame` returns them. */
function asImageData(bytes: Uint8Array | Uint8ClampedArray): string {
  const data = Uint8ClampedArray.from(bytes);
  divideByAlpha(data);
  return Buffer.from(data).toString('base64');
}

/** Replays a capture on the null executor. Returns its errors. */
async function nullErrors(file: ArrayBuffer): Promise<string[]> {
  const { creations, stream, attachments, notes } = decodeCapture(file);
  const errors: string[] = [...notes];
  const reader = new RecordReader(attachments);
  const executor = new NullExecutor({
    reader,
    surface: null,
    maxFramesInFlight: 2,
    onError: (error) => errors.push(String(error)),
    onReadback: () => {},
  });
  await reader.feed(creations);
  await reader.feed(stream);
  executor.dispose();
  return errors;
}
