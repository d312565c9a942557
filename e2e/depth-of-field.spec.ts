import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

// R14: depth of field blurs what is out of focus, by the aperture.

interface Seen {
  /** Linear light of a far wall's edge: 5.5 pixels inside, 3.5 and 10.5 pixels outside. */
  readonly edge: readonly number[];
  /** Colours of a square in the focus: its middle, 2 pixels inside its border, and 4 pixels outside. */
  readonly focus: readonly number[][];
  /** Green of a near square: its middle, and 5 pixels outside. */
  readonly near: readonly number[];
  /** Beside a broken pixel. */
  readonly beside: number;
}

inEveryMode(
  'R14: depth of field blurs by the aperture, before and beyond the focus, without a halo of sharp surfaces',
  async (engine: Engine) => {
    const { planeGeometry, shaderMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    const camera = world.addCamera({ position: [0, 0, 0], fovY: 0.8 });
    const flat = world.addCamera({ position: [0, 0, 0], orthographic: { halfHeight: 1 } });
    world.activeCamera = camera;
    const sets = [true, false].map((toneMapped) => {
      const paint = (baseColor: string) => unlitMaterial({ baseColor, toneMapped });
      const add = (size: number, baseColor: string, position: [number, number, number]) =>
        world.addMesh({ geometry: planeGeometry({ size }), material: paint(baseColor), position });
      return [
        // Display colours blend with the background as sRGB, so a surface hides it.
        add(80, '#000', [0, 0, -10.5]),
        // Covers the left half.
        add(40, '#fff', [-20, 0, -10]),
        // Columns 49 to 79, rows 15 to 45.
        add(0.4, '#f00', [0, 0.45, -2]),
        // Columns 53 to 75, rows 90 to 112.
        add(0.1, '#0f0', [0, -0.17, -0.7]),
      ];
    });
    const broken = shaderMaterial({
      wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        let zero = min(point.color.r, 0.0);
        (*appearance).emissive = vec3f(zero / zero, 1.0 / zero, sqrt(zero - 1.0));
      }`,
    });
    world.addMesh({ geometry: planeGeometry({ size: 0.2 }), material: broken, position: [-2.9, 0, -9.9] });
    const lens = { focusDistance: 2, fStop: 1.4, sensorHeight: 0.24, maximumBlur: 0.1 };
    const look = async (): Promise<Seen> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      const at = (x: number, y: number) => window.kit.pixel(frame, x, y).slice(0, 3);
      const light = (x: number, y: number): number => {
        const value = at(x, y)[1]! / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      };
      return {
        edge: [58, 67, 74].map((x) => light(x, 64)),
        focus: [66, 51, 45].map((x) => at(x, 30)),
        near: [64, 80].map((x) => light(x, 101)),
        beside: light(28, 64),
      };
    };
    const seen: Record<string, Seen> = {};
    for (const way of ['forward', 'smooth', 'deferred', 'unmapped', 'display'] as const) {
      engine.renderer = way === 'deferred' ? 'deferred' : 'forward';
      engine.antialias = way === 'smooth';
      engine.hdr = way !== 'display';
      engine.exposure = way === 'unmapped' ? 0.5 : 1;
      for (const [index, set] of sets.entries())
        for (const mesh of set) mesh.visible = (index === 1) === (way === 'unmapped');
      engine.effects.depthOfField = false;
      seen[`${way}, off`] = await look();
      engine.effects.depthOfField = lens;
      seen[way] = await look();
    }
    engine.hdr = true;
    engine.effects.depthOfField = { ...lens, fStop: 2.8 };
    seen.half = await look();
    world.activeCamera = flat;
    const through = await look();
    engine.effects.depthOfField = false;
    const without = await look();
    world.activeCamera = camera;
    const half = { y: 0, width: 1, height: 0.5 };
    const views = [0, 0.5].map((y) =>
      engine.addView({ camera, rect: { x: 0, ...half, y }, effects: y ? { depthOfField: lens } : {} }),
    );
    await look();
    for (const view of views) view.dispose();
    engine.effects.depthOfField = lens;
    seen.last = await look();
    return { seen, isFlatSame: JSON.stringify(through) === JSON.stringify(without) };
  },
  (found) => {
    const { seen, isFlatSame } = found as { seen: Record<string, Seen>; isFlatSame: boolean };
    const text = JSON.stringify(seen);
    for (const way of ['forward', 'smooth', 'deferred', 'unmapped', 'display']) {
      const off = seen[`${way}, off`]!;
      const on = seen[way]!;
      const hint = `${way} ${text}`;
      expect(off.edge, hint).toEqual([1, 0, 0]);
      // The disc has a radius of 7.15 pixels, so these shares of it are on the wall.
      for (const [index, share] of [0.93, 0.2, 0].entries()) {
        expect(Math.abs(on.edge[index]! - share), hint).toBeLessThan(0.07);
      }
      // Half colours of the focus do not change, and leave the blurred wall as it is.
      expect(on.focus.slice(0, 2), hint).toEqual(off.focus.slice(0, 2));
      expect(on.focus[2]![1], hint).toBeGreaterThan(240);
      expect(off.near, hint).toEqual([1, 0]);
      expect(on.near[0], hint).toBeLessThan(0.98);
      expect(on.near[1], hint).toBeGreaterThan(0.05);
      expect(on.beside, hint).toBeGreaterThan(0.6);
    }
    // Half the aperture makes half the disc.
    expect(seen.half!.edge[1], text).toBeLessThan(0.05);
    expect(isFlatSame).toBe(true);
  },
);

test('R14: blurred surfaces stay in their place in pictures with an odd number of pixels', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  const places = await page.evaluate(async () => {
    const { createEngine, planeGeometry, renderTexture, unlitMaterial } = window.fencepost;
    const engine = await createEngine(window.kit.view, { antialias: false, background: '#000' });
    const { world } = engine;
    const camera = world.addCamera({ position: [0, 0, 0], fovY: 0.8 });
    const material = unlitMaterial({ baseColor: '#fff' });
    world.addMesh({ geometry: planeGeometry({ size: 3 }), material, position: [0, 0, -20] });
    const depthOfField = { focusDistance: 2, fStop: 1.4, sensorHeight: 0.24, maximumBlur: 0.1 };
    const places: number[] = [];
    for (const size of [65, 67, 129]) {
      const target = renderTexture({ width: size, height: size });
      const view = engine.addView({ camera, target, effects: { depthOfField } });
      await engine.whenReady();
      await engine.step(0);
      const { data } = await view.captureFrame();
      view.dispose();
      let [sum, moment] = [0, 0];
      for (let pixel = 0; pixel < size * size; pixel++) {
        const light = (data[pixel * 4 + 1]! / 255) ** 2.2;
        sum += light;
        moment += light * ((pixel % size) + 0.5 - size / 2);
      }
      places.push(moment / sum);
    }
    await engine.dispose();
    return places;
  });
  // Colours are gathered at half size, so single edges may move by less than half a pixel.
  const mean = places.reduce((sum, place) => sum + place, 0) / places.length;
  expect(Math.abs(mean), String(places)).toBeLessThan(0.25);
});
