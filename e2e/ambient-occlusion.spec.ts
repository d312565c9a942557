import type { Engine } from 'fencepost';
import { arrivingShare, type Block, seenShare } from './ambient-reference.js';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: ambient occlusion dims light from all around, as far as other surfaces are in its way.

/** Reflected share of the floor's light. */
const ALBEDO = 0.18;
/** Largest difference from the reference. The effect knows only visible surfaces, and a channel has 8 bits. */
const MOST_ERROR = 0.05;

inEveryMode(
  'R14: ambient occlusion of a corner and around a box agrees with rays, for both projections and renderers',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, standardMaterial } = window.fencepost;
    const { world } = engine;
    world.setAmbient('#fff', 10);
    const material = standardMaterial({ baseColor: [0.18, 0.18, 0.18], roughness: 1 });
    world.addMesh({ geometry: planeGeometry({ size: 60, facing: 'y' }), material });
    const wall = world.addMesh({
      geometry: boxGeometry({ size: [60, 1, 1] }),
      material,
      position: [0, 0.5, -0.5],
    });
    const box = world.addMesh({ geometry: boxGeometry(), material, position: [0, 0.5, 0] });
    const cameras = {
      tilted: world.addCamera({ position: [0, 3, 3], lookAt: [0, 0, 0], orthographic: { halfHeight: 1.5 } }),
      perspective: world.addCamera({ position: [0, 3, 3], lookAt: [0, 0, 0], fovY: 0.8 }),
      above: world.addCamera({
        position: [0, 6, 0],
        rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
        orthographic: { halfHeight: 2 },
      }),
    };
    /** Light of the pixels in the middle column, from the top to the bottom. */
    const column = async (): Promise<number[]> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const { data, width, height } = await engine.captureFrame();
      return Array.from({ length: height }, (_, y) => {
        const value = data[(y * width + width / 2) * 4]! / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
    };
    const seen: Record<string, number[]> = {};
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      for (const [name, camera] of Object.entries(cameras)) {
        wall.visible = name !== 'above';
        box.visible = name === 'above';
        world.activeCamera = camera;
        engine.effects.ambientOcclusion = false;
        const open = await column();
        engine.effects.ambientOcclusion = { radius: 4, quality: 4 };
        const occluded = await column();
        seen[`${renderer}, ${name}`] = occluded.map((light, y) => light / open[y]!);
      }
    }
    return seen;
  },
  (found) => {
    const seen = found as Record<string, number[]>;
    const wall: Block = { from: [-30, 0, -1], to: [30, 1, 0] };
    const box: Block = { from: [-0.5, 0, -0.5], to: [0.5, 1, 0.5] };
    const cosine = Math.SQRT1_2;
    for (const renderer of ['forward', 'deferred']) {
      for (const distance of [0.15, 0.3, 0.6, 1]) {
        // Close to the wall the radius hardly matters. At the distance x from a wall of the height h, the share is
        // then 1/2 + x / (2 √(x² + h²)).
        const share = arrivingShare([0, 0, distance], wall, 4);
        if (distance < 0.2) {
          expect(share).toBeCloseTo(0.5 + distance / (2 * Math.hypot(distance, 1)), 1);
        }
        const expected = seenShare(share, ALBEDO);
        const tilted = Math.floor(64 + ((distance * cosine) / 1.5) * 64);
        const depth = 3 / cosine - distance * cosine;
        const perspective = Math.floor(64 + ((distance * cosine) / (depth * Math.tan(0.4))) * 64);
        const pixels = [
          seen[`${renderer}, tilted`]![tilted]!,
          seen[`${renderer}, perspective`]![perspective]!,
        ];
        for (const pixel of pixels) {
          expect(Math.abs(pixel - expected), `${renderer} ${distance}: ${pixels} ${expected}`).toBeLessThan(
            MOST_ERROR,
          );
        }
      }
      for (const distance of [0.1, 0.2, 0.4, 0.8]) {
        const expected = seenShare(arrivingShare([0, 0, 0.5 + distance], box, 4), ALBEDO);
        for (const side of [-1, 1]) {
          const pixel = seen[`${renderer}, above`]![Math.floor(64 + side * (0.5 + distance) * 32)]!;
          expect(
            Math.abs(pixel - expected),
            `${renderer} box ${distance}: ${pixel} ${expected}`,
          ).toBeLessThan(MOST_ERROR);
        }
      }
      // The top of the box receives all light.
      expect(seen[`${renderer}, above`]![64]).toBeGreaterThan(0.99);
    }
  },
);

inEveryMode(
  'R14: ambient occlusion leaves direct, emitted and unlit light, applies per view, and is equal in both renderers',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, sphereGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = 'transparent';
    const camera = world.addCamera({ position: [0, 2, 3], lookAt: [0, 0.2, 0] });
    const gray = standardMaterial({ baseColor: '#888' });
    world.addMesh({ geometry: planeGeometry({ size: 6, facing: 'y' }), material: gray });
    world.addMesh({ geometry: boxGeometry({ size: 0.8 }), material: gray, position: [-0.8, 0.4, 0] });
    const coat = standardMaterial({ baseColor: '#888', clearcoat: 1 });
    world.addMesh({ geometry: sphereGeometry({ radius: 0.4 }), material: coat, position: [0.1, 0.4, 0] });
    const glass = standardMaterial({ transmission: 1, roughness: 0.1 });
    world.addMesh({ geometry: sphereGeometry({ radius: 0.3 }), material: glass, position: [0.8, 0.3, 0.4] });
    const sign = unlitMaterial({ baseColor: '#888' });
    world.addMesh({ geometry: planeGeometry({ size: 0.4 }), material: sign, position: [-0.2, 0.2, -0.45] });
    const veil = standardMaterial({ baseColor: [0.5, 0.5, 0.5, 0.5], alphaMode: 'blend' });
    world.addMesh({ geometry: planeGeometry({ size: 0.5 }), material: veil, position: [0, 0.25, 0.8] });
    const crates = world.addInstances({ geometry: boxGeometry({ size: 0.3 }), material: gray, count: 3 });
    crates.positions.set([0.6, 0.15, -0.6, 0.95, 0.15, -0.6, 0.75, 0.45, -0.6]);
    crates.touch();
    const picture = async (): Promise<Uint8ClampedArray> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      return (await engine.captureFrame()).data;
    };
    const difference = (a: Uint8ClampedArray, b: Uint8ClampedArray, from = 0, to = 1): number => {
      const width = Math.sqrt(a.length / 4);
      let most = 0;
      for (let at = 0; at < a.length; at++) {
        const x = (Math.floor(at / 4) % width) / width;
        if (x >= from && x < to) most = Math.max(most, Math.abs(a[at]! - b[at]!));
      }
      return most;
    };
    const on = { radius: 0.6 };
    const seen: Record<string, number> = {};
    // Direct light, and light that surfaces emit.
    const sun = world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 2 });
    coat.emissive = '#400';
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      engine.effects.ambientOcclusion = false;
      const open = await picture();
      engine.effects.ambientOcclusion = on;
      seen[`${renderer}, direct`] = difference(open, await picture());
    }
    sun.destroy();
    world.setAmbient('#fff', 3);
    const pictures: Uint8ClampedArray[] = [];
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      engine.effects.ambientOcclusion = false;
      const open = await picture();
      engine.effects.ambientOcclusion = { ...on, intensity: 0 };
      seen[`${renderer}, none`] = difference(open, await picture());
      engine.effects.ambientOcclusion = on;
      pictures.push(await picture());
      seen[`${renderer}, all`] = difference(open, pictures.at(-1)!);
      engine.effects.ambientOcclusion = { ...on, intensity: 0.5 };
      seen[`${renderer}, half`] = difference(open, await picture());
    }
    seen.renderers = difference(pictures[0]!, pictures[1]!);
    engine.renderer = 'forward';
    engine.hdr = false;
    engine.effects.ambientOcclusion = false;
    const displayed = await picture();
    engine.effects.ambientOcclusion = on;
    seen.display = difference(displayed, await picture());
    engine.hdr = true;
    // Two views: the left without the effect, the right with it.
    const half = { y: 0, width: 0.5, height: 1 };
    const left = engine.addView({ camera, rect: { x: 0, ...half }, effects: { ambientOcclusion: false } });
    const right = engine.addView({ camera, rect: { x: 0.5, ...half } });
    const both = await picture();
    engine.effects.ambientOcclusion = false;
    const none = await picture();
    seen.left = difference(both, none, 0, 0.5);
    seen.right = difference(both, none, 0.5, 1);
    left.dispose();
    right.dispose();
    engine.effects.ambientOcclusion = on;
    await picture();
    return seen;
  },
  (found) => {
    const seen = found as Record<string, number>;
    for (const renderer of ['forward', 'deferred']) {
      expect(seen[`${renderer}, direct`], JSON.stringify(seen)).toBe(0);
      expect(seen[`${renderer}, none`]).toBe(0);
      expect(seen[`${renderer}, all`]).toBeGreaterThan(40);
      expect(seen[`${renderer}, half`]).toBeGreaterThan(15);
      expect(seen[`${renderer}, half`]).toBeLessThan(seen[`${renderer}, all`]! * 0.7);
    }
    expect(seen.renderers, JSON.stringify(seen)).toBeLessThanOrEqual(2);
    expect(seen.display).toBeGreaterThan(40);
    expect(seen.left).toBe(0);
    expect(seen.right).toBeGreaterThan(40);
  },
);

inEveryMode(
  'R14: ambient occlusion ends at silhouettes with four samples, and at the holes of masks',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, shaderMaterial, standardMaterial } = window.fencepost;
    const { world } = engine;
    engine.antialias = true;
    engine.background = '#000';
    world.setAmbient('#fff', 3);
    world.addCamera({ position: [0, 0, 4], orthographic: { halfHeight: 1 } });
    const picture = async (): Promise<Uint8ClampedArray> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      return (await engine.captureFrame()).data;
    };
    const change = (a: Uint8ClampedArray, b: Uint8ClampedArray): number =>
      a.reduce((most, value, at) => Math.max(most, Math.abs(value - b[at]!)), 0);
    // Black trenches behind a white square, which is far in front of them and thus receives all light.
    const black = standardMaterial({ baseColor: '#000', roughness: 1 });
    const white = standardMaterial({ baseColor: '#fff', roughness: 1 });
    const trenches = [0, 1, 2, 3, 4, 5, 6].map((index) =>
      world.addMesh({
        geometry: boxGeometry({ size: [0.15, 4, 0.2] }),
        material: black,
        position: [index * 0.3 - 0.9, 0, -1.4],
      }),
    );
    const back = world.addMesh({
      geometry: planeGeometry({ size: 6 }),
      material: black,
      position: [0, 0, -1.5],
    });
    const square = world.addMesh({ geometry: planeGeometry(), material: white, position: [0, 0, 2] });
    square.rotateZ(0.3);
    const seen: Record<string, number> = {};
    engine.effects.ambientOcclusion = false;
    const open = await picture();
    engine.effects.ambientOcclusion = { radius: 0.5, quality: 3 };
    seen.square = change(open, await picture());
    // The trenches themselves are dark.
    const gray = standardMaterial({ baseColor: '#777', roughness: 1 });
    for (const actor of [back, ...trenches]) actor.mesh!.material = gray;
    square.destroy();
    const lit = await picture();
    engine.effects.ambientOcclusion = false;
    seen.trenches = change(await picture(), lit);
    for (const trench of trenches) trench.destroy();
    // A sieve that is all holes occludes nothing. A solid one does.
    const holes = shaderMaterial({
      alphaMode: 'mask',
      uniforms: { solid: 0 },
      wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        (*appearance).baseColor = vec4f(1.0, 1.0, 1.0, uniforms.solid);
      }`,
    });
    world.addMesh({ geometry: planeGeometry({ size: 6 }), material: gray, position: [0, 0, -1.4] });
    world.addMesh({ geometry: planeGeometry(), material: holes, position: [0, 0, -1.3] });
    const floor = await picture();
    engine.effects.ambientOcclusion = { radius: 0.5 };
    seen.holes = change(floor, await picture());
    holes.uniforms.solid = 1;
    const solid = await picture();
    engine.effects.ambientOcclusion = false;
    seen.solid = change(await picture(), solid);
    engine.effects.ambientOcclusion = { radius: 0.5 };
    return seen;
  },
  (found) => {
    const seen = found as Record<string, number>;
    expect(seen.square, JSON.stringify(seen)).toBeLessThanOrEqual(1);
    expect(seen.trenches).toBeGreaterThan(20);
    expect(seen.holes).toBe(0);
    expect(seen.solid).toBeGreaterThan(8);
  },
);
