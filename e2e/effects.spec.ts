import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

// Tests effects by reading pixels back. The vignette follows its formula in each view, in a running engine and
// in an engine at rest.

interface VignetteValues {
  readonly amount: number;
  readonly radius: number;
  readonly softness: number;
  readonly color: readonly number[];
}
const DEFAULTS: VignetteValues = { amount: 0.5, radius: 0.3, softness: 1, color: [0, 0, 0] };

const linearOf = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const encodedOf = (value: number): number =>
  255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);

/**
 * Computes the guide's formula in linear light. Returns the pixel as 8-bit sRGB.
 * @param point position as shares of width and height
 */
function expectedPixel(
  light: readonly number[],
  [x, y]: readonly [number, number],
  values: Partial<VignetteValues> = {},
): number[] {
  const { amount, radius, softness, color } = { ...DEFAULTS, ...values };
  const distance = Math.hypot(2 * x - 1, 2 * y - 1) / Math.SQRT2;
  const progress = Math.min(1, Math.max(0, (distance - radius) / Math.max(1e-4, softness * (1 - radius))));
  const share = amount * progress * progress * (3 - 2 * progress);
  return light.map((channel, index) => encodedOf(channel * (1 - share) + (color[index] as number) * share));
}

function expectPixel(
  seen: readonly number[] | undefined,
  expected: readonly number[],
  what: string,
  tolerance = 1.01,
): void {
  for (const [channel, value] of expected.entries()) {
    const difference = Math.abs((seen?.[channel] ?? -99) - value);
    expect(difference, `${what}: ${seen}, not ${expected}`).toBeLessThan(tolerance);
  }
}

/** Pixels of a picture of 128 × 128 that cover the whole falloff. */
const PLACES = [
  [64, 64],
  [0, 0],
  [127, 0],
  [127, 127],
  [64, 1],
  [100, 40],
  [20, 110],
] as const;
const pointOf = ([x, y]: readonly [number, number]) => [(x + 0.5) / 128, (y + 0.5) / 128] as const;

interface Pixels {
  readonly [name: string]: number[][];
}

inEveryMode(
  'a vignette darkens white towards the corners in linear light, before tone mapping, over the whole picture',
  async (engine: Engine) => {
    const { planeGeometry, unlitMaterial, standardMaterial } = window.fencepost;
    const places = [
      [64, 64],
      [0, 0],
      [127, 0],
      [127, 127],
      [64, 1],
      [100, 40],
      [20, 110],
    ] as const;
    const seen: Record<string, number[][]> = {};
    const see = async (name: string) => {
      await engine.step(0);
      const picture = await engine.captureFrame();
      seen[name] = places.map(([x, y]) => window.kit.pixel(picture, x, y));
    };
    const { world } = engine;
    world.addCamera({ position: [0, 0, 2], lookAt: [0, 0, 0], orthographic: { halfHeight: 1 } });
    const wall = world.addMesh({
      geometry: planeGeometry({ size: 2.2 }),
      material: unlitMaterial({ baseColor: '#ffffff' }),
    });
    await see('off');
    engine.effects.vignette = true;
    await see('on');
    engine.effects = { vignette: { amount: 1, radius: 0.2, softness: 0.5, color: '#ff8000' } };
    await see('of a colour');
    engine.effects.vignette = { amount: 0.8, radius: 0.5, softness: 0 };
    await see('with a hard edge');
    engine.effects.vignette = { amount: 0.6 };
    engine.renderer = 'deferred';
    await see('deferred');
    engine.renderer = 'forward';
    engine.exposure = 2;
    engine.toneMapping = 'aces';
    await see('unmapped colours');
    engine.exposure = 1;
    engine.toneMapping = 'none';
    engine.hdr = false;
    await see('without hdr');
    engine.effects.vignette = false;
    await see('without hdr, off');
    engine.hdr = true;
    wall.visible = false;
    engine.background = '#8060c0';
    engine.effects.vignette = { amount: 0.6 };
    await see('background');
    engine.background = [1, 1, 1, 0.5];
    await see('see-through');
    engine.background = '#000';
    world.addMesh({
      geometry: planeGeometry({ size: 2.2 }),
      material: standardMaterial({ baseColor: '#ffffff', roughness: 1 }),
    });
    world.setAmbient('#ffffff', 0.5);
    engine.effects = {};
    await see('lit, off');
    engine.effects.vignette = { amount: 0.6 };
    await see('lit');
    return seen;
  },
  (all) => {
    const seen = all as Pixels;
    const expectAll = (name: string, light: readonly number[], values?: Partial<VignetteValues>) => {
      for (const [index, place] of PLACES.entries())
        expectPixel(seen[name]?.[index], expectedPixel(light, pointOf(place), values), `${name} at ${place}`);
    };
    const white = [1, 1, 1];
    expectAll('off', white, { amount: 0 });
    expectAll('on', white);
    expect(seen.on?.[0]).toEqual([255, 255, 255, 255]);
    const orange = [1, linearOf(128 / 255), 0];
    expectAll('of a colour', white, { amount: 1, radius: 0.2, softness: 0.5, color: orange });
    expectAll('with a hard edge', white, { amount: 0.8, radius: 0.5, softness: 0 });
    expectAll('deferred', white, { amount: 0.6 });
    expectAll('unmapped colours', white, { amount: 0.6 });
    expectAll('without hdr', white, { amount: 0.6 });
    expectAll('without hdr, off', white, { amount: 0 });
    expectAll(
      'background',
      [0x80, 0x60, 0xc0].map((value) => linearOf(value / 255)),
      { amount: 0.6 },
    );
    for (const [index, place] of PLACES.entries()) {
      const [red = 0, , , alpha = 0] = seen['see-through']?.[index] ?? [];
      expect(Math.abs(alpha - 127.5), `alpha at ${place}`).toBeLessThan(1);
      // The canvas has colours multiplied by alpha, which halves the number of their steps.
      const expected = expectedPixel([1], pointOf(place), { amount: 0.6 });
      expectPixel([red], expected, `see-through at ${place}`, 2.01);
    }
    const light = linearOf((seen['lit, off']?.[0]?.[0] ?? 0) / 255);
    expectAll('lit', [light, light, light], { amount: 0.6 });
  },
);

inEveryMode(
  'views on the canvas and in textures have the engine’s effects or their own, each over its own area',
  async (engine: Engine) => {
    const { planeGeometry, renderTexture, unlitMaterial } = window.fencepost;
    const seen: Record<string, unknown> = {};
    const { world } = engine;
    const camera = world.addCamera({
      position: [0, 0, 2],
      lookAt: [0, 0, 0],
      orthographic: { halfHeight: 1 },
    });
    world.addMesh({ geometry: planeGeometry({ size: 9 }), material: unlitMaterial({ baseColor: '#fff' }) });
    const left = engine.addView({ camera, rect: { x: 0, y: 0, width: 0.5, height: 0.5 } });
    const target = renderTexture({ width: 32, height: 32 });
    const inTexture = engine.addView({ camera, target, effects: { vignette: { amount: 1 } } });
    const see = async (name: string) => {
      await engine.step(0);
      const picture = await engine.captureFrame();
      const texture = await inTexture.captureFrame();
      const red = (image: typeof picture, x: number, y: number) => window.kit.pixel(image, x, y)[0];
      seen[name] = {
        // Two corners of the inset, its middle, and the corner of the view behind it.
        canvas: [red(picture, 0, 0), red(picture, 63, 63), red(picture, 32, 32), red(picture, 127, 127)],
        texture: [red(texture, 0, 31), red(texture, 16, 16)],
      };
    };
    await see('its own');
    engine.effects.vignette = { amount: 0.6 };
    left.effects.vignette = false;
    inTexture.effects = { vignette: undefined };
    await see('the engine’s, but one');
    left.effects = {};
    await see('the engine’s');
    // The next view reuses the number of the removed view, and none of its state.
    left.effects.vignette = false;
    left.dispose();
    await engine.step(0);
    const next = engine.addView({ camera, rect: { x: 0, y: 0, width: 0.5, height: 0.5 } });
    await see('the next view');
    // A view keeps its effects when its world changes.
    const other = await engine.createWorld();
    other.addMesh({ geometry: planeGeometry({ size: 9 }), material: unlitMaterial({ baseColor: '#fff' }) });
    next.effects.vignette = { amount: 1 };
    await engine.step(0);
    next.camera = other.addCamera({
      position: [0, 0, 2],
      lookAt: [0, 0, 0],
      orthographic: { halfHeight: 1 },
    });
    await see('another world');
    const refusal = (action: () => unknown) => {
      try {
        action();
      } catch (error) {
        return `${(error as { code: string }).code}: ${(error as Error).message}`;
      }
      return 'nothing was refused';
    };
    const wrong = { vignette: { amount: 2 } };
    const disposed = engine.addView({ camera, rect: { x: 0, y: 0, width: 0, height: 0 } });
    disposed.dispose();
    seen.refused = [
      refusal(() => Object.assign(engine, { effects: wrong })),
      refusal(() => Object.assign(next.effects, wrong)),
      refusal(() => engine.addView({ camera, effects: wrong })),
      refusal(() => Object.assign(engine.effects, { vignete: true })),
      refusal(() => Object.assign(disposed.effects, { vignette: true })),
    ];
    return seen;
  },
  (all) => {
    const seen = all as Record<string, { canvas: number[]; texture: number[] }> & { refused: string[] };
    const at = (amount: number, size: number, x: number, y: number) =>
      expectedPixel([1], [(x + 0.5) / size, (y + 0.5) / size], { amount })[0] ?? -1;
    const expectSeen = (name: string, inset: number, behind: number, texture: number) => {
      expectPixel(
        seen[name]?.canvas,
        [at(inset, 64, 0, 0), at(inset, 64, 63, 63), 255, at(behind, 128, 127, 127)],
        name,
      );
      expectPixel(seen[name]?.texture, [at(texture, 32, 0, 31), 255], `${name}, in the texture`);
    };
    expectSeen('its own', 0, 0, 1);
    expectSeen('the engine’s, but one', 0, 0.6, 0.6);
    expectSeen('the engine’s', 0.6, 0.6, 0.6);
    expectSeen('the next view', 0.6, 0.6, 0.6);
    expectSeen('another world', 1, 0.6, 0.6);
    expect(seen.refused).toEqual([
      'option-out-of-range: effects.vignette.amount of engine is 2; it has to be a number from 0 to 1.',
      'option-out-of-range: effects.vignette.amount of a view is 2; it has to be a number from 0 to 1.',
      'option-out-of-range: effects.vignette.amount of addView is 2; it has to be a number from 0 to 1.',
      expect.stringContaining('effects of engine has no option "vignete". Did you mean "vignette"?'),
      "option-invalid: effects of a view that was disposed of can't be set. Add another: engine.addView().",
    ]);
  },
);

for (const threading of MODES) {
  test(`effects that are switched in every frame neither leak nor stall, ${threading}`, async ({
    page,
    plainURL,
  }) => {
    test.slow();
    await openEnginePage(page, plainURL);
    const seen = await page.evaluate(async (threading) => {
      const { createEngine, parseCube, planeGeometry, standardMaterial } = window.fencepost;
      const { kit } = window;
      const engine = await createEngine(kit.view, {
        threading,
        pixelRatio: 1,
        antialias: false,
        validation: true,
      });
      const { world } = engine;
      const errors: string[] = [];
      engine.addEventListener('error', ({ detail }) => errors.push(`${detail.code}: ${detail.message}`));
      world.addCamera({ position: [0, 0, 2] });
      world.setAmbient('#fff', 1);
      const mesh = world.addMesh({ geometry: planeGeometry({ size: 1 }), material: standardMaterial() });
      const table = parseCube('LUT_1D_SIZE 2\n1 1 1\n0 0 0');
      const all = {
        fog: { density: 0.1, color: '#f00' },
        depthOfField: { focusDistance: 1, fStop: 0.5 },
        bloom: true,
        autoExposure: true,
        outline: { actors: [mesh] },
        vignette: true,
        colorGrading: { table },
        chromaticAberration: true,
        grain: true,
      };
      const names = Object.keys(all) as (keyof typeof all)[];
      const cycle = async () => {
        for (const name of names) {
          engine.effects = { [name]: all[name] };
          await engine.step(0);
        }
        engine.effects = all;
        await engine.step(0);
        for (const name of names) {
          engine.effects[name] = false;
          await engine.step(0);
        }
      };
      const measure = async () => {
        for (let frame = 0; frame < 8; frame++) await engine.step(0);
        await engine.flush();
        const { buffers, renderTargets, textures } = engine.stats().memory;
        return { buffers, renderTargets, textures };
      };
      await engine.step(0);
      const plain = await kit.picture(engine);
      // Pools of buffers have their final size after some cycles.
      for (let round = 0; round < 4; round++) await cycle();
      const before = await measure();
      for (let round = 0; round < 3; round++) await cycle();
      const after = await measure();
      const again = await kit.picture(engine);
      const { leaks } = await engine.dispose();
      return { isSame: again === plain, before, after, errors, leaks };
    }, threading);
    expect(seen.errors).toEqual([]);
    expect(seen.leaks).toEqual([]);
    expect(seen.isSame).toBe(true);
    // A pool may grow while the GPU is late. The pool of GPU timers, for example, grows by 1024 bytes.
    expect(seen.after.buffers - seen.before.buffers).toBeLessThanOrEqual(2048);
    expect({ ...seen.after, buffers: 0 }).toEqual({ ...seen.before, buffers: 0 });
  });
}

for (const threading of MODES) {
  test(`an effect is an engine option, shows on an engine at rest, and replays from a capture, ${threading}`, async ({
    page,
    plainURL,
  }) => {
    await openEnginePage(page, plainURL);
    const seen = await page.evaluate(async (threading) => {
      const { createEngine, planeGeometry, unlitMaterial } = window.fencepost;
      const { kit } = window;
      const fail = (effects: unknown) =>
        kit.refusal(() => createEngine(kit.view, { threading, effects: effects as never }));
      const refused = [await fail({ blooom: 1 }), await fail({ vignette: { radius: -1 } }), await fail(true)];
      const engine = await createEngine(kit.view, {
        threading,
        pixelRatio: 1,
        effects: { vignette: { amount: 0.6 } },
      });
      const { world } = engine;
      world.addCamera({ position: [0, 0, 2], lookAt: [0, 0, 0], orthographic: { halfHeight: 1 } });
      world.addMesh({ geometry: planeGeometry({ size: 9 }), material: unlitMaterial({ baseColor: '#fff' }) });
      const corner = async () => kit.pixel(await engine.captureFrame(), 0, 0)[0];
      await engine.whenReady();
      const corners = [await corner()];
      /** Changes an engine at rest, and resolves when the engine has drawn a frame by itself. */
      const shown = async (change: () => void) => {
        const { frame } = engine.stats();
        change();
        while (engine.stats().frame === frame) await new Promise((resolve) => requestAnimationFrame(resolve));
        await engine.flush();
        corners.push(await corner());
      };
      await shown(() => {
        engine.effects.vignette = false;
      });
      await shown(() => {
        engine.effects = { vignette: { amount: 0.3 } };
      });
      engine.start();
      await shown(() => {
        engine.effects.vignette = { amount: 1 };
      });
      engine.stop();
      // An engine at rest draws a change by itself. It does so before the capture, which has one frame.
      await shown(() => {
        engine.effects.vignette = { amount: 0.5 };
      });
      await engine.startCapture();
      await engine.step(0);
      const file = await engine.stopCapture();
      const captured = await kit.picture(engine);
      await engine.dispose();
      const { code } = await kit.refusal(() => {
        engine.effects.vignette = true;
      });
      return { refused, corners, captured, replayed: await kit.replayed(file), afterDisposal: code };
    }, threading);
    const [x, y] = pointOf([0, 0]);
    const expected = [0.6, 0, 0.3, 1, 0.5].map((amount) => expectedPixel([1], [x, y], { amount })[0] ?? -1);
    expectPixel(seen.corners as number[], expected, 'corners');
    expect(seen.refused.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      expect.stringContaining('option-unknown: effects of createEngine has no option "blooom".'),
      'option-out-of-range: effects.vignette.radius of createEngine is -1; it has to be a number from 0 to 1.',
      'option-invalid: effects of createEngine takes its options by name, in one object, and was given true.',
    ]);
    expect(seen.replayed).toEqual({ picture: seen.captured, frames: 1, errors: [] });
    expect(seen.afterDisposal).toBe('engine-disposed');
  });
}
