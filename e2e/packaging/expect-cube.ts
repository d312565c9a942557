// Checks that every consumer's page must pass: the orange cube on black shows, and the asset worker answers.
import type { Page } from '@playwright/test';
import { type Image, pixelAt, readPixels, stepFrames, waitForEngine } from 'fencepost/testing';
import { expect } from '../fixtures.js';

/** Expects the cube of the ten-line example. The page has stored its engine in `window.engine`. */
export async function expectCube(page: Page): Promise<void> {
  await waitForEngine(page);
  await stepFrames(page, { frames: 2 });
  const image = await readPixels(page);
  const { width, height } = image;
  expect([width, height]).toEqual([128, 96]);
  expect(pixelAt(image, 0, 0)).toEqual([0, 0, 0, 255]);
  expect(pixelAt(image, width - 1, height - 1)).toEqual([0, 0, 0, 255]);

  const [red, green, blue, alpha] = pixelAt(image, width / 2, height / 2);
  expect(alpha).toBe(255);
  expect(red).toBeGreaterThan(80);
  expect(red).toBeGreaterThan(green * 1.5);
  expect(green).toBeGreaterThan(blue * 1.2);

  const share = countLit(image) / (width * height);
  expect(share).toBeGreaterThan(0.03);
  expect(share).toBeLessThan(0.5);
}

/** Loads a glTF of one triangle. The asset worker parses it, so its script must have been found. */
export async function expectAssetWorker(page: Page): Promise<void> {
  const actors = await page.evaluate(async () => {
    const positions = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
    const base64 = btoa(String.fromCharCode(...new Uint8Array(positions.buffer)));
    const gltf = {
      asset: { version: '2.0' },
      buffers: [{ byteLength: 36, uri: `data:application/octet-stream;base64,${base64}` }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      ],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
      scene: 0,
    };
    const { engine } = globalThis as unknown as {
      engine: { world: { load(source: ArrayBuffer): Promise<{ actors: unknown[] }> } };
    };
    const bytes = new TextEncoder().encode(JSON.stringify(gltf));
    return (await engine.world.load(bytes.buffer as ArrayBuffer)).actors.length;
  });
  expect(actors).toBeGreaterThan(0);
}

/** Makes a capture, for which the worker loads a further file on demand. That file must have been found. */
export async function expectFeatures(page: Page): Promise<void> {
  const byteLength = await page.evaluate(async () => {
    const { engine } = globalThis as unknown as {
      engine: {
        startCapture(): Promise<void>;
        step(seconds: number): Promise<void>;
        stopCapture(): Promise<ArrayBuffer>;
      };
    };
    await engine.startCapture();
    await engine.step(0);
    return (await engine.stopCapture()).byteLength;
  });
  expect(byteLength).toBeGreaterThan(1000);
}

function countLit({ data }: Image): number {
  let lit = 0;
  for (let offset = 0; offset < data.length; offset += 4) if ((data[offset] ?? 0) > 0) lit++;
  return lit;
}
