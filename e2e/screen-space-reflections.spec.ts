import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: screen-space reflections show the picture's own surfaces in smooth surfaces.

/** Largest difference of a channel between the mirror image and the same boxes seen directly, 0 to 255. */
const TOLERANCE = 3;

interface Seen {
  /** Light of the floor without the effect, where the mirror image will be: least channel, 0 to 255. */
  readonly bare: number;
  /** Largest difference of a channel between the mirror image and mirrored boxes, by camera. */
  readonly errors: Record<string, number>;
  /** Largest difference of a channel from the picture without the effect, inside of the mirror image. */
  readonly changes: Record<string, number>;
  /** The same beside the mirror image. */
  readonly beside: number;
  /** Linear red light at the middle of the mirror image: off, half of it, all of it. */
  readonly halves: readonly number[];
  /** Changes by rays of 1 m, near the boxes and at the far end of the mirror image. */
  readonly short: readonly number[];
}

inEveryMode(
  'R14: reflections mirror what the picture shows, by intensity, distance and roughness, in each view',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, standardMaterial } = window.fencepost;
    const { world } = engine;
    engine.renderer = 'deferred';
    await world.setEnvironment('studio', { intensity: 0.1 });
    const metal = standardMaterial({ baseColor: '#fff', metallic: 1, roughness: 0 });
    const floor = world.addMesh({ geometry: planeGeometry({ size: 40, facing: 'y' }), material: metal });
    const colors = [
      [0.5, 0.02, 0.01],
      [0.01, 0.05, 0.4],
    ] as const;
    const boxes = colors.map((emissive, index) =>
      world.addMesh({
        geometry: boxGeometry({ size: [1, 0.5, 1] }),
        material: standardMaterial({ baseColor: '#000', metallic: 1, roughness: 1, emissive: [...emissive] }),
        position: [0, 0.25 + index * 0.5, 0],
      }),
    );
    // Both cameras see y = 0 in the middle row. The boxes' front is 3.5 m away.
    const ahead = world.addCamera({ position: [0, 1, 4], lookAt: [0, 1, 0], fovY: 1.2 });
    const flat = world.addCamera({ position: [0, 2, 4], lookAt: [0, 0, 0], orthographic: { halfHeight: 2 } });
    world.activeCamera = ahead;
    const picture = async (): Promise<{ data: Uint8ClampedArray; width: number }> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      return engine.captureFrame();
    };
    type Picture = Awaited<ReturnType<typeof picture>>;
    type Area = readonly [left: number, top: number, right: number, bottom: number];
    /** Returns the largest difference of a channel. @param shift columns by which the area lies to the left in `one` */
    const difference = (
      one: Picture,
      other: Picture,
      [left, top, right, bottom]: Area,
      shift = 0,
    ): number => {
      let most = 0;
      for (let y = top; y < bottom; y++)
        for (let at = (y * one.width + left) * 4; at < (y * one.width + right) * 4; at++)
          most = Math.max(most, Math.abs(one.data[at - shift * 4]! - other.data[at]!));
      return most;
    };
    /** Picture without the floor, and with the boxes where their mirror images are. */
    const mirrored = async (): Promise<Picture> => {
      floor.visible = false;
      for (const box of boxes) box.position.y *= -1;
      const shown = await picture();
      for (const box of boxes) box.position.y *= -1;
      floor.visible = true;
      return shown;
    };
    // In the mirror, the front of the boxes spans x = ±0.5 and y = 0 to −1, 3.5 m away. One metre is 26.7 pixels, and
    // y = 1 is the middle row. The colours meet in row 104, where the mirror image is a mix.
    const front: Area = [52, 92, 76, 116];
    const [red, blue]: Area[] = [
      [52, 92, 76, 103],
      [52, 106, 76, 116],
    ];
    const errorOf = (one: Picture, other: Picture, shift = 0): number =>
      Math.max(difference(one, other, red!, shift), difference(one, other, blue!, shift));
    const real = await mirrored();
    const off = await picture();
    engine.effects.ssr = true;
    const on = await picture();
    const errors: Record<string, number> = { perspective: errorOf(on, real) };
    const changes: Record<string, number> = { on: difference(on, off, front) };
    const beside = Math.max(difference(on, off, [0, 93, 48, 128]), difference(on, off, [80, 93, 128, 128]));
    const linear = ({ data, width }: Picture): number => {
      const value = data[(97 * width + 64) * 4]! / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    };
    engine.effects.ssr = { intensity: 0.5 };
    const halves = [linear(off), linear(await picture()), linear(on)];
    engine.effects.ssr.intensity = 0;
    changes.none = difference(await picture(), off, front);
    engine.effects.ssr = { distance: 1 };
    const reached = await picture();
    const short = [difference(reached, off, [53, 93, 75, 95]), difference(reached, off, blue!)];
    engine.effects.ssr = true;
    metal.roughness = 0.5;
    const rough = await picture();
    engine.effects.ssr = false;
    changes.rough = difference(rough, await picture(), front);
    metal.roughness = 0;
    engine.renderer = 'forward';
    const forward = await picture();
    engine.effects.ssr = true;
    changes.forward = difference(await picture(), forward, front);
    engine.renderer = 'deferred';
    const half = { y: 0, width: 0.5, height: 1 };
    const views = [0, 0.5].map((x) => engine.addView({ camera: ahead, rect: { x, ...half } }));
    views[1]!.effects.ssr = false;
    const both = await picture();
    errors.view = errorOf(both, real, 32);
    changes.view = difference(both, off, front, -32);
    for (const view of views) view.dispose();
    world.activeCamera = flat;
    const onFlat = await picture();
    // One metre is 32 pixels. The front of the mirrored boxes begins in row 71.
    const realFlat = await mirrored();
    errors.orthographic = Math.max(
      difference(onFlat, realFlat, [49, 72, 79, 84]),
      difference(onFlat, realFlat, [49, 87, 79, 98]),
    );
    await picture();
    return {
      bare: Math.min(...off.data.slice((100 * off.width + 64) * 4, (100 * off.width + 64) * 4 + 3)),
      errors,
      changes,
      beside,
      halves,
      short,
    };
  },
  (found) => {
    const seen = found as Seen;
    const log = JSON.stringify(seen);
    expect(seen.bare, log).toBeGreaterThan(100);
    for (const [name, error] of Object.entries(seen.errors))
      expect(error, `${name}, ${log}`).toBeLessThanOrEqual(TOLERANCE);
    const { on, ...others } = seen.changes;
    expect(on).toBeGreaterThan(100);
    expect(others).toEqual({ none: 0, rough: 0, forward: 0, view: 0 });
    expect(seen.beside).toBe(0);
    const [none = 0, half, all = 0] = seen.halves;
    expect(all - none).toBeGreaterThan(0.2);
    expect(half).toBeCloseTo((none + all) / 2, 2);
    expect(seen.short[0]).toBeGreaterThan(100);
    expect(seen.short[1]).toBe(0);
  },
);
