import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: chromatic aberration and grain follow the guide's formulas, over the whole picture and in each view.

inEveryMode(
  'R14: chromatic aberration draws red larger and blue smaller around the middle of each view',
  async (engine: Engine) => {
    const { planeGeometry, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    const camera = world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    // A white square of 80 × 80 pixels around the middle.
    const mapped = unlitMaterial({ baseColor: '#fff', toneMapped: true });
    world.addMesh({ geometry: planeGeometry({ size: 1.25 }), material: mapped });
    /** Returns the linear light of each channel in the middle row, in pixels of white, and the alpha of a corner. */
    const measure = async (from = 0, to = 128) => {
      await engine.step(0);
      const { data, width } = await engine.captureFrame();
      const sums = [0, 1, 2].map((channel) => {
        let sum = 0;
        for (let x = from; x < to; x++) {
          const value = data[(64 * width + x) * 4 + channel]! / 255;
          sum += value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        }
        return sum;
      });
      return [...sums, data[3]!];
    };
    const seen: Record<string, number[]> = {};
    seen.off = await measure();
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      engine.effects.chromaticAberration = { amount: 0.1 };
      seen[renderer] = await measure();
    }
    engine.renderer = 'forward';
    // The left edge of red light is in the middle of pixel 20.
    engine.effects.chromaticAberration = { amount: 0.0875 };
    await engine.step(0);
    const { data, width } = await engine.captureFrame();
    seen.edge = [19, 20, 21].map((x) => data[(64 * width + x) * 4]!);
    engine.effects.chromaticAberration = { amount: 0.1 };
    engine.hdr = false;
    seen.display = await measure();
    engine.hdr = true;
    engine.background = '#fff';
    mapped.baseColor = [0, 0, 0, 1];
    seen['a dark square'] = await measure();
    engine.background = '#000';
    mapped.baseColor = [1, 1, 1, 1];
    const half = { y: 0, width: 0.5, height: 1 };
    const views = [0, 0.5].map((x) => engine.addView({ camera, rect: { x, ...half } }));
    views[0]!.effects.chromaticAberration = false;
    seen.left = await measure(0, 64);
    seen.right = await measure(64, 128);
    for (const view of views) view.dispose();
    await measure();
    return seen;
  },
  (found) => {
    const seen = found as Record<string, number[]>;
    const log = JSON.stringify(seen);
    const [width = 0] = seen.off ?? [];
    expect(seen.off?.slice(0, 3), log).toEqual([width, width, width]);
    expect(Math.abs(width - 80)).toBeLessThan(2);
    const [outside, edge, inside] = seen.edge ?? [];
    expect([outside, inside], log).toEqual([0, 255]);
    expect(edge, log).toBeGreaterThan(40);
    expect(edge, log).toBeLessThan(215);
    for (const name of ['forward', 'deferred', 'display']) {
      const [red = 0, green = 0, blue = 0] = seen[name] ?? [];
      expect(green, log).toBe(width);
      expect(Math.abs(red - width * 1.1), `${name}, ${log}`).toBeLessThan(1);
      expect(Math.abs(blue - width * 0.9), `${name}, ${log}`).toBeLessThan(1);
    }
    // The background has fringes as well: the hole in red light is larger.
    const [red = 0, green = 0, blue = 0] = seen['a dark square'] ?? [];
    expect(Math.abs(128 - red - (128 - green) * 1.1), log).toBeLessThan(1);
    expect(Math.abs(128 - blue - (128 - green) * 0.9), log).toBeLessThan(1);
    expect(seen.left?.[0], log).toBe(seen.left?.[2]);
    // The square is wider than this view, so only its upper and lower edges have fringes.
    expect(seen.right?.[1], log).toBe(64);
  },
);

inEveryMode(
  'R14: grain changes all channels of a pixel by one random number, which the frame’s number seeds',
  async (engine: Engine) => {
    const { planeGeometry, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#808080';
    const camera = world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    world.addMesh({
      geometry: planeGeometry({ size: 1 }),
      material: unlitMaterial({ baseColor: '#808080', toneMapped: true }),
    });
    const look = async () => {
      await engine.step(0);
      return (await engine.captureFrame()).data;
    };
    const statistics = (data: ArrayLike<number>) => {
      let [sum, squares, least, most] = [0, 0, 255, 0];
      let isGrey = true;
      const count = data.length / 4;
      for (let at = 0; at < data.length; at += 4) {
        const value = data[at]!;
        sum += value;
        squares += value * value;
        least = Math.min(least, value);
        most = Math.max(most, value);
        isGrey &&= value === data[at + 1] && value === data[at + 2];
      }
      const mean = sum / count;
      return { mean, deviation: Math.sqrt(squares / count - mean * mean), least, most, isGrey };
    };
    const off = statistics(await look());
    engine.effects.grain = { amount: 0.2 };
    const first = await look();
    const next = await look();
    let changed = 0;
    for (let at = 0; at < first.length; at += 4) if (first[at] !== next[at]) changed++;
    engine.effects.grain = { amount: 0.2, size: 4 };
    const coarse = await look();
    let isCoarse = true;
    for (let y = 0; y < 128; y++)
      for (let x = 0; x < 128; x++) {
        const cell = ((y - (y % 4)) * 128 + x - (x % 4)) * 4;
        isCoarse &&= coarse[(y * 128 + x) * 4] === coarse[cell];
      }
    engine.hdr = false;
    engine.effects.grain = { amount: 0.2 };
    const display = statistics(await look());
    engine.hdr = true;
    const view = engine.addView({
      camera,
      rect: { x: 0, y: 0, width: 0.5, height: 1 },
      effects: { grain: false },
    });
    const both = await look();
    const left = new Set(Array.from({ length: 64 }, (_, x) => both[(5 * 128 + x) * 4]));
    const right = new Set(Array.from({ length: 64 }, (_, x) => both[(5 * 128 + 64 + x) * 4]));
    view.dispose();
    engine.effects.grain = false;
    await look();
    return {
      off,
      on: statistics(first),
      display,
      // Each mode has the same grains in the same frame.
      pixels: [...first.slice(0, 64)],
      changed,
      isCoarse,
      shades: [left.size, right.size > 8],
    };
  },
  (found) => {
    const { off, on, display, changed, isCoarse, shades } = found as {
      off: { deviation: number; mean: number };
      on: { deviation: number; mean: number; least: number; most: number; isGrey: boolean };
      display: { deviation: number; mean: number };
      changed: number;
      isCoarse: boolean;
      shades: unknown[];
    };
    expect(off.deviation).toBe(0);
    for (const { mean, deviation } of [on, display]) {
      expect(Math.abs(mean - off.mean)).toBeLessThan(1);
      // The sum of two uniform numbers of width 1 has the variance 1 / 6.
      expect(Math.abs(deviation - (0.2 * 255) / Math.sqrt(6))).toBeLessThan(1);
    }
    expect(on.isGrey).toBe(true);
    expect(on.least).toBeGreaterThanOrEqual(128 - 51);
    expect(on.most).toBeLessThanOrEqual(128 + 51);
    expect(changed).toBeGreaterThan(128 * 128 * 0.9);
    expect(isCoarse).toBe(true);
    expect(shades).toEqual([1, true]);
  },
);
