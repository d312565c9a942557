// Uses the Khronos sample renderer as an oracle. This engine and the renderer of glTF's authors draw the same
// file, camera and .hdr, without tone mapping, in sRGB. Each pixel has one sample, because the renderers
// disagree on whether samples are averaged before or after encoding. Distances are mean absolute differences of
// red, green and blue, 0 to 255, over the pixels that either renderer covers.
//
//   npm test         ours ─── e2e/khronos/pictures/*.png     Khronos’ stored spheres: ≤ 3, glass ≤ 5, sheen ≤ 6
//   npm run oracle   ours ─┬─ Khronos, running here          the same bounds, or as near as three; Khronos’ pictures
//                          │                                 of spheres equal the stored ones
//                          └─ three, unmodified: the first moment of a clip, and shots in which ours is above 3
//
// Without a GPU the sample renderer needs a minute to filter an environment, so its pictures are stored.
// test-results/khronos/*.png show side by side: ours, Khronos, three, |ours − Khronos| × 8.

import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import type { Page } from '@playwright/test';
import { PNG } from 'pngjs';
import { findChromium } from '../scripts/find-chromium.mjs';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { chromiumLaunchOptions } from '../src/testing/launch-options.js';
import { readPng, writePng } from '../src/testing/png.js';
import { expect, test } from './fixtures.js';
import { hdrFile } from './hdr-file.js';
import { EXTENSIONS, extensionGrid } from './khronos/extension-grids.js';
import { plainFile } from './khronos/plain-file.js';
import type { Shot } from './khronos/shot.js';
import { sphereGrid } from './khronos/sphere-grid.js';
import { texturedSquare } from './khronos/textured-square.js';
import { openLoadedPage } from './open-engine-page.js';
import type { Picture } from './parity/scene.js';

// The sample renderer uses WebGL, which has its own software renderer.
test.use({
  launchOptions: chromiumLaunchOptions({
    executablePath: findChromium(),
    args: ['--enable-unsafe-swiftshader'],
  }),
});

/** The largest allowed distance, 0 to 255. */
const BOUND = 3;
/**
 * The largest allowed distance for sheen, which differs more for two reasons. The sample renderer does not dim
 * the layers below, because its package never uploads the table for that. It also averages 64 samples of an
 * environment that is blurred to one texel per face of the cube.
 */
const SHEEN_BOUND = 6;
/**
 * Transmission differs more, because the sample renderer stores the scene behind glass in 8 bits and in a square of 1024
 * texels.
 */
const GLASS_BOUND = 5;
const GLASS = /transmission|volume|dispersion|glass/i;
const boundOf = (name: string): number =>
  name === 'sheen' ? SHEEN_BOUND : GLASS.test(name) ? GLASS_BOUND : BOUND;
const folder = process.env.FENCEPOST_ASSETS;

interface Model {
  readonly file: string;
  /** Duration of each clip, in seconds. */
  readonly clips?: readonly number[];
  readonly variants?: readonly string[];
  /** The file needs an extension that the sample renderer doesn't know, so that renderer draws a plain copy. */
  readonly isPlainForKhronos?: boolean;
}

/** Textured, compressed and animated sample models. */
const MODELS: readonly Model[] = [
  { file: 'BoxTextured.gltf' },
  { file: 'BoxVertexColors.glb' },
  { file: 'Fox.glb', clips: [3.42, 0.71, 1.16] },
  { file: 'BoxMeshopt.glb', isPlainForKhronos: true },
  { file: 'animation/01_cs_morph/01_cs_morph.gltf', clips: [2] },
  { file: 'animation/01_cs_rotate/01_cs_rotate.gltf', clips: [2] },
  { file: 'animation/03_skinned_cylinder/03_skinned_cylinder.gltf', clips: [2] },
  { file: 'animation/24_animation_pointer/24_animation_pointer.gltf', clips: [10.02] },
  { file: 'animation/AnimatedMorphSphere/AnimatedMorphSphere.gltf', clips: [7.2] },
  { file: 'animation/CesiumMan.glb', clips: [2] },
  { file: 'animation/MeshSkinnedToItselfAndOthers.glb', clips: [1] },
  { file: 'animation/NestedSkeletonAnimated.glb', clips: [0] },
  { file: 'compression/EXT_meshopt/meshopt-no-fallback.gltf', isPlainForKhronos: true },
  { file: 'compression/KHR_meshopt/meshopt-no-fallback.gltf', isPlainForKhronos: true },
  { file: 'compression/meshopt-fallback/meshopt-fallback.gltf', isPlainForKhronos: true },
  { file: 'instancing/24_gpu_instancing/24_gpu_instancing.gltf', isPlainForKhronos: true },
  { file: 'materials/18_variants/18_variants.gltf', variants: ['Variant_Red', 'Variant_Blue'] },
  { file: 'materials/15_transmission/15_transmission.gltf' },
  { file: 'materials/16_volume/16_volume.gltf' },
  { file: 'materials/glass-table.glb' },
  { file: 'materials/17_ior/17_ior.gltf' },
  { file: 'materials/19_sheen/19_sheen.gltf' },
  { file: 'materials/20_specular/20_specular.gltf' },
  { file: 'materials/25_anisotropy/25_anisotropy.gltf' },
  { file: 'materials/ClearCoat/ClearCoatTest.gltf' },
  { file: 'heart_draco.glb' },
  { file: 'compression/Box_Draco.glb' },
  { file: 'compression/archer_draco.glb' },
  {
    file: 'animation/InterpolationTest/InterpolationTest.gltf',
    clips: [1.67, 1.67, 1.67, 1.71, 1.71, 1.71, 1.67, 1.67, 1.67],
  },
];

/** Textures that the test shows on squares. The sample renderer can't read UASTC with Zstandard. */
const TEXTURES = ['sample_etc1s'] as const;

/** The number of moments of each clip that are drawn. They are evenly spread. */
const MOMENTS = Number(process.env.FENCEPOST_ORACLE_MOMENTS ?? 1);
/** Limits the run to shots whose name and file match. */
const MATCH = new RegExp(process.env.FENCEPOST_ORACLE_MATCH ?? '');

/** Returns the shots of a model: one per moment of each clip and one per variant. Other models have a single shot. */
function shotsOf(
  { file, clips = [], variants = [], isPlainForKhronos }: Model,
  environment: string,
): [string, Shot][] {
  const name = file.replace(/^.*\/|\.\w+$/g, '');
  const plain = isPlainForKhronos ? { plainFile: `/samples/plain/${file}.glb` } : {};
  const shot: Shot = { file: `/samples/assets/${file}`, ...plain, environment };
  const posed = clips.flatMap((duration, clip) =>
    Array.from({ length: MOMENTS }, (_, moment): [string, Shot] => {
      const seconds = Math.round(((moment + 0.5) / MOMENTS) * duration * 1000) / 1000;
      return [`${name}, clip ${clip} at ${seconds} s`, { ...shot, pose: { clip, seconds } }];
    }),
  );
  const varied = variants.map((variant): [string, Shot] => [`${name}, ${variant}`, { ...shot, variant }]);
  return posed.length + varied.length > 0 ? [...posed, ...varied] : [[name, shot]];
}

/** Returns a sky with a sun, a bright window and a warm floor, so that every direction has something to reflect. */
function madeEnvironment(): Buffer {
  const [width, height] = [256, 128];
  return hdrFile(width, height, (x, y) => {
    const [around, down] = [((x + 0.5) / width) * Math.PI * 2, ((y + 0.5) / height) * Math.PI];
    const up = Math.cos(down);
    const sun = Math.exp(-((around - 2) ** 2 + (down - 1) ** 2) * 30) * 40;
    const window = Math.abs(around - 4.5) < 0.4 && Math.abs(down - 1.3) < 0.3 ? 4 : 0;
    if (up < 0) return [0.25 + 0.2 * up + window, 0.2 + 0.1 * up + window, 0.12 + window];
    return [
      0.3 + 0.1 * up + sun + window,
      0.4 + 0.3 * up + sun * 0.8 + window,
      0.6 + 0.6 * up + sun * 0.5 + window,
    ];
  });
}

/**
 * Serves the files that the shots name. "assets/" is the folder of sample models, and "assets/plain/" has plain
 * copies of them.
 */
async function openPage(page: Page, origin: string, made: Readonly<Record<string, Buffer>>): Promise<void> {
  await page.route('**/samples/**', async (route) => {
    const path = decodeURIComponent(new URL(route.request().url()).pathname.slice('/samples/'.length));
    const file = path.startsWith('assets/') && join(folder ?? '', normalize(path.slice('assets/'.length)));
    const plain = /^plain\/(.+)\.glb$/.exec(path)?.[1];
    const body =
      made[path] ??
      (file && existsSync(file) ? readFileSync(file) : undefined) ??
      (plain && (await plainFile(join(folder ?? '', normalize(plain)))));
    return body
      ? route.fulfill({ body, headers: { 'Cross-Origin-Resource-Policy': 'same-origin' } })
      : route.fulfill({ status: 404 });
  });
  // The sample renderer requests this table, and never reads it.
  const nothing = PNG.sync.write(new PNG({ width: 1, height: 1 }));
  await page.route('**/lut_sheen_E.png', (route) =>
    route.fulfill({ body: nothing, contentType: 'image/png' }),
  );
  await openLoadedPage(page, `${origin}/e2e/pages/khronos.html`);
}

const MADE = '/samples/made.hdr';
const SPHERES = ['white', 'gold', 'dark', 'occluded'] as const;
/** Names of the shots whose pictures by Khronos are stored. */
const STORED: readonly string[] = [...SPHERES, ...EXTENSIONS];
const hasOracle = process.env.FENCEPOST_ORACLE === 'on';

const pictureOf = (name: string): string => `e2e/khronos/pictures/${name}.png`;

const sphereShot = (name: string, environment: string): Shot => ({
  file: `/samples/${name}.glb`,
  environment,
  stand: { position: [0, 0, 20], target: [0, 0, 0] },
});

async function spheres(): Promise<Record<string, Buffer>> {
  return {
    'made.hdr': madeEnvironment(),
    'white.glb': await sphereGrid([1, 1, 1]),
    'gold.glb': await sphereGrid([1, 0.6, 0.2]),
    'dark.glb': await sphereGrid([0.1, 0.2, 0.4]),
    'occluded.glb': await sphereGrid([0.8, 0.8, 0.8], 0.5),
  };
}

async function grids(): Promise<Record<string, Buffer>> {
  const made: Record<string, Buffer> = { 'made.hdr': madeEnvironment() };
  for (const name of EXTENSIONS) made[`${name}.glb`] = await extensionGrid(name);
  return made;
}

async function squares(assets: string): Promise<Record<string, Buffer>> {
  const made: Record<string, Buffer> = {};
  for (const name of TEXTURES)
    made[`${name}.glb`] = await texturedSquare(readFileSync(join(assets, `compression/${name}.ktx2`)));
  return made;
}

/** Writes pictures in one row to a PNG file for people to look at. */
function writeSheet(name: string, size: number, pictures: readonly (Uint8Array | Uint8ClampedArray)[]): void {
  const data = new Uint8ClampedArray(size * pictures.length * size * 4);
  pictures.forEach((picture, column) => {
    for (let y = 0; y < size; y++) {
      const row = picture.subarray(y * size * 4, (y + 1) * size * 4);
      data.set(row, (y * size * pictures.length + column * size) * 4);
    }
  });
  const file = `test-results/khronos/${name.replaceAll(/\W+/g, '-')}.png`;
  writePng(file, { width: size * pictures.length, height: size, data });
}

/**
 * Returns the mean absolute difference over the pixels that either picture covers, and a picture of the
 * difference, times eight.
 */
function difference(
  a: Uint8Array | Uint8ClampedArray,
  b: Uint8Array | Uint8ClampedArray,
): { mean: number; covered: number; picture: Buffer } {
  let [total, covered] = [0, 0];
  const picture = Buffer.alloc(a.length, 255);
  const isDrawn = (pixels: typeof a, at: number): boolean =>
    pixels.subarray(at, at + 3).some((value) => value > 0);
  for (let at = 0; at < a.length; at += 4) {
    if (isDrawn(a, at) || isDrawn(b, at)) covered++;
    for (let channel = at; channel < at + 3; channel++) {
      const distance = Math.abs(a[channel]! - b[channel]!);
      total += distance;
      picture[channel] = Math.min(255, distance * 8);
    }
  }
  return { mean: total / (covered * 3), covered, picture };
}

async function draw(page: Page, shot: Shot, renderers: readonly ('khronos' | 'three')[]) {
  const drawn = await page.evaluate(([what, others]) => window.drawShot(what, others), [
    shot,
    renderers,
  ] as const);
  const decode = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text, 'base64'));
  return {
    size: drawn.size,
    ours: Buffer.from(drawn.ours, 'base64'),
    khronos: decode(drawn.khronos),
    three: decode(drawn.three),
  };
}

test('R12 Khronos: spheres of all metalness and roughness match in image-based light', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openPage(page, isolatedURL, await spheres());
  for (const name of SPHERES) {
    const { size, ours } = await draw(page, sphereShot(name, MADE), []);
    const { data } = readPng(pictureOf(name));
    const { mean, covered, picture } = difference(ours, data);
    writeSheet(name, size, [ours, data, picture]);
    console.log(`${name} spheres: ${mean.toFixed(2)} of 255 from Khronos, over ${covered} pixels`);
    expect(covered, name).toBeGreaterThan(size * size * 0.5);
    expect.soft(mean, name).toBeLessThanOrEqual(BOUND);
    // A picture of another light or material must exceed the bound.
    const other = SPHERES[(SPHERES.indexOf(name) + 1) % SPHERES.length]!;
    const { data: wrong } = readPng(pictureOf(other));
    expect.soft(difference(ours, wrong).mean, `${name} beside ${other}`).toBeGreaterThan(BOUND);
  }
});

test('R14 Khronos: spheres with each material extension match in image-based light and sunlight', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openPage(page, isolatedURL, await grids());
  for (const name of EXTENSIONS) {
    const { size, ours } = await draw(page, sphereShot(name, MADE), []);
    const { data } = readPng(pictureOf(name));
    const { mean, covered, picture } = difference(ours, data);
    writeSheet(name, size, [ours, data, picture]);
    console.log(`${name}: ${mean.toFixed(2)} of 255 from Khronos, over ${covered} pixels`);
    expect(covered, name).toBeGreaterThan(size * size * 0.5);
    expect.soft(mean, name).toBeLessThanOrEqual(boundOf(name));
    // A picture of another extension must exceed the bound.
    const other = EXTENSIONS[(EXTENSIONS.indexOf(name) + 1) % EXTENSIONS.length]!;
    const { data: wrong } = readPng(pictureOf(other));
    expect.soft(difference(ours, wrong).mean, `${name} beside ${other}`).toBeGreaterThan(boundOf(name));
  }
});

test('R12 Khronos: spheres and models match the sample renderer, running here beside three.js', async ({
  page,
  isolatedURL,
}) => {
  test.skip(!hasOracle, 'npm run oracle');
  test.setTimeout(timeLimit(3_600_000));
  await openPage(page, isolatedURL, {
    ...(await spheres()),
    ...(await grids()),
    ...(folder ? await squares(folder) : {}),
  });
  const all: [name: string, shot: Shot][] = STORED.map((name) => [name, sphereShot(name, MADE)]);
  if (folder) {
    const environment = '/samples/assets/spiaggia_di_mondello_1k.hdr';
    for (const name of SPHERES) all.push([`${name} by the sea`, sphereShot(name, environment)]);
    // The sample renderer needs a minute per environment, so the models share one that it has filtered.
    for (const name of TEXTURES) all.push([name, { file: `/samples/${name}.glb`, environment: MADE }]);
    for (const model of MODELS) all.push(...shotsOf(model, MADE));
  }
  const clips = new Set<string>();
  const shots = all.filter(([name, { file }]) => MATCH.test(`${name} ${file}`));
  for (const [name, shot] of shots) {
    // three.js shows no variants without help. It draws the first moment of a clip, and moments at which this
    // engine's distance is above the bound.
    const hasThree = shot.variant === undefined;
    const clip = `${shot.file} ${shot.pose?.clip}`;
    const isFirst = !clips.has(clip);
    clips.add(clip);
    const peers = hasThree && isFirst ? (['khronos', 'three'] as const) : (['khronos'] as const);
    const drawn = await draw(page, shot, peers).catch((error: unknown) => String(error));
    if (typeof drawn === 'string') {
      // The sample renderer refuses files with an extension that it does not know.
      console.log(`${name}: ${drawn.split('\n')[0]}`);
      expect.soft(drawn, name).toContain('Unsupported extension');
      continue;
    }
    const { size, ours, khronos } = drawn;
    const { mean, covered, picture } = difference(ours, khronos!);
    const three =
      drawn.three ?? (hasThree && mean > BOUND ? (await draw(page, shot, ['three'])).three : undefined);
    const peer = three ? difference(three, khronos!).mean : 0;
    writeSheet(name, size, [ours, khronos!, ...(three ? [three] : []), picture]);
    console.log(
      `${name}: ours ${mean.toFixed(2)}, three ${three ? peer.toFixed(2) : 'not drawn'} of 255 from Khronos, over ${covered} pixels`,
    );
    expect.soft(mean, name).toBeLessThanOrEqual(Math.max(boundOf(name), peer));
    if (!STORED.some((stored) => stored === name)) continue;
    const file = pictureOf(name);
    const fresh: Picture = { width: size, height: size, data: new Uint8ClampedArray(khronos!) };
    if (existsSync(file)) expect.soft(Buffer.from(readPng(file).data).equals(khronos!), file).toBe(true);
    else writePng(file, fresh);
  }
});
