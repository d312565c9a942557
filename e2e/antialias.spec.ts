import type { CapturedFrame, Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R11, G5: edges are smoothed in the finished picture, per view.

/** Mean distance of a picture to one with 64 samples per pixel, in 255ths. */
type Distances = Record<string, number>;

inEveryMode(
  'R11: fxaa and smaa leave no seams between the tiles of a large picture',
  async (engine: Engine) => {
    const { boxGeometry, renderTexture, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#123';
    const camera = world.addCamera({ position: [0, 0, 4], orthographic: { halfHeight: 1 } });
    const bar = boxGeometry({ size: [70, 0.02, 0.02] });
    // Nearly level edges are followed farthest.
    for (let index = 0; index < 9; index++) {
      const material = unlitMaterial({ baseColor: index % 2 ? '#fff' : '#fc4' });
      world
        .addMesh({ geometry: bar, material, position: [0, index * 0.2 - 0.8, 0] })
        .rotateZ(index * 0.01 - 0.02);
    }
    const [width, height] = [2052, 64];
    const view = engine.addView({ camera, target: renderTexture({ width, height }), antialias: 1 });
    const draw = async () => {
      await engine.step(0);
      return Promise.all([view.captureFrame(), view.captureFrame({ width, height })]);
    };
    const isOther = (a: CapturedFrame, b: CapturedFrame, pixel: number): boolean =>
      [0, 1, 2].some((channel) => Math.abs(a.data[pixel * 4 + channel]! - b.data[pixel * 4 + channel]!) > 8);
    const [plainWhole, plainTiled] = await draw();
    // Edges of surfaces may differ in single pixels, because matrices are rounded. All pixels that read them are left out.
    const isNear = new Uint8Array(width * height);
    const leaveOut = (pixel: number, reachX: number, reachY: number): void => {
      const [x, y] = [pixel % width, Math.floor(pixel / width)];
      for (let row = Math.max(0, y - reachY); row <= Math.min(height - 1, y + reachY); row++)
        isNear.fill(1, row * width + Math.max(0, x - reachX), row * width + Math.min(width, x + reachX + 1));
    };
    for (let pixel = 0; pixel < width * height; pixel++) {
      if (!isOther(plainWhole, plainTiled, pixel)) continue;
      leaveOut(pixel, 28, 3);
      leaveOut(pixel, 3, 28);
    }
    const seen: Record<string, Record<string, number>> = {};
    for (const smoothing of ['fxaa', 'smaa'] as const) {
      view.antialias = smoothing;
      const [whole, tiled] = await draw();
      const counts = { smoothed: 0, compared: 0, comparedNearEdge: 0, others: 0 };
      for (let pixel = 0; pixel < width * height; pixel++) {
        if (isOther(plainTiled, tiled, pixel)) counts.smoothed++;
        if (isNear[pixel]) continue;
        counts.compared++;
        if (Math.abs((pixel % width) - 1024) < 16) counts.comparedNearEdge++;
        if (isOther(whole, tiled, pixel)) counts.others++;
      }
      seen[smoothing] = counts;
    }
    view.dispose();
    await engine.step(0);
    return seen;
  },
  (found) => {
    const log = JSON.stringify(found);
    for (const counts of Object.values(found as Record<string, Record<string, number>>)) {
      expect(counts.others, log).toBe(0);
      expect(counts.smoothed, log).toBeGreaterThan(1000);
      expect(counts.compared, log).toBeGreaterThan(40_000);
      expect(counts.comparedNearEdge, log).toBeGreaterThan(300);
    }
    expect(Object.keys(found as object)).toEqual(['fxaa', 'smaa']);
  },
);

inEveryMode(
  'R11, G5: fxaa and smaa smooth slanted edges of the finished picture, in both renderers, without hdr, in overlays and per view',
  async (engine: Engine) => {
    const { planeGeometry, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    engine.pixelRatio = 1;
    const away = world.addCamera({ position: [0, 0, 30], lookAt: [0, 0, 60] });
    const camera = world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
    for (const [index, baseColor] of ['#fff', '#fc4', '#48f'].entries()) {
      const square = world.addMesh({
        geometry: planeGeometry({ size: 0.5 }),
        material: unlitMaterial({ baseColor }),
        position: [index * 0.6 - 0.6, index * 0.3 - 0.3, 0],
      });
      square.rotateZ(0.12 + index * 0.3);
    }
    const shot = async (): Promise<CapturedFrame> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      return engine.captureFrame();
    };
    /** Returns a picture whose pixels are the means of `size` × `size` pixels, as light or as sRGB. */
    const lightOf = ({ data, width, height }: CapturedFrame, size: number, isLight = true): number[] => {
      const mean: number[] = [];
      const perLine = width / size;
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          for (let channel = 0; channel < 4; channel++) {
            const value = data[(y * width + x) * 4 + channel]! / 255;
            const light = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            const at = (Math.floor(y / size) * perLine + Math.floor(x / size)) * 4 + channel;
            mean[at] = (mean[at] ?? 0) + (isLight ? light : value) / size ** 2;
          }
        }
      }
      return mean;
    };
    engine.pixelRatio = 8;
    const large = await shot();
    const references = [lightOf(large, 8, false), lightOf(large, 8)] as const;
    engine.pixelRatio = 1;
    const seen: Record<string, number> = {};
    const measure = async (name: string): Promise<void> => {
      // Without hdr, sRGB is averaged.
      const picture = lightOf(await shot(), 1, engine.hdr);
      const reference = references[Number(engine.hdr)]!;
      const sum = picture.reduce((sum, value, at) => sum + Math.abs(value - reference[at]!), 0);
      seen[name] = (sum / ((picture.length * 3) / 4)) * 255;
    };
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      for (const antialias of [1, 4, 'fxaa', 'smaa'] as const) {
        engine.antialias = antialias;
        await measure(`${renderer}, ${antialias}`);
      }
    }
    engine.renderer = 'forward';
    engine.hdr = false;
    await measure('display, smaa');
    engine.antialias = 'fxaa';
    await measure('display, fxaa');
    engine.antialias = 1;
    await measure('display, 1');
    engine.hdr = true;
    world.activeCamera = away;
    const view = engine.addView({ camera, background: [0, 0, 0, 0], antialias: 'fxaa' });
    await measure('overlay, fxaa');
    view.antialias = 'smaa';
    await measure('overlay, smaa');
    view.antialias = 1;
    await measure('overlay, 1');
    view.dispose();
    world.activeCamera = camera;
    const rect = { x: 0, y: 0, width: 1, height: 0.5 };
    const top = engine.addView({ camera, rect, antialias: 'fxaa' });
    const bottom = engine.addView({ camera, rect: { ...rect, y: 0.5 } });
    const halves = await shot();
    const greys = (begin: number): number => {
      let count = 0;
      for (let at = begin; at < begin + halves.data.length / 2; at += 4) {
        const blue = halves.data[at + 2]!;
        if (blue > 8 && blue < 60) count++;
      }
      return count;
    };
    seen.smooth = greys(0);
    seen.jagged = greys(halves.data.length / 2);
    seen.reads = Number(engine.antialias === 1 && top.antialias === 'fxaa' && bottom.antialias === undefined);
    top.dispose();
    bottom.dispose();
    engine.antialias = 'fxaa';
    await shot();
    return seen;
  },
  (found) => {
    const seen = found as Distances;
    for (const way of ['forward', 'deferred', 'display', 'overlay']) {
      expect(seen[`${way}, fxaa`]! / seen[`${way}, 1`]!, JSON.stringify(seen)).toBeLessThan(0.62);
      expect(seen[`${way}, smaa`]! / seen[`${way}, fxaa`]!, JSON.stringify(seen)).toBeLessThan(0.9);
    }
    expect(seen['forward, 4']!).toBeLessThan(seen['forward, fxaa']!);
    expect(seen.smooth!).toBeGreaterThan(seen.jagged! + 5);
    expect(seen.reads).toBe(1);
  },
);
