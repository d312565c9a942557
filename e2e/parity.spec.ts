// Parity with three.js (WebGPURenderer) in the same browser. This engine in its default mode, three.js, and glTF's
// formulas in doubles on the CPU draw one description of a scene, without tone mapping, with 4× MSAA, in sRGB. The
// pictures of both engines are those of their canvases. Distances are mean absolute differences of R, G and B, 0
// to 255.
//
//                        ┌─ this engine (captureFrame) ─┐
//   scenes.ts ── a scene ┼─ three, stock and "gltf" ────┼─► ≤ 2 whole and covered, printed with the maximum
//                        └─ reference-picture.ts ───────┘   ours against the reference: ≤ 1 in interior pixels
//
// Stock three has to be within 2 wherever it follows glTF. In the cases with a `departure` (scenes.ts), the variant
// "gltf" of draw-with-three.ts, without three's additions, has to be within 2. The distance of stock three is printed,
// and it must exceed the bound; otherwise the exception would have no reason.
//
// test-results/parity/sheet-*.png show side by side: ours, stock, gltf, reference, |ours − gltf| × 16.
import type { Page } from '@playwright/test';
import { writePng } from '../src/testing/png.js';
import { expect, test } from './fixtures.js';
import { openLoadedPage } from './open-engine-page.js';
import { drawReference } from './parity/reference-picture.js';
import type { ParityScene, Picture } from './parity/scene.js';
import {
  ALPHA_CASES,
  BOX_CASES,
  LIGHT_CASES,
  type ParityCase,
  SHADOW_CASES,
  SPHERE_CASES,
} from './parity/scenes.js';

/** The largest allowed distance, 0 to 255. */
const BOUND = 2;

interface Distance {
  readonly mean: number;
  readonly maximum: number;
}

/** Returns the distance over the red, green and blue of all pixels, or of the pixels in `mask`. */
function distance(a: Picture, b: Picture, mask?: Uint8Array): Distance {
  let total = 0;
  let pixels = 0;
  let maximum = 0;
  for (let pixel = 0; pixel < a.width * a.height; pixel++) {
    if (mask && mask[pixel] === 0) continue;
    pixels++;
    for (let channel = 0; channel < 3; channel++) {
      const value = Math.abs(a.data[pixel * 4 + channel]! - b.data[pixel * 4 + channel]!);
      total += value;
      maximum = Math.max(maximum, value);
    }
  }
  if (pixels === 0) throw new Error('There is nothing to compare.');
  return { mean: total / (pixels * 3), maximum };
}

/** Returns an opaque picture from a function of pixel and channel. */
function paint(
  width: number,
  height: number,
  at: (x: number, y: number, channel: number) => number,
): Picture {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let index = 0; index < data.length; index++) {
    const pixel = index >> 2;
    data[index] = (index & 3) === 3 ? 255 : at(pixel % width, Math.floor(pixel / width), index & 3);
  }
  return { width, height, data };
}

const channelAt = (picture: Picture, x: number, y: number, channel: number): number =>
  picture.data[(y * picture.width + x) * 4 + channel]!;

function sideBySide(rows: readonly (readonly Picture[])[]): Picture {
  const size = rows[0]![0]!.width;
  return paint(size * rows[0]!.length, size * rows.length, (x, y, channel) =>
    channelAt(rows[Math.floor(y / size)]![Math.floor(x / size)]!, x % size, y % size, channel),
  );
}

const figure = ({ mean, maximum }: Distance): string =>
  `${mean.toFixed(2).padStart(5)} (${maximum})`.padEnd(12);

const verdict = ({ mean }: Distance): string => (mean <= BOUND ? 'within the bound' : 'beyond the bound');

async function openPage(page: Page, origin: string): Promise<void> {
  await openLoadedPage(page, `${origin}/e2e/pages/parity.html`);
}

/** Draws the scene in the page with this engine and with both variants of three.js. */
async function draw(
  page: Page,
  scene: ParityScene,
): Promise<{ ours: Picture; stock: Picture; gltf: Picture }> {
  const encoded = await page.evaluate((name) => window.drawParity(name), scene.name);
  const decode = (base64: string): Picture => {
    const data = new Uint8ClampedArray(Buffer.from(base64, 'base64'));
    expect(data.length).toBe(scene.size * scene.size * 4);
    return { width: scene.size, height: scene.size, data };
  };
  return { ours: decode(encoded.ours), stock: decode(encoded.stock), gltf: decode(encoded.gltf) };
}

async function compare(
  page: Page,
  origin: string,
  title: string,
  cases: readonly ParityCase[],
): Promise<void> {
  await openPage(page, origin);
  const lines: string[] = [];
  const rows: Picture[][] = [];
  const fileName = `test-results/parity/sheet-${title.replaceAll(' ', '-')}.png`;
  for (const { scene, departure, hasReference } of cases) {
    const { ours, stock, gltf } = await draw(page, scene);
    const reference = drawReference(scene);
    const { covered, interior } = reference;
    const difference = paint(ours.width, ours.height, (x, y, channel) => {
      return 16 * Math.abs(channelAt(ours, x, y, channel) - channelAt(gltf, x, y, channel));
    });
    rows.push([ours, stock, gltf, reference, difference]);
    writePng(fileName, sideBySide(rows));

    // Sanity checks. The picture is not flat and not empty. It differs from a mirrored picture, and from a
    // picture with a fifth more light.
    const { name } = scene;
    expect(new Set(new Uint32Array(ours.data.buffer)).size, `${name}: colours`).toBeGreaterThan(300);
    const coverage = covered.reduce((total, value) => total + value, 0) / covered.length;
    expect(coverage, `${name}: coverage`).toBeGreaterThan(0.3);
    const mirrored = paint(stock.width, stock.height, (x, y, channel) => {
      return channelAt(stock, stock.width - 1 - x, y, channel);
    });
    expect(distance(ours, mirrored).mean, `${name}: mirrored`).toBeGreaterThan(BOUND);
    const stronger = scene.lights.map((light) => ({ ...light, intensity: light.intensity * 1.2 }));
    const brighter = drawReference({ ...scene, lights: stronger });
    expect(distance(ours, brighter).mean, `${name}: a stronger light`).toBeGreaterThan(BOUND);

    const toStock = distance(ours, stock);
    const toGltf = distance(ours, gltf);
    const toStockCovered = distance(ours, stock, covered);
    const toGltfCovered = distance(ours, gltf, covered);
    if (departure === undefined) {
      expect.soft(toStock.mean, `${name}: stock three`).toBeLessThanOrEqual(BOUND);
      expect.soft(toStockCovered.mean, `${name}: stock three, covered`).toBeLessThanOrEqual(BOUND);
    } else {
      expect.soft(toStock.mean, `${name}: stock three no longer departs`).toBeGreaterThan(BOUND);
    }
    expect.soft(toGltf.mean, `${name}: three with glTF's formulas`).toBeLessThanOrEqual(BOUND);
    expect.soft(toGltfCovered.mean, `${name}: the same, covered`).toBeLessThanOrEqual(BOUND);
    lines.push(
      `${name}`,
      `  ours, stock three   ${figure(toStock)} covered ${figure(toStockCovered)} ${departure ?? verdict(toStockCovered)}`,
      `  ours, three as glTF ${figure(toGltf)} covered ${figure(toGltfCovered)} ${verdict(toGltfCovered)}`,
    );

    if (!hasReference) continue;
    const toReference = distance(ours, reference, interior);
    // Single pixels may differ by more, because rounding may select another texel of a mask or a sharp image.
    expect.soft(toReference.mean, `${name}: glTF's formulas`).toBeLessThanOrEqual(1);
    const isFar = interior.map((value, pixel) =>
      value &&
      [0, 1, 2].some((at) => Math.abs(ours.data[pixel * 4 + at]! - reference.data[pixel * 4 + at]!) > 1)
        ? 1
        : 0,
    );
    const count = (mask: Uint8Array): number => mask.reduce((total, value) => total + value, 0);
    expect.soft(count(isFar) / count(interior), `${name}: pixels off by more than 1`).toBeLessThan(0.01);
    lines.push(
      `  glTF on the CPU, ${count(interior)} interior pixels: ours ${figure(toReference)} stock ${figure(
        distance(stock, reference, interior),
      )} as glTF ${figure(distance(gltf, reference, interior))}`,
    );
  }
  console.log(`Mean absolute difference of 255, maximum in brackets\n${lines.join('\n')}`);
}

test('R12 parity: a sphere grid over metallic and roughness matches', async ({ page, isolatedURL }) => {
  await compare(page, isolatedURL, 'sphere grid', SPHERE_CASES);
});

test('R12 parity: textured boxes match', async ({ page, isolatedURL }) => {
  await compare(page, isolatedURL, 'boxes', BOX_CASES);
});

test('R12 parity: directional, point and spot lights match', async ({ page, isolatedURL }) => {
  await compare(page, isolatedURL, 'lights', LIGHT_CASES);
});

test('R11 parity: shadows of directional, point and spot lights match', async ({ page, isolatedURL }) => {
  await openPage(page, isolatedURL);
  const rows: Picture[][] = [];
  for (const { scene } of SHADOW_CASES) {
    const { ours, gltf: three } = await draw(page, scene);
    // Draws the scene without shadows. Shadows must change the picture by more than the engines differ.
    const without = drawReference(scene);
    const difference = paint(ours.width, ours.height, (x, y, channel) => {
      return 4 * Math.abs(channelAt(ours, x, y, channel) - channelAt(three, x, y, channel));
    });
    rows.push([ours, three, without, difference]);
    writePng('test-results/parity/sheet-shadows.png', sideBySide(rows));
    const toThree = distance(ours, three);
    const toLit = distance(ours, without);
    console.log(`${scene.name}: ours, three ${figure(toThree)} ours, without shadows ${figure(toLit)}`);
    expect.soft(toThree.mean, `${scene.name}: three`).toBeLessThanOrEqual(1);
    expect.soft(toLit.mean, `${scene.name}: there are shadows`).toBeGreaterThan(2 * toThree.mean);
  }
});

test('R12 parity: alpha mask and blend match', async ({ page, isolatedURL }) => {
  await compare(page, isolatedURL, 'alpha', ALPHA_CASES);
});
