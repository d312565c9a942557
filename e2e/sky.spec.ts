import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R14: a sky by the position of the sun. The expected light is integrated here in small steps, without the
// approximations of the shader.

type Triple = readonly [number, number, number];

const EXPOSURE = 4;
const RADIUS = 6_360_000;
const AIR: Triple = [5.8e-6, 13.5e-6, 33.1e-6];
const TOP = 80_000;

const encoded = (light: number): number => {
  const value = Math.min(1, Math.max(0, light));
  return 255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);
};
const normalized = ([x, y, z]: Triple): Triple => {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
};
const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const densities = (height: number): readonly [number, number] => [
  Math.exp(-height / 8000),
  Math.exp(-height / 1200),
];
/** Returns the way out of the atmosphere. `height` and `cosine`: where it begins, and towards where. */
const wayOut = (height: number, cosine: number): number => {
  const across = (RADIUS + height) * cosine;
  return Math.sqrt(across ** 2 + (RADIUS + TOP) ** 2 - (RADIUS + height) ** 2) - across;
};
/** Returns the optical depth of air and haze towards the sun, or undefined if the Earth is in the way. */
function depthToSun(height: number, cosine: number): readonly [number, number] | undefined {
  const begin = RADIUS + height;
  if (cosine < 0 && begin ** 2 * (1 - cosine ** 2) < RADIUS ** 2) return undefined;
  const metres = wayOut(height, cosine);
  let [air, haze] = [0, 0];
  for (let step = 0; step < 300; step++) {
    const [from, to] = [metres * (step / 300) ** 2, metres * ((step + 1) / 300) ** 2];
    const along = (from + to) / 2;
    const above = Math.sqrt(begin ** 2 + along ** 2 + 2 * begin * along * cosine) - RADIUS;
    const [thick, thin] = densities(above);
    air += thick * (to - from);
    haze += thin * (to - from);
  }
  return [air, haze];
}
function expectedSky(towards: Triple, sun: Triple, turbidity: number): number[] {
  const [direction, toSun] = [normalized(towards), normalized(sun)];
  const hazeScattering = ((turbidity - 1) * AIR[1] * 8000) / 1200;
  const cosine = dot(direction, toSun);
  const airPhase = (3 / (16 * Math.PI)) * (1 + cosine ** 2);
  const g = 0.76;
  const hazePhase =
    ((3 / (8 * Math.PI)) * (1 - g ** 2) * (1 + cosine ** 2)) /
    ((2 + g ** 2) * (1 + g ** 2 - 2 * g * cosine) ** 1.5);
  const metres = wayOut(0, direction[1]);
  const light = [0, 0, 0];
  let [air, haze] = [0, 0];
  for (let step = 0; step < 300; step++) {
    const [from, to] = [metres * (step / 300) ** 2, metres * ((step + 1) / 300) ** 2];
    const along = (from + to) / 2;
    const place: Triple = [direction[0] * along, RADIUS + direction[1] * along, direction[2] * along];
    const distance = Math.hypot(...place);
    const [thick, thin] = densities(distance - RADIUS).map((density) => density * (to - from)) as [
      number,
      number,
    ];
    const rest = depthToSun(distance - RADIUS, dot(place, toSun) / distance);
    if (rest) {
      for (const channel of [0, 1, 2] as const) {
        const depth =
          AIR[channel] * (air + thick / 2 + rest[0]) + (hazeScattering / 0.9) * (haze + thin / 2 + rest[1]);
        light[channel] =
          (light[channel] as number) +
          4 * Math.exp(-depth) * (thick * AIR[channel] * airPhase + thin * hazeScattering * hazePhase);
      }
    }
    air += thick;
    haze += thin;
  }
  return light;
}

/** Returns the radiance of a white matte surface that faces the zenith, without the light of the sun itself. */
function expectedOnGround(sun: Triple, turbidity: number): number[] {
  const light = [0, 0, 0];
  const [rings, sides] = [12, 24];
  for (let cell = 0; cell < rings * sides; cell++) {
    // Cells of equal projected area, so all weights are the same.
    const height = Math.sqrt((Math.floor(cell / sides) + 0.5) / rings);
    const angle = (((cell % sides) + 0.5) / sides) * 2 * Math.PI;
    const across = Math.sqrt(1 - height ** 2);
    const towards: Triple = [across * Math.cos(angle), height, across * Math.sin(angle)];
    for (const [channel, value] of expectedSky(towards, sun, turbidity).entries())
      light[channel] = (light[channel] as number) + value / (rings * sides);
  }
  return light;
}

/** The sky's directions that are compared, and the skies: direction to the sun and turbidity. */
const DIRECTIONS: readonly Triple[] = [
  [0.2, 1, 0.1],
  [1, 0.4, 0.2],
  [-0.6, 0.15, -1],
  [0.3, 0.6, 1],
];
const SKIES: readonly (readonly [Triple, number])[] = [
  [[0.4, 0.9, -0.5], 2],
  [[-0.9, 0.25, 0.3], 3],
  [[-0.9, 0.02, 0.3], 1.5],
];

inEveryMode(
  'R14: a sky follows the position of the sun, lights the scene, and has a sun and stars',
  async (engine: Engine) => {
    const { planeGeometry, standardMaterial } = window.fencepost;
    const { world } = engine;
    const camera = world.addCamera({ fovY: 1 });
    const look = async (x: number, y: number, z: number) => {
      camera.root.lookAt(x, y, z);
      await engine.step(0);
      return await engine.captureFrame();
    };
    const middle = async (x: number, y: number, z: number) =>
      window.kit.pixel(await look(x, y, z), 64, 64).slice(0, 3);
    const skies = [
      { sunDirection: [-0.4, -0.9, 0.5], turbidity: 2 },
      { sunDirection: [0.9, -0.25, -0.3], turbidity: 3 },
      { sunDirection: [0.9, -0.02, -0.3], turbidity: 1.5 },
    ] as const;
    engine.exposure = 4;
    const seen: number[][][] = [];
    for (const sky of skies) {
      world.setSky(sky);
      const places: number[][] = [];
      for (const [x, y, z] of [
        [0.2, 1, 0.1],
        [1, 0.4, 0.2],
        [-0.6, 0.15, -1],
        [0.3, 0.6, 1],
      ] as const)
        places.push(await middle(x, y, z));
      seen.push(places);
    }
    const marks: Record<string, unknown> = {};
    world.setSky({ sunDirection: [0, -1, 0.2], groundAlbedo: '#000' });
    marks.blackGround = await middle(0.3, -1, 0.2);
    world.setSky({ sunDirection: [0, -1, 0.2], groundAlbedo: [1, 0, 0] });
    marks.redGround = await middle(0.3, -1, 0.2);

    // The sun is straight up, over white ground.
    engine.exposure = 0.4;
    world.setSky({ sunDirection: [0, -1, 0], turbidity: 2, groundAlbedo: '#fff' });
    marks.noon = await middle(0.3, -1, 0.2);

    // The disc of half a degree is a third as high as this picture.
    engine.exposure = 1;
    camera.root.fovY = 0.03;
    const sun = world.setSky({ sunDirection: [0, -0.5, -1], turbidity: 2, intensity: 1e-5 });
    marks.sun = await middle(0, 0.5, 1);
    marks.sunlight = sun.color.map((share) => share * sun.intensity * 1e5);
    const picture = await look(0, 0.5, 1);
    marks.besideSun = window.kit.pixel(picture, 20, 64).slice(0, 3);
    engine.hdr = false;
    marks.sunForDisplay = await middle(0, 0.5, 1);
    engine.hdr = true;

    // A white matte plane that faces the zenith, lit by the sky alone, then by the sun too.
    camera.root.fovY = 1;
    const white = standardMaterial({ baseColor: '#fff', roughness: 1 });
    const plane = world.addMesh({
      geometry: planeGeometry({ size: 9, facing: 'y' }),
      material: white,
      position: [0, -1, 0],
    });
    const light = world.addDirectionalLight({ intensity: 0 });
    world.setSky({ sunDirection: [-1, -1, 0], turbidity: 2 });
    marks.bySky = await middle(0, -1, 0.1);
    const shining = world.setSky({ sunDirection: [-1, -1, 0], turbidity: 2, light, background: false });
    marks.bySun = await middle(0, -1, 0.1);
    engine.renderer = 'deferred';
    marks.bySunDeferred = await middle(0, -1, 0.1);
    engine.renderer = 'forward';
    marks.light = [light.root.intensity, shining.intensity, shining.altitude, shining.direction[0]];
    plane.visible = false;
    marks.noBackground = await middle(0, 1, 0.1);

    const stars = async () => {
      const { data } = await look(0.2, 1, 0.1);
      let [lit, dark] = [0, 0];
      for (let at = 0; at < data.length; at += 4) {
        if ((data[at + 1] as number) > 40) lit++;
        if ((data[at + 1] as number) < 8) dark++;
      }
      return [lit, dark];
    };
    const night = { latitude: 48, longitude: 11, date: Date.UTC(2024, 11, 21, 23) } as const;
    marks.night = world.setSky({ ...night, light }).intensity;
    marks.stars = await stars();
    world.setSky({ ...night, date: new Date(night.date + 3_600_000) });
    marks.starsLater = await stars();
    world.setSky({ ...night, stars: 0 });
    marks.noStars = await stars();
    world.setSky({ latitude: 48, longitude: 11, date: Date.UTC(2024, 5, 21, 16, 30), stars: 100 });
    marks.starsByDay = (await look(0.2, 1, 0.1)).data.reduce(
      (most, value, at) => (at % 4 === 0 ? Math.max(most, value) : most),
      0,
    );
    await world.setEnvironment(null);
    marks.gone = await middle(0.2, 1, 0.1);
    const refused: string[] = [];
    for (const options of [
      { turbidity: 0.5 },
      { latitude: 91, longitude: 0 },
      { latitude: 10 },
      { latitude: 10, longitude: 10, sunDirection: [0, -1, 0] },
      { latitude: 10, longitude: 10, date: 'today' },
      { sunDirection: [0, 0, 0] },
      { groundAlbedo: 'grassy' },
      { stars: -1 },
      { light: camera },
      { moon: true },
    ]) {
      try {
        world.setSky(options as never);
        refused.push('nothing was refused');
      } catch (error) {
        refused.push((error as { code: string }).code);
      }
    }
    world.setSky({ ...night });
    await look(0.2, 1, 0.1);
    return { seen, marks, refused };
  },
  (found) => {
    const { seen, marks, refused } = found as {
      seen: number[][][];
      marks: Record<string, number[]>;
      refused: string[];
    };
    const log = JSON.stringify(found);
    for (const [sky, [toSun, turbidity]] of SKIES.entries()) {
      for (const [place, direction] of DIRECTIONS.entries()) {
        const expected = expectedSky(direction, toSun, turbidity).map((light) => encoded(light * EXPOSURE));
        for (const [channel, value] of expected.entries()) {
          const difference = Math.abs((seen[sky]?.[place]?.[channel] ?? -99) - value);
          expect(difference, `sky ${sky}, place ${place}: not ${expected}; ${log}`).toBeLessThanOrEqual(4);
        }
      }
    }
    expect(marks.blackGround, log).toEqual([0, 0, 0]);
    expect(marks.redGround?.[0], log).toBeGreaterThan(200);
    expect(marks.redGround?.slice(1)).toEqual([0, 0]);
    const [air, haze] = depthToSun(0, 1) as readonly [number, number];
    for (const [channel, sky] of expectedOnGround([0, 1, 0], 2).entries()) {
      const depth = (AIR[channel] as number) * air + ((AIR[1] * 8000) / 1200 / 0.9) * haze;
      const expected = encoded(0.4 * (sky + (4 * Math.exp(-depth)) / Math.PI));
      expect(
        Math.abs((marks.noon?.[channel] ?? -99) - expected),
        `noon: not ${expected}; ${log}`,
      ).toBeLessThan(8);
    }
    const disc = marks.sunlight?.map((light) => encoded((light / (Math.PI * 0.00465 ** 2)) * 1e-5)) ?? [];
    for (const name of ['sun', 'sunForDisplay'])
      for (const channel of [0, 1, 2])
        expect(Math.abs((marks[name]?.[channel] ?? -99) - (disc[channel] as number)), log).toBeLessThan(4);
    expect(Math.max(...(marks.besideSun ?? [255])), log).toBeLessThan(3);
    for (const [channel, light] of expectedOnGround([1, 1, 0], 2).entries())
      expect(Math.abs((marks.bySky?.[channel] ?? -99) - encoded(light)), log).toBeLessThan(3);
    expect(marks.bySun?.[0] ?? 0, log).toBeGreaterThan((marks.bySky?.[0] ?? 255) + 60);
    for (const channel of [0, 1, 2])
      expect(Math.abs((marks.bySunDeferred?.[channel] ?? 0) - (marks.bySun?.[channel] ?? 99))).toBeLessThan(
        3,
      );
    const [intensity = 0, returned = 1, altitude = 0, x = 0] = marks.light ?? [];
    expect(intensity).toBeCloseTo(returned, 6);
    expect(intensity).toBeGreaterThan(2);
    expect(altitude).toBeCloseTo(Math.PI / 4, 6);
    expect(x).toBeCloseTo(-Math.SQRT1_2, 6);
    expect(Math.max(...(marks.noBackground ?? [255])), log).toBeLessThan(3);
    expect(marks.night).toBe(0);
    const [lit = 0, dark = 0] = marks.stars ?? [];
    expect(lit, log).toBeGreaterThan(10);
    expect(lit, log).toBeLessThan(4000);
    expect(dark, log).toBeGreaterThan(10_000);
    expect(marks.starsLater?.[0], log).toBeGreaterThan(10);
    expect(marks.starsLater).not.toEqual(marks.stars);
    expect(marks.noStars, log).toEqual([0, 128 * 128]);
    expect(marks.starsByDay, log).toBeLessThan(120);
    expect(marks.gone).toEqual(marks.noBackground);
    expect(refused).toEqual([
      'option-out-of-range',
      'option-out-of-range',
      'option-invalid',
      'option-invalid',
      'option-invalid',
      'option-out-of-range',
      'color-invalid',
      'option-out-of-range',
      'option-invalid',
      'option-unknown',
    ]);
  },
);
