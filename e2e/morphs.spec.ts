import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { morphedGltf } from './morphed-gltf.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES, modesOf } from './threading-modes.js';

// Meshes with morph targets, through the public API.

declare global {
  interface Window {
    morphedGltf: typeof morphedGltf;
  }
}

async function open(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.morphedGltf = ${morphedGltf}`);
}

for (const isolated of [true, false]) {
  test(`weights move a mesh, its normals, its shadow and its bounds, with the same bytes in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await open(page, isolated ? isolatedURL : plainURL);
    const seen = await page.evaluate(async (modes) => {
      const { fencepost, kit } = window;
      const results: { shown: unknown; bytes: string }[] = [];
      for (const threading of modes) {
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
        const level = await world.load(window.morphedGltf(false));
        const material = fencepost.standardMaterial({ baseColor: '#fff', roughness: 1 });
        // The wall is 1 m behind. Shadows fall on it 1 m lower.
        world.addMesh({ geometry: fencepost.planeGeometry({ size: 20 }), material, position: [0, 0, -1] });
        world.addDirectionalLight({
          direction: [0, -1, -1],
          intensity: 3,
          castShadow: { mapSize: 1024, cascades: 1 },
        });
        const meshes = level
          .find('face')!
          .components.filter((each) => each instanceof fencepost.MeshComponent) as InstanceType<
          typeof fencepost.MeshComponent
        >[];
        let bytes = '';
        const look = async () => {
          await engine.step(0);
          const frame = await engine.captureFrame();
          bytes += Array.from(frame.data).join();
          const bright = (x: number, y: number): boolean =>
            (kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 - y * 16))[1] as number) > 60;
          const { min, max } = level.bounds;
          return {
            // Probes of the upper square at rest and 2 m to the right, and of its shadows below both.
            isBright: [bright(0, 1), bright(2, 1), bright(0, 0.2), bright(2, 0.2)],
            lower: [bright(0, -1), bright(2, -1)],
            visible: engine.stats().visible,
            bounds: [min[0], max[0]],
          };
        };
        const home = await look();
        meshes[0]!.setMorphWeight('right', 1);
        const right = await look();
        const picked = await engine.pick(64 + 32, 64 - 16);
        const met = world.raycast([2, 1, 5], [0, 0, -1]);
        const passed = world.raycast([0, 1, 5], [0, 0, -1]);
        meshes[0]!.setMorphWeight(1, 1);
        const dark = await look();
        meshes[0]!.setMorphWeight('dark', 0);
        // The node is outside the picture, but its morphed vertices are inside.
        const root = level.find('face')!.root;
        root.position.set(-10, 0, 0);
        meshes[0]!.setMorphWeight('right', 5);
        meshes[1]!.setMorphWeight('right', 6);
        const far = await look();
        root.position.set(0, 0, 0);
        meshes[0]!.setMorphWeight('right', 0);
        meshes[1]!.setMorphWeight('right', 0);
        const playback = level.play('go', { speed: 0, startSeconds: 1 });
        const played = await look();
        const metPlayed = [2, 0].map(
          (x) => world.raycast([x, 1, 5], [0, 0, -1])?.actor === level.find('face'),
        );
        playback.weight = 0.5;
        const halfPlayed = [level.bounds.min[0], level.bounds.max[0]];
        playback.stop();
        const stopped = level.bounds.max[0];
        results.push({
          shown: {
            names: meshes[0]!.morphTargets,
            weights: meshes[0]!.morphWeights,
            home,
            right,
            picked: [picked?.actor.name, picked?.primitive, Math.round((picked?.position[0] ?? 0) * 10)],
            met: [met?.actor.name, met?.primitive, met?.distance, passed?.actor === met?.actor],
            dark: dark.isBright.slice(0, 2),
            far,
            played,
            metPlayed,
            halfPlayed,
            stopped,
          },
          bytes,
        });
        const { leaks } = await engine.dispose();
        if (leaks.length || errors.length) throw new Error(JSON.stringify({ leaks, errors }));
      }
      const [first] = results;
      return {
        shown: results.map(({ shown }) => shown),
        areSame: results.every(({ bytes }) => bytes === first!.bytes),
      };
    }, modesOf(isolated));
    const [shown] = seen.shown as { home: object; right: object; far: object }[];
    expect(shown).toEqual({
      names: ['right', 'dark'],
      weights: [0, 0],
      home: {
        isBright: [true, true, false, true],
        lower: [true, true],
        visible: 3,
        bounds: [-0.5, 0.5],
      },
      right: {
        isBright: [true, true, true, false],
        lower: [true, true],
        visible: 3,
        bounds: [-0.5, 2.5],
      },
      picked: ['face', 0, 20],
      met: ['face', 0, 5, false],
      // The wall is bright. The square that faces away from the light is not.
      dark: [true, false],
      far: {
        isBright: [true, true, false, true],
        lower: [true, true],
        visible: 3,
        bounds: [-0.5, 2.5],
      },
      // The clip moves both squares of the node.
      played: {
        isBright: [true, true, true, false],
        lower: [true, true],
        visible: 3,
        bounds: [1.5, 2.5],
      },
      metPlayed: [true, false],
      halfPlayed: [0.5, 1.5],
      stopped: 0.5,
    });
    for (const other of seen.shown) expect(other).toEqual(shown);
    expect(seen.areSame).toBe(true);
  });
}

test('morph targets combine with joints, play separately in clones, survive a device loss, and reject unknown names', async ({
  page,
  plainURL,
}) => {
  await open(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { background: '#000', antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    world.addDirectionalLight({ direction: [0, 0, -1], intensity: 3 });
    const level = await world.load(window.morphedGltf(true));
    const look = async () => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      const bright = (x: number, y: number): boolean =>
        (kit.pixel(frame, Math.round(64 + x * 16), Math.round(64 - y * 16))[1] as number) > 60;
      return [-2, 0, 2].map((x) => `${bright(x, 2)} ${bright(x, 1)} ${bright(x, -1)}`);
    };
    const playback = level.play('go', { speed: 0, startSeconds: 1 });
    // The joint lifts the upper square. The lower square has no joints and follows its node.
    level.find('root')!.position.set(0, 1, 0);
    const lifted = await look();
    const second = level.clone({ position: [0, 0, 0] });
    second.find('face')!.root.position.set(-2, 0, 0);
    second.find('root')!.position.set(-2, 1, 0);
    const both = await look();
    const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
    await engine.simulateDeviceLoss();
    await restored;
    const restoredLook = await look();
    await engine.setThreading('single');
    const switchedLook = await look();
    second.unload();
    playback.stop();
    const back = await look();
    const [mesh] = level
      .find('face')!
      .components.filter((each) => each instanceof fencepost.MeshComponent) as InstanceType<
      typeof fencepost.MeshComponent
    >[];
    const refusals = [
      kit.refusal(async () => mesh!.setMorphWeight('frown', 1)),
      kit.refusal(async () => mesh!.setMorphWeight(2, 1)),
      kit.refusal(async () => mesh!.setMorphWeight(0, Number.NaN)),
    ];
    const codes = (await Promise.all(refusals)).map(({ code }) => code);
    const { leaks } = await engine.dispose();
    return { lifted, both, restoredLook, switchedLook, back, codes, leaks };
  });
  expect(seen).toMatchObject({
    lifted: ['false false false', 'false false false', 'true false true'],
    both: ['true false true', 'false false false', 'true false true'],
    restoredLook: seen.both,
    switchedLook: seen.both,
    back: ['false false false', 'true false true', 'false false false'],
    codes: ['morph-target-unknown', 'morph-target-unknown', 'option-out-of-range'],
    leaks: [],
  });
});

/**
 * Returns a file with a triangle without normals, 2 m wide and high. Its morph target moves the top by 2 m
 * towards +Z.
 */
function flatGltf(): string {
  const floats = new Float32Array([...[-1, -1, 0, 1, -1, 0, 0, 1, 0], ...[0, 0, 0, 0, 0, 0, 0, 0, 2]]);
  const uri = `data:application/octet-stream;base64,${Buffer.from(floats.buffer).toString('base64')}`;
  const vec3 = (bufferView: number) => ({ bufferView, componentType: 5126, type: 'VEC3', count: 3 });
  return JSON.stringify({
    asset: { version: '2.0' },
    buffers: [{ byteLength: 72, uri }],
    bufferViews: [0, 36].map((byteOffset) => ({ buffer: 0, byteOffset, byteLength: 36 })),
    accessors: [vec3(0), vec3(1)],
    materials: [{ pbrMetallicRoughness: { metallicFactor: 0 }, doubleSided: true }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, targets: [{ POSITION: 1 }], material: 0 }] }],
    nodes: [{ name: 'flat', mesh: 0 }],
  });
}

test('a triangle without normals is shaded with the normal of its morphed shape, on both sides, in every mode', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(
    async ({ modes, file }) => {
      const { fencepost, kit } = window;
      const results: { normals: (readonly number[])[]; isBright: boolean[] }[] = [];
      for (const threading of modes) {
        const engine = await fencepost.createEngine(kit.view, { background: '#000', threading });
        const { world } = engine;
        const level = await world.load(new TextEncoder().encode(file).buffer as ArrayBuffer);
        level.find('flat')!.mesh!.setMorphWeight(0, 0.5);
        const cameras = [10, -10].map((z) =>
          world.addCamera({ position: [0, 0, z], lookAt: [0, 0, 0], orthographic: { halfHeight: 2 } }),
        );
        // The light is parallel to the bent triangle, so the triangle stays dark. From behind, the normal of the
        // unbent triangle would make it bright.
        const light = world.addDirectionalLight({ direction: [0, 2, 1], intensity: 10 });
        const normals: (readonly number[])[] = [];
        const isBright: boolean[] = [];
        for (const camera of cameras) {
          world.activeCamera = camera;
          await engine.step(0);
          const [red = 0] = kit.pixel(await engine.captureFrame(), 64, 64);
          isBright.push(red > 10);
          normals.push((await engine.pick(64, 64))!.normal);
        }
        world.activeCamera = cameras[0]!;
        light.destroy();
        world.addDirectionalLight({ direction: [0, 1, -2], intensity: 3 });
        await engine.step(0);
        const [red = 0] = kit.pixel(await engine.captureFrame(), 64, 64);
        isBright.push(red > 100);
        results.push({ normals, isBright });
        await engine.dispose();
      }
      return results;
    },
    { modes: MODES, file: flatGltf() },
  );
  const normal = [0, -1 / Math.sqrt(5), 2 / Math.sqrt(5)];
  for (const { normals, isBright } of seen) {
    expect(isBright).toEqual([false, false, true]);
    normals.forEach((found, side) => {
      const expected = normal.map((value) => (side === 0 ? value : -value));
      for (const [axis, value] of found.entries()) expect(value).toBeCloseTo(expected[axis]!, 3);
    });
  }
  expect(seen).toHaveLength(3);
});
