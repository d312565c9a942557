/**
 * Skins, clips, morph targets and images with wrong data. The load succeeds, warnings name the parts that are
 * left out, and the rest of the model shows.
 */

import type { Page } from '@playwright/test';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { morphedGltf } from './morphed-gltf.js';
import { openEnginePage } from './open-engine-page.js';
import { skinnedGltf } from './skinned-gltf.js';
import { MODES } from './threading-modes.js';

/** The parts of the file's JSON that the tests change. */
interface SkinnedJson {
  buffers: { byteLength: number; uri: string }[];
  bufferViews: { buffer: number; byteOffset: number; byteLength: number }[];
  accessors: { bufferView: number; count: number; componentType: number; type: string }[];
  skins: { joints: number[]; inverseBindMatrices?: number }[];
  nodes: { name: string; children?: number[]; mesh?: number; skin?: number; translation?: number[] }[];
  scenes: { nodes: number[] }[];
  animations: { channels: { sampler: number; target: { node: number; path: string } }[] }[];
}

/** The file of `skinnedGltf` and views on the accessors that the tests change. */
interface Skinned {
  readonly json: SkinnedJson;
  readonly joints: Uint16Array;
  readonly weights: Float32Array;
  readonly bindMatrices: Float32Array;
  readonly times: Float32Array;
  readonly turns: Float32Array;
  /** Returns the file with all changes so far. */
  finish(): ArrayBuffer;
}

declare global {
  interface Window {
    openSkinned: typeof openSkinned;
    /** Loads a changed file. `errors` in the result are the messages of the engine's error events. */
    lookAtSkinned: typeof lookAtSkinned;
    lookAtMorphed: typeof lookAtMorphed;
  }
}

function openSkinned(): Skinned {
  const json = JSON.parse(new TextDecoder().decode(window.skinnedGltf())) as SkinnedJson;
  const [head, data] = json.buffers[0]!.uri.split(',') as [string, string];
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const floats = (accessor: number): Float32Array => {
    const { byteOffset, byteLength } = json.bufferViews[accessor]!;
    return new Float32Array(bytes.buffer, byteOffset, byteLength / 4);
  };
  return {
    json,
    joints: new Uint16Array(bytes.buffer, json.bufferViews[2]!.byteOffset, 24),
    weights: floats(3),
    bindMatrices: floats(5),
    times: floats(6),
    turns: floats(7),
    finish: () => {
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      json.buffers[0]!.uri = `${head},${btoa(text)}`;
      return new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer;
    },
  };
}

/**
 * Returns whether the foot, the upright top, the bent top and the cube beside them are lit. The clip has turned
 * the middle joint by 90°.
 */
async function lookAtSkinned(change: (skinned: Skinned) => unknown, threading: (typeof MODES)[number]) {
  const { fencepost, kit } = window;
  const engine = await fencepost.createEngine(kit.view, {
    background: '#000',
    antialias: false,
    threading,
    validation: true,
  });
  const errors: string[] = [];
  engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
  const { world } = engine;
  world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
  world.addDirectionalLight({ direction: [0, 0, -1], intensity: 3 });
  world.addMesh({ geometry: fencepost.boxGeometry(), position: [3, 0, 0] });
  const skinned = window.openSkinned();
  change(skinned);
  const level = await world.load(skinned.finish()).catch((error: { code: string; message: string }) => error);
  if (!('bounds' in level)) {
    await engine.step(0);
    const frame = await engine.captureFrame();
    const isBeside = (kit.pixel(frame, 112, 64)[1] as number) > 60;
    await engine.dispose();
    return { refused: `${level.code} ${level.message}`, isBeside, errors };
  }
  level.play('bend', { speed: 0, startSeconds: 1 });
  await engine.step(0);
  const frame = await engine.captureFrame();
  const lit = (x: number, y: number): boolean =>
    (kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 - y * 16))[1] as number) > 60;
  const { min, max } = level.bounds;
  const seen = {
    lit: [lit(0, 0.3), lit(0, 1.8), lit(-0.8, 1)],
    isBeside: lit(3, 0),
    warnings: level.warnings,
    isBounded: [...min, ...max].every(Number.isFinite),
    errors,
  };
  await engine.dispose();
  return seen;
}

interface MorphedMesh {
  primitives: { targets?: object[] }[];
}

/**
 * Returns where the upper and the lower square show. "right" means that the morph target has moved the whole
 * square.
 */
async function lookAtMorphed(
  change: (mesh: MorphedMesh, json: { accessors: { count: number }[] }) => unknown,
  threading: (typeof MODES)[number],
) {
  const { fencepost, kit } = window;
  const engine = await fencepost.createEngine(kit.view, { background: '#000', antialias: false, threading });
  const errors: string[] = [];
  engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
  const { world } = engine;
  world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
  world.addDirectionalLight({ direction: [0, 0, -1], intensity: 3 });
  const json = JSON.parse(new TextDecoder().decode(window.morphedGltf(false)));
  change(json.meshes[0], json);
  const file = new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer;
  const level = await world.load(file).catch((error: { code: string; message: string }) => error);
  if (!('bounds' in level)) {
    await engine.dispose();
    return { refused: `${level.code} ${level.message}`, errors };
  }
  level.play('go', { speed: 0, startSeconds: 1 });
  await engine.step(0);
  const frame = await engine.captureFrame();
  const isLit = (x: number, y: number): boolean =>
    (kit.pixel(frame, 64 + x * 16, 64 - y * 16)[1] as number) > 60;
  const placeAt = (y: number): string => ['middle', 'right'].filter((_, index) => isLit(index * 2, y)).join();
  const seen = { lit: [placeAt(1), placeAt(-1)], warnings: level.warnings, errors };
  await engine.dispose();
  return seen;
}

async function open(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  for (const part of [skinnedGltf, openSkinned, lookAtSkinned, morphedGltf, lookAtMorphed])
    await page.evaluate(`window.${part.name} = ${part}`);
}

const WHOLE = { isBeside: true, warnings: [], isBounded: true, errors: [] };

test('models with bad skins still show: missing joints, flat bind matrices, zero weights; in every mode', async ({
  page,
  plainURL,
}) => {
  test.slow();
  await open(page, plainURL);
  for (const mode of MODES) {
    const seen = await page.evaluate(
      async (threading) => ({
        asItIs: await window.lookAtSkinned(() => {}, threading),
        flat: await window.lookAtSkinned(({ bindMatrices }) => bindMatrices.fill(0, 16), threading),
        weightless: await window.lookAtSkinned(({ weights }) => weights.fill(0), threading),
        // The middle joint has a negative weight, and the foot has the weight 1.
        negative: await window.lookAtSkinned(({ weights }) => {
          for (let at = 0; at < weights.length; at += 4) weights.set([1, -5, 0, 0], at);
        }, threading),
        elsewhere: await window.lookAtSkinned(({ json }) => {
          json.nodes[1]!.children = [];
          json.nodes[0]!.translation = [0, 0, 0];
        }, threading),
        nowhere: await window.lookAtSkinned(({ json }) => {
          json.skins[0]!.joints.push(77);
          json.nodes[0]!.translation = [0, 0, 0];
        }, threading),
        jointless: await window.lookAtSkinned(({ json }) => {
          json.skins[0]!.joints.splice(0);
          json.nodes[0]!.translation = [0, 0, 0];
        }, threading),
        beyond: await window.lookAtSkinned(({ json, joints }) => {
          joints.fill(9);
          json.nodes[0]!.translation = [0, 0, 0];
        }, threading),
      }),
      mode,
    );
    // Without its skin the bar is drawn at its node.
    const unskinned = (warning: RegExp) => ({
      ...{ ...WHOLE, lit: [true, true, false] },
      warnings: [expect.stringMatching(warning)],
    });
    expect(seen, mode).toEqual({
      asItIs: { ...WHOLE, lit: [true, false, true] },
      // The middle joint's bind matrix is all zeros. Its vertices collapse into one point, and the bar's
      // upper part vanishes.
      flat: { ...WHOLE, lit: [true, false, false] },
      weightless: { ...WHOLE, lit: [true, true, false] },
      negative: { ...WHOLE, lit: [true, true, false] },
      elsewhere: unskinned(/skins\[0\]: It has a joint that is not in the scene/),
      nowhere: unskinned(/skins\[0\]\.joints\[2\]: It refers to nodes\[77\].* The skin is left out\.$/),
      jointless: unskinned(/skins\[0\]\.joints: It should name a joint\. The skin is left out\.$/),
      beyond: unskinned(/joint 9, but its skin has 2 joints\. It is shown without its skin\.$/),
    });
  }
});

test('a skin of 10,000 joints bends at its last joint', async ({ page, plainURL }) => {
  test.slow();
  await open(page, plainURL);
  const seen = await page.evaluate(
    async (threading) =>
      window.lookAtSkinned(({ json, joints, bindMatrices }) => {
        const count = 10_000;
        const bones = Array.from({ length: count - 2 }, (_, index) => json.nodes.length + index);
        json.nodes.push(...bones.map((bone) => ({ name: `bone ${bone}` })));
        json.nodes[1]!.children = [2, ...bones];
        json.skins[0]!.joints = [1, ...bones, 2];
        for (const [at, joint] of joints.entries()) if (joint === 1) joints[at] = count - 1;
        const matrices = new Float32Array(count * 16);
        for (let joint = 0; joint < count; joint++)
          matrices.set(bindMatrices.subarray(joint === count - 1 ? 16 : 0).subarray(0, 16), joint * 16);
        let text = '';
        for (const byte of new Uint8Array(matrices.buffer)) text += String.fromCharCode(byte);
        const { byteLength } = matrices;
        json.buffers.push({ byteLength, uri: `data:application/octet-stream;base64,${btoa(text)}` });
        json.bufferViews.push({ buffer: 1, byteOffset: 0, byteLength });
        Object.assign(json.accessors[json.skins[0]!.inverseBindMatrices!]!, {
          bufferView: json.bufferViews.length - 1,
          count,
        });
      }, threading),
    'render' as const,
  );
  expect(seen).toEqual({ ...WHOLE, lit: [true, false, true] });
});

test('bad clips play their valid parts: NaN, unsorted times, a single key, missing targets; in every mode', async ({
  page,
  plainURL,
}) => {
  test.slow();
  await open(page, plainURL);
  for (const mode of MODES) {
    const seen = await page.evaluate(
      async (threading) => ({
        noTime: await window.lookAtSkinned(({ times }) => times.set([Number.NaN], 1), threading),
        noTurn: await window.lookAtSkinned(({ turns }) => turns.set([Number.NaN], 5), threading),
        unsorted: await window.lookAtSkinned(({ times }) => times.set([1, 0]), threading),
        equal: await window.lookAtSkinned(({ times }) => times.set([1, 1]), threading),
        // Only the first key remains, and its pose is upright.
        oneKey: await window.lookAtSkinned(({ json }) => {
          for (const accessor of json.accessors.slice(6)) accessor.count = 1;
        }, threading),
        // A quaternion of zeros counts as no rotation.
        nothing: await window.lookAtSkinned(({ turns }) => turns.fill(0), threading),
        noTarget: await window.lookAtSkinned(
          ({ json }) => Object.assign(json.animations[0]!.channels[0]!.target, { node: 99 }),
          threading,
        ),
        noSampler: await window.lookAtSkinned(
          ({ json }) => Object.assign(json.animations[0]!.channels[0]!, { sampler: 7 }),
          threading,
        ),
      }),
      mode,
    );
    const upright = (warning: RegExp) => ({
      ...{ ...WHOLE, lit: [true, true, false] },
      warnings: [expect.stringMatching(warning)],
    });
    expect(seen, mode).toEqual({
      // Only the first key remains.
      noTime: upright(
        /animations\[0\]\.samplers\[0\]: Keys have numbers that are not finite; they are left out/,
      ),
      noTurn: upright(
        /animations\[0\]\.samplers\[0\]: Keys have numbers that are not finite; they are left out/,
      ),
      // The upright key comes first in the file and last in time.
      unsorted: upright(/animations\[0\]\.samplers\[0\]\.input: Keys are not in the order of their times/),
      equal: {
        ...{ ...WHOLE, lit: [true, false, true] },
        warnings: [
          expect.stringMatching(/samplers\[0\]\.input: Keys have equal times; the last of them is used/),
        ],
      },
      oneKey: { ...WHOLE, lit: [true, true, false] },
      nothing: { ...WHOLE, lit: [true, true, false] },
      noTarget: upright(/animations\[0\]\.channels\[0\]\.target\.node: .* The channel is left out\.$/),
      noSampler: upright(/animations\[0\]\.channels\[0\]\.sampler: .* The channel is left out\.$/),
    });
  }
});

test('squares show although the numbers of morph targets, weights, names, clip values or vertices do not match; in every mode', async ({
  page,
  plainURL,
}) => {
  test.slow();
  await open(page, plainURL);
  for (const mode of MODES) {
    const seen = await page.evaluate(
      async (threading) => ({
        asItIs: await window.lookAtMorphed(() => {}, threading),
        fewer: await window.lookAtMorphed(({ primitives }) => primitives[1]!.targets!.pop(), threading),
        none: await window.lookAtMorphed(({ primitives }) => delete primitives[1]!.targets, threading),
        tooMany: await window.lookAtMorphed(
          (mesh) => Object.assign(mesh, { weights: [0, 0, 1, 1], extras: { targetNames: ['right'] } }),
          threading,
        ),
        noNumbers: await window.lookAtMorphed(
          (mesh) => Object.assign(mesh, { weights: [null, 'much'] }),
          threading,
        ),
        vertices: await window.lookAtMorphed((_, json) => {
          json.accessors[2]!.count = 3;
        }, threading),
        keys: await window.lookAtMorphed((_, json) => {
          json.accessors.at(-1)!.count = 3;
        }, threading),
      }),
      mode,
    );
    const moved = { lit: ['right', 'right'], warnings: [], errors: [] };
    expect(seen, mode).toEqual({
      asItIs: moved,
      fewer: moved,
      none: { ...moved, lit: ['right', 'middle'] },
      ...{ tooMany: moved, noNumbers: moved },
      vertices: {
        ...{ ...moved, lit: ['middle', 'right'] },
        warnings: [
          expect.stringMatching(
            /POSITION: It has 3 elements, and the primitive's POSITION has 4\. It has no effect\.$/,
          ),
        ],
      },
      keys: {
        ...{ ...moved, lit: ['middle', 'middle'] },
        warnings: [expect.stringMatching(/samplers\[0\]\.output: .* The animated value stays unchanged\.$/)],
      },
    });
  }
});

/**
 * Images per generated file. `FENCEPOST_IMAGE_CASES` asks for more images, in several files;
 * `FENCEPOST_IMAGE_SEED` sets the seed.
 */
const IMAGES_PER_FILE = 120;
const imageCases = Number(process.env.FENCEPOST_IMAGE_CASES ?? IMAGES_PER_FILE);
const imageSeed = Number(process.env.FENCEPOST_IMAGE_SEED ?? 1);

test('damaged PNG, JPEG and WebP images are shown in part, or left out with a warning that names them, and the other meshes show', async ({
  page,
  plainURL,
}) => {
  if (imageCases > IMAGES_PER_FILE) test.setTimeout(timeLimit(imageCases * 50));
  await open(page, plainURL);
  const options = {
    files: Math.ceil(imageCases / IMAGES_PER_FILE),
    perFile: IMAGES_PER_FILE,
    seed: imageSeed,
  };
  const seen = await page.evaluate(async ({ files, perFile, seed }) => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { background: '#000', antialias: false });
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    world.addMesh({ geometry: fencepost.boxGeometry(), material: fencepost.unlitMaterial() });
    const canvas = new OffscreenCanvas(32, 32);
    const context = canvas.getContext('2d')!;
    for (let x = 0; x < 32; x++) {
      context.fillStyle = `hsl(${x * 11} 80% 50%)`;
      context.fillRect(x, x % 7, 1, 32);
    }
    // A seeded generator makes the same images in every run.
    let state = seed;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const wholes: [string, Uint8Array][] = [];
    for (const type of ['image/png', 'image/jpeg', 'image/webp']) {
      wholes.push([type, new Uint8Array(await (await canvas.convertToBlob({ type })).arrayBuffer())]);
    }
    const damaged = (index: number): string => {
      const [type, whole] = wholes[index % wholes.length]!;
      const isCut = (index & 1) === 0;
      const bytes = whole.slice(0, isCut ? random(whole.length) : whole.length);
      if (!isCut)
        for (let count = 1 + random(8); count > 0; count--) bytes[random(bytes.length)] = random(256);
      return `data:${type};base64,${btoa(String.fromCharCode(...bytes))}`;
    };
    const points = btoa(String.fromCharCode(...new Uint8Array(12)));
    const warnings: string[] = [];
    for (let file = 0; file < files; file++) {
      const uris = Array.from({ length: perFile }, (_, index) => damaged(index));
      const json = {
        asset: { version: '2.0' },
        buffers: [{ byteLength: 12, uri: `data:application/octet-stream;base64,${points}` }],
        bufferViews: [{ buffer: 0, byteLength: 12 }],
        accessors: [{ bufferView: 0, componentType: 5126, type: 'VEC3', count: 1 }],
        images: uris.map((uri) => ({ uri })),
        textures: uris.map((_, source) => ({ source })),
        materials: uris.map((_, index) => ({ pbrMetallicRoughness: { baseColorTexture: { index } } })),
        meshes: [
          { primitives: uris.map((_, material) => ({ mode: 0, attributes: { POSITION: 0 }, material })) },
        ],
        nodes: [{ mesh: 0, translation: [3, 3, 0] }],
      };
      const level = await world.load(new TextEncoder().encode(JSON.stringify(json)).buffer as ArrayBuffer);
      warnings.push(...level.warnings);
      if (file < files - 1) level.unload();
      // The last file is always drawn. Longer runs test the decoding and draw only every tenth file.
      if (file === files - 1 || file % 10 === 0) await engine.step(0);
    }
    const [, green] = kit.pixel(await engine.captureFrame(), 64, 64);
    await engine.dispose();
    return { green, errors, warnings };
  }, options);
  expect(seen).toMatchObject({ green: 255, errors: [] });
  const images = options.files * options.perFile;
  expect(seen.warnings.length).toBeGreaterThan(images / 6);
  expect(seen.warnings.length).toBeLessThan(images);
  for (const warning of seen.warnings) expect(warning).toMatch(/image "image \d+": It is left out/);
});
