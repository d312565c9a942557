import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

// R11: the scene is drawn in another resolution than it is shown. R18: the resolution follows the GPU time.

inEveryMode(
  'R11: the scene is drawn at the scale and scaled to the canvas, without halos, and views over others stay sharp',
  async (engine: Engine) => {
    const { planeGeometry, shaderMaterial, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#204060';
    const camera = world.addCamera({ position: [0, 0, 4], orthographic: { halfHeight: 1 } });
    // A square from pixel 32.7 to 95.3, whose colours tone mapping must not change, and a bright one within it.
    const size = 2 * (62.6 / 128);
    const plain = unlitMaterial({ baseColor: '#ff8000' });
    const square = world.addMesh({ geometry: planeGeometry({ size }), material: plain });
    const bright = standardMaterial({ baseColor: '#000', emissive: '#fff', emissiveStrength: 4 });
    world.addMesh({ geometry: planeGeometry({ size: size / 3 }), material: bright, position: [0, 0, 0.1] });
    engine.toneMapping = 'aces';
    const look = async () => {
      await engine.step(0);
      const { data } = await engine.captureFrame();
      const at = (x: number, y: number) => [...data.slice((y * 128 + x) * 4, (y * 128 + x) * 4 + 3)];
      const greens = Array.from({ length: 128 }, (_, x) => at(x, 44)[1]!);
      return {
        outside: at(10, 64),
        edge: [31, 32, 33].map((x) => at(x, 64)[0]!),
        inside: at(38, 64),
        bright: at(64, 64),
        range: [Math.min(...greens), Math.max(...greens)],
      };
    };
    const seen: Record<string, unknown> = {};
    for (const scale of [1, 0.5, 0.75, 0.25, 1.5, 2]) {
      engine.resolutionScale = scale;
      seen[scale] = await look();
    }
    engine.resolutionScale = 0.5;
    engine.renderer = 'deferred';
    seen.deferred = await look();
    engine.renderer = 'forward';
    engine.hdr = false;
    seen.display = await look();
    engine.hdr = true;
    // Grain comes after the scaling, so each pixel of the canvas has its own.
    engine.effects.grain = { amount: 0.3 };
    const row = async () => {
      await engine.step(0);
      return Array.from((await engine.captureFrame()).data.slice(0, 512)).filter((_, at) => at % 4 === 0);
    };
    const grains = await row();
    seen.grains = grains.filter((value, at) => at % 2 === 1 && value === grains[at - 1]).length;
    engine.effects.grain = false;
    // The line of an outline is as wide as without scaling: 4 pixels, from 28.7 on.
    engine.effects.outline = { actors: [square], color: '#0f0', width: 4 };
    const lines: number[][] = [];
    for (const scale of [2, 1, 0.5]) {
      engine.resolutionScale = scale;
      await engine.step(0);
      const frame = await engine.captureFrame();
      lines.push([26, 30].map((x) => window.kit.pixel(frame, x, 64)[1]!));
    }
    seen.lines = lines;
    engine.effects.outline = false;
    // A view over others shows its layer with all pixels.
    world.addMesh({ geometry: planeGeometry({ size }), material: plain, layers: 2 });
    const under = engine.addView({ camera, layers: 4 });
    const over = engine.addView({ camera, layers: 2, background: 'transparent' });
    seen.over = await look();
    over.dispose();
    under.dispose();
    engine.debugView = 'base-color';
    seen.debug = ((await look()) as { edge: number[] }).edge;
    engine.debugView = 'none';
    engine.toneMapping = 'none';
    const broken = shaderMaterial({
      blending: 'additive',
      wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        let zero = min(point.color.r, 0.0);
        (*appearance).emissive = vec3f(zero / zero, 1.0 / zero, sqrt(zero - 1.0));
      }`,
    });
    // Two bright surfaces add up to more than a half float holds.
    const spots = [0.2, 0.3].map((z) => {
      const geometry = planeGeometry({ size: 2 / 64 });
      return world.addMesh({ geometry, material: broken, position: [-23 / 64, 1 / 64, z] });
    });
    // The surfaces cover pixels 40 and 41.
    const around: string[] = [];
    for (const [scale, columns] of [
      [0.5, [37, 38, 43, 44]],
      [1.5, [38, 39, 42, 43]],
      [2, [38, 39, 42, 43]],
    ] as const) {
      engine.resolutionScale = scale;
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      around.push(...columns.map((x) => window.kit.pixel(frame, x, 63).slice(0, 3).join()));
    }
    seen.around = around;
    for (const spot of spots) spot.destroy();
    await engine.step(0);
    return seen;
  },
  (found) => {
    type Look = { outside: number[]; edge: number[]; inside: number[]; bright: number[]; range: number[] };
    const seen = found as Record<string, Look> & {
      grains: number;
      debug: number[];
      around: string[];
      lines: number[][];
    };
    const log = JSON.stringify(seen);
    const full = seen[1]!;
    expect(full.outside).toEqual([32, 64, 96]);
    expect(full.inside).toEqual([255, 128, 0]);
    expect(full.edge).toEqual([32, 32, 255]);
    for (const name of ['0.5', '0.75', '0.25', '1.5', '2', 'deferred', 'display']) {
      const { outside, inside, bright, edge, range } = seen[name] as Look;
      expect.soft([outside, inside], `${name}, ${log}`).toEqual([full.outside, full.inside]);
      if (name !== 'display') {
        for (const [channel, value] of bright.entries())
          expect.soft(Math.abs(value - full.bright[channel]!), `${name}, ${log}`).toBeLessThanOrEqual(1);
      }
      expect.soft(edge, `${name}, ${log}`).not.toEqual(full.edge);
      // A halo would be darker than the background, or brighter than the square.
      expect.soft(range, `${name}, ${log}`).toEqual([64, 128]);
    }
    expect(seen.grains, log).toBeLessThan(20);
    for (const [beside = 255, on = 0] of seen.lines) {
      expect(beside, log).toBeLessThan(80);
      expect(on, log).toBeGreaterThan(190);
    }
    expect(seen.over!.edge).toEqual(full.edge);
    expect(seen.debug, log).toEqual([0, 0, 255]);
    for (const color of seen.around) expect(color, log).toBe('255,128,0');
  },
);

test('R18: the resolution follows the GPU time of a running engine, and refuses bad values', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async (modes) => {
    const { createEngine, planeGeometry, standardMaterial } = window.fencepost;
    const { kit } = window;
    const results: unknown[] = [];
    for (const threading of modes) {
      const resolutionScale = { targetMs: 1000, minimum: 0.3 };
      const engine = await createEngine(kit.view, { threading, antialias: 4, resolutionScale });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 1] });
      world.addDirectionalLight({ direction: [-1, -1, -1] });
      for (let index = 0; index < 30; index++)
        world.addMesh({
          geometry: planeGeometry({ size: 4 }),
          material: standardMaterial({ opacity: 0.5, baseColor: '#888' }),
          position: [0, 0, index / 100],
        });
      await engine.step(0);
      const full = await kit.picture(engine);
      const until = async (isReached: (scale: number) => boolean) => {
        const began = performance.now();
        while (!isReached(engine.stats().resolutionScale) && performance.now() - began < 60_000)
          await new Promise(requestAnimationFrame);
        return engine.stats().resolutionScale;
      };
      engine.start();
      await until(() => engine.stats().gpuMs !== null);
      const scales = [engine.stats().resolutionScale];
      engine.resolutionScale = { targetMs: 1, minimum: 0.3 };
      scales.push(await until((scale) => scale < 0.9));
      engine.resolutionScale = { targetMs: 1000, minimum: 0.3, maximum: 0.5 };
      scales.push(await until((scale) => scale === 0.5));
      engine.resolutionScale = { targetMs: 1, minimum: 0.3 };
      await until((scale) => scale < 0.9);
      engine.stop();
      // Steps do not depend on the speed of the GPU.
      await engine.step(0);
      scales.push(engine.stats().resolutionScale);
      const isSame = (await kit.picture(engine)) === full;
      const codes: unknown[] = [];
      for (const value of [
        0.2,
        2.5,
        '1',
        null,
        { targetMs: 0 },
        {},
        { targetMs: 5, minimum: 1, maximum: 0.5 },
        { ms: 5 },
      ])
        codes.push(
          (
            await kit.refusal(() => {
              engine.resolutionScale = value as never;
            })
          ).code,
        );
      codes.push((await kit.refusal(() => createEngine(kit.view, { resolutionScale: 3 }))).code);
      const { leaks } = await engine.dispose();
      results.push({ low: scales[1], scales: [scales[0], scales[2], scales[3]], isSame, codes, leaks });
    }
    return results;
  }, MODES);
  expect(results).toHaveLength(MODES.length);
  for (const result of results as { low: number }[]) {
    expect.soft(result.low, JSON.stringify(result)).toBeLessThan(0.9);
    expect.soft(result).toMatchObject({
      scales: [1, 0.5, 1],
      isSame: true,
      codes: [...Array(7).fill('option-out-of-range'), 'option-unknown', 'option-out-of-range'],
      leaks: [],
    });
  }
});
