import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: fog between the camera and each surface follows its formula, for all kinds of surfaces and for the background.

type Triple = readonly [number, number, number];

const FOG: Triple = [0.2, 0.5, 0.8];
const SURFACE: Triple = [0.8, 0.1, 0.3];
const BACKGROUND: Triple = [0.1, 0.4, 0.05];

const encoded = (light: number): number => {
  const value = Math.min(1, Math.max(0, light));
  return 255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);
};
/** Returns 8-bit sRGB of a surface behind fog that lets the share `passed` through. */
const fogged = (passed: number, surface: Triple = SURFACE, fog: Triple = FOG): number[] =>
  surface.map((light, channel) => encoded(light * passed + (fog[channel] as number) * (1 - passed)));
/** Returns the mean density between two heights, as the guide's formula gives it. */
const meanDensity = (from: number, to: number, falloff: number): number => {
  let sum = 0;
  for (let step = 0; step < 1000; step++) {
    sum += Math.exp(-falloff * Math.max(0, from + ((step + 0.5) / 1000) * (to - from)));
  }
  return sum / 1000;
};

function expectColor(seen: number[] | undefined, expected: readonly number[], name: string, most = 2): void {
  for (const [channel, value] of expected.entries()) {
    const difference = Math.abs((seen?.[channel] ?? -99) - value);
    expect(difference, `${name}: ${seen}, not ${expected}`).toBeLessThanOrEqual(most);
  }
}

inEveryMode(
  'R14: fog covers surfaces by their distance and height, and the background, in both renderers',
  async (engine: Engine) => {
    const { planeGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = [0.1, 0.4, 0.05];
    // The picture is 2 m high at a distance of 1 m, so the rays of its edges rise by 45°.
    const camera = world.addCamera({ position: [0, 2, 0], fovY: Math.PI / 2 });
    const color = [0.2, 0.5, 0.8] as const;
    const light = [0.8, 0.1, 0.3] as const;
    const geometry = planeGeometry({ size: 400 });
    const add = (material: unknown, z = -10) =>
      world.addMesh({ geometry, material: material as never, position: [0, 0, z] });
    const seen: Record<string, number[][]> = {};
    const see = async (name: string) => {
      await engine.step(0);
      const picture = await engine.captureFrame();
      seen[name] = [
        [64, 64],
        [64, 20],
        [64, 110],
        [10, 64],
      ].map(([x, y]) => window.kit.pixel(picture, x!, y!));
    };
    const mapped = unlitMaterial({ baseColor: light, toneMapped: true });
    const wall = add(mapped);
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      engine.effects.fog = { density: 0.1, color };
      await see(`${renderer}, dense`);
      engine.effects.fog = { density: 0.1, color, start: 4 };
      await see(`${renderer}, start`);
      engine.effects.fog = { density: 0.3, color, height: 1, heightFalloff: 0.5 };
      await see(`${renderer}, height`);
      wall.root.material = standardMaterial({ baseColor: '#000', emissive: light, roughness: 1 });
      await see(`${renderer}, emissive`);
      world.setAmbient('#fff', 1);
      wall.root.material = standardMaterial({ baseColor: '#fff', emissive: light, roughness: 0.8 });
      await see(`${renderer}, lit`);
      world.setAmbient('#000', 0);
      wall.root.material = mapped;
    }
    engine.renderer = 'forward';
    engine.antialias = true;
    await see('multisampled');
    engine.antialias = false;
    engine.hdr = false;
    await see('display');
    engine.hdr = true;
    wall.visible = false;
    await see('background');
    engine.hdr = false;
    await see('background, display');
    engine.hdr = true;
    engine.effects.fog = { density: 0.1 };
    await see('background, its colour');
    wall.visible = true;
    engine.exposure = 2;
    await see('the background’s colour, exposed');
    engine.exposure = 1;

    engine.effects.fog = { density: 0.1, color };
    engine.toneMapping = 'aces';
    const kept = unlitMaterial({ baseColor: light });
    await see('aces');
    wall.root.material = kept;
    await see('aces, unmapped');
    engine.toneMapping = 'none';
    await see('unmapped');
    wall.root.material = unlitMaterial({ baseColor: [...light, 0.5], toneMapped: true, alphaMode: 'blend' });
    wall.position = [0, 0, -5];
    await see('blended');
    wall.root.material = unlitMaterial({
      baseColor: light,
      toneMapped: true,
      alphaMode: 'blend',
      blending: 'additive',
    });
    await see('added');
    wall.position = [0, 0, -10];
    wall.root.material = mapped;
    camera.root.orthographic = { halfHeight: 1 };
    await see('orthographic');
    camera.root.orthographic = null;
    const half = { y: 0, width: 0.5, height: 1 };
    const clear = engine.addView({ camera, rect: { x: 0, ...half }, effects: { fog: false } });
    const thick = engine.addView({
      camera,
      rect: { x: 0.5, ...half },
      effects: { fog: { density: 100, color } },
    });
    await see('views');
    const refused = [
      { density: -1 },
      { start: Number.NaN },
      { color: 'fog' },
      { heightFalloff: '1' },
      { thickness: 1 },
    ].map((fog) => {
      try {
        Object.assign(engine.effects, { fog });
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'nothing was refused';
    });
    const options = { ...(engine.effects.fog as object) };
    clear.dispose();
    thick.dispose();
    await see('again');
    return { seen, refused, options };
  },
  (found) => {
    const { seen, refused, options } = found as {
      seen: Record<string, number[][]>;
      refused: string[];
      options: object;
    };
    const log = JSON.stringify(seen);
    // For each of the four places: the distance to the wall, and the rise of the ray on this way, in metres.
    const slopes = [64.5, 20.5, 110.5].map((y) => (64 - y) / 64);
    const distances = [...slopes.map((slope) => 10 * Math.hypot(1, slope)), 10 * Math.hypot(1, 53.5 / 64)];
    const rises = [...slopes.map((slope) => 10 * slope), 0];
    for (const renderer of ['forward', 'deferred']) {
      for (const [place, distance] of distances.entries()) {
        const what = `at ${place}, ${log}`;
        expectColor(
          seen[`${renderer}, dense`]?.[place],
          fogged(Math.exp(-0.1 * distance)),
          `${renderer}, dense ${what}`,
        );
        expectColor(
          seen[`${renderer}, start`]?.[place],
          fogged(Math.exp(-0.1 * (distance - 4))),
          `start ${what}`,
        );
        const density = 0.3 * meanDensity(1, 1 + (rises[place] as number), 0.5);
        const passed = Math.exp(-density * distance);
        expectColor(seen[`${renderer}, height`]?.[place], fogged(passed), `${renderer}, height ${what}`);
        expectColor(seen[`${renderer}, emissive`]?.[place], fogged(passed), `emissive ${what}`);
        expectColor(seen['deferred, lit']?.[place], seen['forward, lit']?.[place] ?? [], `lit ${what}`);
        expectColor(seen.multisampled?.[place], fogged(passed), `multisampled ${what}`);
        expectColor(seen.display?.[place], fogged(passed), `display ${what}`);
      }
    }
    // Rays that do not rise never leave the fog. The optical depth along a ray that rises by the angle a is
    // 0.3 · e^(−0.5) / 0.5 / sin a.
    const slope = slopes[1] as number;
    const upwards = Math.exp((-0.3 * Math.exp(-0.5 * 1)) / 0.5 / (slope / Math.hypot(1, slope)));
    for (const name of ['background', 'background, display']) {
      expectColor(seen[name]?.[2], fogged(0), `${name}, below, ${log}`);
      // Without high dynamic range, colours are mixed as sRGB.
      const mixed =
        name === 'background'
          ? fogged(upwards, BACKGROUND)
          : BACKGROUND.map(
              (light, index) => encoded(light) * upwards + encoded(FOG[index] as number) * (1 - upwards),
            );
      expectColor(seen[name]?.[1], mixed, `${name}, above, ${log}`);
    }
    expectColor(seen['background, its colour']?.[1], BACKGROUND.map(encoded), 'its colour');
    // Exposure doubles the surface's light, and leaves the background as it is.
    const passed = Math.exp(-1);
    expectColor(
      seen['the background’s colour, exposed']?.[0],
      SURFACE.map((light, index) =>
        encoded(2 * light * passed + (BACKGROUND[index] as number) * (1 - passed)),
      ),
      'exposed',
    );
    expectColor(seen.unmapped?.[0], fogged(passed), 'unmapped');
    expectColor(seen['forward, dense']?.[0], fogged(passed), 'mapped');
    // Fog is tone-mapped in front of both surfaces. The light of the unmapped surface is not.
    expect(seen['aces, unmapped']?.[0]).not.toEqual(seen.aces?.[0]);
    expect(seen['aces, unmapped']?.[0]?.[0], log).toBeGreaterThan(encoded(SURFACE[0] * passed) - 2);
    const near = Math.exp(-0.5);
    // Behind the blended surface, the background is covered by fog.
    const blended = SURFACE.map(
      (light, index) =>
        0.5 * (light * near + (FOG[index] as number) * (1 - near)) + 0.5 * (FOG[index] as number),
    );
    expectColor(seen.blended?.[0], blended.map(encoded), `blended ${log}`);
    const added = SURFACE.map((light, index) => light * near + (FOG[index] as number));
    expectColor(seen.added?.[0], added.map(encoded), `added ${log}`);
    for (const place of [0, 1, 2, 3])
      expectColor(seen.orthographic?.[place], fogged(passed), `orthographic ${log}`);
    expectColor(seen.views?.[3], SURFACE.map(encoded), 'clear view');
    expectColor(seen.views?.[0], fogged(0), 'thick view');
    expect(refused).toEqual([
      'option-out-of-range',
      'option-out-of-range',
      'color-invalid',
      'option-out-of-range',
      'option-unknown',
    ]);
    expect(options).toEqual({
      density: 0.1,
      color: FOG,
      height: 0,
      heightFalloff: 0,
      start: 0,
      sunAmount: 0,
    });
  },
);

inEveryMode(
  'R14: fog takes its light from the environment and the sun, also behind glass and at smoothed edges',
  async (engine: Engine) => {
    const { planeGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    await world.setEnvironment('sky', { background: true });
    world.addCamera({ position: [0, 2, 0], fovY: Math.PI / 2 });
    const seen: Record<string, number[][]> = {};
    const see = async (name: string) => {
      await engine.step(0);
      const picture = await engine.captureFrame();
      seen[name] = [
        [64, 64],
        [20, 20],
        [100, 100],
      ].map(([x, y]) => window.kit.pixel(picture, x!, y!));
    };
    engine.effects.fog = { density: 50 };
    await see('sky');
    const black = unlitMaterial({ baseColor: '#000', toneMapped: true });
    const wall = world.addMesh({
      geometry: planeGeometry({ size: 400 }),
      material: black,
      position: [0, 0, -9],
    });
    await see('wall');
    engine.effects.fog = { density: 0.05, color: [0.3, 0.3, 0.3] };
    await see('without glass');
    const pane = world.addMesh({
      geometry: planeGeometry({ size: 400 }),
      material: standardMaterial({ baseColor: '#fff', transmission: 1, roughness: 0, ior: 1 }),
      position: [0, 0, -5],
    });
    await see('behind glass');
    pane.visible = false;
    world.addDirectionalLight({ direction: [0, 0, 1], intensity: 1 });
    engine.effects.fog = { density: 0.05, color: [0.3, 0.3, 0.3], sunAmount: 0.1 };
    await see('towards the sun');
    // An edge across the picture, at an angle. Its pixels lie between both sides.
    wall.visible = false;
    engine.antialias = true;
    engine.effects.fog = { density: 0.1, color: '#000' };
    await world.setEnvironment(null);
    engine.background = '#fff';
    const edge = world.addMesh({
      geometry: planeGeometry({ size: 4 }),
      material: unlitMaterial({ baseColor: '#fff', toneMapped: true }),
      position: [2, 2, -2],
    });
    edge.rotation = [0, 0, Math.sin(0.05), Math.cos(0.05)];
    await engine.step(0);
    const { data, width } = await engine.captureFrame();
    const row = (y: number) => Array.from({ length: 40 }, (_, x) => data[(y * width + x + 40) * 4]!);
    return { seen, row: row(64) };
  },
  (found) => {
    const { seen, row } = found as { seen: Record<string, number[][]>; row: number[] };
    const log = JSON.stringify(found);
    // Fog that hides everything has one colour per direction, whatever is behind it.
    for (const place of [0, 1, 2])
      expectColor(seen.wall?.[place], (seen.sky?.[place] ?? []).slice(0, 3), `sky ${log}`, 1);
    expect(seen.sky?.[1]).not.toEqual(seen.sky?.[2]);
    expect(seen.sky?.[1]?.[2], log).toBeGreaterThan(20);
    for (const place of [0, 1, 2]) {
      const clear = (seen['without glass']?.[place] ?? []).slice(0, 3);
      expectColor(seen['behind glass']?.[place], clear, `glass ${log}`, 14);
    }
    expect(seen['towards the sun']?.[0]?.[0] ?? 0, log).toBeGreaterThan(
      (seen['without glass']?.[0]?.[0] ?? 255) + 8,
    );
    // Fog is darker in front of the background than in front of the plane. Pixels of the edge lie between.
    const [dark = 255, bright = 0] = [row[0], row.at(-1)];
    expect(bright - dark, log).toBeGreaterThan(60);
    for (const [index, value] of row.entries()) {
      expect(value, log).toBeGreaterThanOrEqual(dark);
      expect(value, log).toBeLessThanOrEqual(bright + 1);
      if (index > 0) expect(value, log).toBeGreaterThanOrEqual((row[index - 1] as number) - 1);
    }
    expect(row.some((value) => value > dark + 10 && value < bright - 10)).toBe(true);
  },
);
