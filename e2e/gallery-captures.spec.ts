/**
 * Captures of every gallery example, begun after the first frames, and replayed in the page and in Node. Node
 * replays on Dawn where it is installed, and on the null executor, which checks the handles of every record.
 */

import { readdirSync } from 'node:fs';
import type { Engine } from 'fencepost';
import { decodeCapture, openDevice, replay } from 'fencepost/rhi';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { RecordReader } from '../src/rhi/capture/replay-run.js';
import { NullExecutor } from '../src/rhi/null/executor.js';
import { expect, test } from './fixtures.js';
import { GALLERY_EXAMPLES } from './gallery-examples.js';
import { type Dawn, openDawn } from './rhi/dawn.js';

let dawn: Dawn | string;
test.beforeAll(async () => {
  dawn = await openDawn();
});
test.afterAll(() => {
  if (typeof dawn !== 'string') dawn.close();
});

// A software adapter needs seconds for a picture, and each test draws several.
test.setTimeout(timeLimit(240_000));

test('H1: captures of all gallery examples are replayed', () => {
  const examples = readdirSync('demo/gallery').map((file) => file.replace(/\.ts$/, ''));
  expect([...GALLERY_EXAMPLES].sort()).toEqual(examples.sort());
});

for (const name of GALLERY_EXAMPLES) {
  test(`H1: a capture of the gallery's "${name}" shows the same pixels when it is replayed`, async ({
    page,
    isolatedURL,
    expectErrors,
  }) => {
    // A busy software adapter keeps the worker waiting for more than 1 s.
    expectErrors(/has not answered for 1 s/);
    await page.addInitScript(() => Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.2 }));
    await page.goto(`${isolatedURL}/demo/gallery.html#${name}`);
    await expect(page.locator('html')).toHaveAttribute('data-example', name, { timeout: timeLimit(60_000) });
    const { file, shown, replayed, errors } = await page.evaluate(async () => {
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
        file: await base64(new Uint8Array(file)),
        shown: await base64(new Uint8Array(data.buffer)),
        replayed: picture && (await base64(new Uint8Array(picture.data.buffer))),
        errors: errors.map(String),
      };
    });
    expect(errors).toEqual([]);
    expect(replayed === shown).toBe(true);

    const bytes = Uint8Array.from(Buffer.from(file, 'base64')).buffer;
    expect(await nullErrors(bytes)).toEqual([]);
    if (typeof dawn === 'string') return;
    const { device } = await openDevice(dawn.gpu);
    const inNode = await replay(bytes, device);
    device.destroy();
    expect(inNode.errors).toEqual([]);
    expect(inNode.picture && Buffer.from(inNode.picture.data).toString('base64') === shown).toBe(true);
  });
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
