import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: bloom scatters light around bright places, and neither gains nor loses light.

interface Seen {
  /** Linear light of the whole picture, in pixels of white. */
  readonly total: number;
  readonly middle: number;
  /** Linear light of a pixel beside the bright square, and of one near the corner. */
  readonly beside: number;
  readonly far: number;
}

inEveryMode(
  'R14: bloom moves light from a bright square to its surroundings, by amount, radius and threshold, in each view',
  async (engine: Engine) => {
    const { planeGeometry, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    const camera = world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    const wall = unlitMaterial({ baseColor: '#000', toneMapped: true });
    world.addMesh({ geometry: planeGeometry({ size: 2 }), material: wall, position: [0, 0, -1] });
    const bright = unlitMaterial({ baseColor: [0.8, 0.8, 0.8], toneMapped: true });
    world.addMesh({ geometry: planeGeometry({ size: 0.25 }), material: bright });
    const look = async (from = 0, to = 1): Promise<Seen> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const { data, width, height } = await engine.captureFrame();
      const light = (x: number, y: number): number => {
        const value = data[(Math.floor(y) * width + Math.floor(x)) * 4]! / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      };
      let total = 0;
      for (let y = 0; y < height; y++) for (let x = from * width; x < to * width; x++) total += light(x, y);
      const middle = ((from + to) / 2) * width;
      return {
        total,
        middle: light(middle, height / 2),
        beside: light(middle + 14, height / 2),
        far: light(from * width + 3, 3),
      };
    };
    const seen: Record<string, Seen> = {};
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      engine.effects.bloom = false;
      seen[`${renderer}, off`] = await look();
      engine.effects.bloom = { amount: 0.5 };
      seen[`${renderer}, half`] = await look();
      engine.effects.bloom = { amount: 0.5, radius: 0.2 };
      seen[`${renderer}, narrow`] = await look();
      engine.effects.bloom = { amount: 0.5, threshold: 2 };
      seen[`${renderer}, threshold`] = await look();
    }
    engine.renderer = 'forward';
    engine.hdr = false;
    engine.effects.bloom = { amount: 0.5 };
    seen.display = await look();
    engine.hdr = true;
    const half = { y: 0, width: 0.5, height: 1 };
    const left = engine.addView({ camera, rect: { x: 0, ...half }, effects: { bloom: false } });
    const right = engine.addView({ camera, rect: { x: 0.5, ...half } });
    seen.left = await look(0, 0.5);
    seen.right = await look(0.5, 1);
    left.dispose();
    right.dispose();
    await look();
    return seen;
  },
  (found) => {
    const seen = found as Record<string, Seen>;
    for (const renderer of ['forward', 'deferred']) {
      const off = seen[`${renderer}, off`]!;
      const half = seen[`${renderer}, half`]!;
      const narrow = seen[`${renderer}, narrow`]!;
      expect(off.beside).toBe(0);
      expect(half.total / off.total, JSON.stringify(seen)).toBeGreaterThan(0.95);
      expect(half.total / off.total).toBeLessThan(1.05);
      expect(narrow.total / off.total).toBeGreaterThan(0.95);
      expect(narrow.total / off.total).toBeLessThan(1.05);
      expect(half.middle).toBeLessThan(0.65);
      expect(half.beside).toBeGreaterThan(0.005);
      expect(half.far).toBeGreaterThan(0.0005);
      // A smaller radius keeps the light near.
      expect(narrow.far).toBeLessThan(half.far);
      expect(narrow.middle).toBeGreaterThan(half.middle);
      expect(seen[`${renderer}, threshold`]).toEqual(off);
    }
    expect(seen.display!.beside).toBeGreaterThan(0.005);
    expect(seen.left!.beside).toBe(0);
    expect(seen.right!.beside).toBeGreaterThan(0.001);
  },
);

inEveryMode(
  'R14: a NaN and an infinite pixel do not spread through bloom',
  async (engine: Engine) => {
    const { planeGeometry, shaderMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    const wall = unlitMaterial({ baseColor: [0.2, 0.2, 0.2], toneMapped: true });
    world.addMesh({ geometry: planeGeometry({ size: 2 }), material: wall, position: [0, 0, -1] });
    const broken = shaderMaterial({
      wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        let zero = min(point.color.r, 0.0);
        (*appearance).emissive = vec3f(zero / zero, 1.0 / zero, sqrt(zero - 1.0));
      }`,
    });
    world.addMesh({ geometry: planeGeometry({ size: 0.1 }), material: broken });
    engine.effects.bloom = { amount: 0.2 };
    await engine.step(0);
    await engine.whenReady();
    await engine.step(0);
    const frame = await engine.captureFrame();
    return [
      [4, 4],
      [64, 20],
      [120, 64],
    ].map(([x, y]) => window.kit.pixel(frame, x!, y!)[0]);
  },
  (seen) => {
    // sRGB of 0.2 is 124. Infinity counts as the brightest light that is drawn, so the wall may be brighter.
    for (const value of seen as number[]) expect(value, String(seen)).toBeGreaterThanOrEqual(115);
  },
);
