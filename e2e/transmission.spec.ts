import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: surfaces that let light pass show what is behind them: opaque things, other glass and the background.

type Rgb = readonly [number, number, number];

inEveryMode(
  'R14: glass shows the things behind it, in its colour, blurred when it is rough',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    world.addCamera({ position: [0, 0, 3] });
    // The bars' scene colour is (1, 1, 1). The default exposure and tone mapping leave it unchanged.
    const white = unlitMaterial({ baseColor: '#fff', toneMapped: true });
    for (const x of [-0.5, 0.5]) {
      world.addMesh({ geometry: boxGeometry({ size: 0.4 }), material: white, position: [x, 0, -1] });
    }
    const glass = standardMaterial({ baseColor: [1, 0.5, 0.25], roughness: 0, ior: 1, transmission: 1 });
    const pane = world.addMesh({
      geometry: planeGeometry({ size: 4 }),
      material: glass,
      position: [0, 0, 0.5],
    });
    const look = async (): Promise<(place: number) => Rgb> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const { data, width, height } = await engine.captureFrame();
      // `place` is the share of the width, in the middle row.
      return (place) => {
        const at = (Math.floor(height / 2) * width + Math.floor(width * place)) * 4;
        return [data[at]!, data[at + 1]!, data[at + 2]!];
      };
    };
    const seen: Record<string, Rgb[]> = {};
    const note = async (name: string): Promise<void> => {
      const pixel = await look();
      seen[name] = [pixel(0.5 - 0.09), pixel(0.5)];
    };
    for (const [name, renderer, antialias, bloom] of [
      ['forward', 'forward', 1, false],
      ['deferred', 'deferred', 1, false],
      ['forward, smooth', 'forward', 4, { amount: 0 }],
      ['deferred, smooth', 'deferred', 4, { amount: 0 }],
    ] as const) {
      engine.renderer = renderer;
      engine.antialias = antialias;
      engine.effects.bloom = bloom;
      pane.visible = false;
      await note(`${name}, without glass`);
      pane.visible = true;
      glass.transmission = 1;
      glass.roughness = 0;
      glass.ior = 1;
      await note(`${name}, clear`);
      glass.ior = 1.5;
      glass.roughness = 0.6;
      await note(`${name}, rough`);
      glass.transmission = 0;
      await note(`${name}, opaque`);
    }
    return seen;
  },
  (found) => {
    const seen = found as Record<string, [bar: Rgb, gap: Rgb]>;
    for (const renderer of ['forward', 'deferred', 'forward, smooth', 'deferred, smooth']) {
      const [bar, gap] = seen[`${renderer}, without glass`]!;
      expect(bar).toEqual([255, 255, 255]);
      expect(gap).toEqual([0, 0, 0]);
      const [clearBar, clearGap] = seen[`${renderer}, clear`]!;
      // sRGB of 1, 0.5 and 0.25.
      [255, 188, 137].forEach((value, channel) => {
        expect(Math.abs(clearBar[channel]! - value)).toBeLessThanOrEqual(2);
      });
      expect(clearGap).toEqual([0, 0, 0]);
      const [roughBar, roughGap] = seen[`${renderer}, rough`]!;
      expect(roughBar[0]).toBeLessThan(clearBar[0] - 20);
      expect(roughGap[0]).toBeGreaterThan(20);
      expect(seen[`${renderer}, opaque`]![0]).toEqual([0, 0, 0]);
    }
  },
);

inEveryMode(
  'R14: panes of glass show each other, also when they are added in another order, and blended things lie on top',
  async (engine: Engine) => {
    const { planeGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    world.addCamera({ position: [0, 0, 3] });
    const geometry = planeGeometry({ size: 1 });
    const pane = (baseColor: [number, number, number], z: number) =>
      world.addMesh({
        geometry,
        material: standardMaterial({ baseColor, roughness: 0, ior: 1, transmission: 1 }),
        position: [0, 0, z],
      });
    const middle = async (): Promise<number[]> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      return window.kit.pixel(frame, frame.width / 2, frame.height / 2).slice(0, 3);
    };
    world.addMesh({ geometry, material: unlitMaterial({ toneMapped: true }), position: [0, 0, -1] });
    const all: Record<string, number[]> = { none: await middle() };
    const near = pane([1, 1, 0.25], 1);
    all.one = await middle();
    const far = pane([1, 0.25, 1], 0);
    all.two = await middle();
    near.position.z = -0.5;
    all.swapped = await middle();
    const third = pane([0.25, 1, 1], -0.75);
    all.three = await middle();
    const veil = unlitMaterial({ baseColor: '#000', opacity: 0.5, toneMapped: true });
    const blended = world.addMesh({ geometry, material: veil, position: [0, 0, 1.5] });
    all.veiled = await middle();
    blended.destroy();
    third.destroy();
    far.visible = false;
    all.alone = await middle();
    return all;
  },
  (found) => {
    const seen = found as Record<string, number[]>;
    // sRGB of 0.25 is 137, of a half 188.
    const expected: Record<string, number[]> = {
      none: [255, 255, 255],
      one: [255, 255, 137],
      two: [255, 137, 137],
      swapped: [255, 137, 137],
      three: [137, 137, 137],
      veiled: [99, 99, 99],
      alone: [255, 255, 137],
    };
    for (const [name, pixel] of Object.entries(expected)) {
      pixel.forEach((value, channel) => {
        expect(Math.abs(seen[name]![channel]! - value), `${name}: ${seen[name]}`).toBeLessThanOrEqual(3);
      });
    }
  },
);

inEveryMode(
  'R14: glass shows the background in its colour, in every view, and without hdr the environment',
  async (engine: Engine) => {
    const { sphereGeometry, standardMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#fff';
    const camera = world.addCamera({ position: [0, 0, 3] });
    const material = standardMaterial({
      roughness: 0,
      transmission: 1,
      thickness: 1,
      attenuationColor: [1, 0.25, 0.25],
      attenuationDistance: 1,
    });
    const glass = world.addMesh({ geometry: sphereGeometry({ radius: 0.7 }), material });
    const middle = async (share: number): Promise<number[]> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      return window.kit.pixel(frame, Math.floor(frame.width * share), frame.height / 2);
    };
    const all: Record<string, number[]> = { opaque: await middle(0.5) };
    engine.background = [0, 0, 0, 0];
    all.open = await middle(0.5);
    engine.background = '#fff';
    // The glass of a larger object is thicker, and absorbs more light.
    glass.scale = 2;
    all.large = await middle(0.5);
    glass.scale = 1;
    const left = engine.addView({ camera, rect: { x: 0, y: 0, width: 0.5, height: 1 }, background: '#00f' });
    all.view = await middle(0.25);
    left.dispose();
    await world.setEnvironment('studio');
    engine.hdr = false;
    all.display = await middle(0.5);
    engine.hdr = true;
    return all;
  },
  (found) => {
    const seen = found as Record<string, number[]>;
    const [red = 0, green = 0, blue = 0] = seen.opaque!;
    // Fresnel's reflection takes 4 %.
    expect(red).toBeGreaterThan(245);
    expect(Math.abs(green - 135)).toBeLessThanOrEqual(4);
    expect(blue).toBe(green);
    expect(seen.open![3]).toBeGreaterThan(60);
    expect(seen.open![3]).toBeLessThan(230);
    expect(seen.large![1]).toBeLessThan(green - 40);
    expect(seen.view!.slice(0, 2)).toEqual([0, 0]);
    expect(seen.view![2]).toBeGreaterThan(100);
    expect(seen.display![0]).toBeGreaterThan(20);
  },
);
