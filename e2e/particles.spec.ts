import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { readGuide, runProgram } from './guide-programs.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

// Particle systems, through the public API. In all tests 16 pixels are 1 m, and the middle of the picture is the origin.

interface Spot {
  /** Number of lit pixels, and their middle in metres. */
  readonly area: number;
  readonly x: number;
  readonly y: number;
}

inEveryMode(
  'R14: particles move by velocity, gravity and drag, bounce, and grow and change colour over their life',
  async (engine: Engine) => {
    const { fencepost } = window;
    const { world } = engine;
    engine.background = '#000';
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const texture = fencepost.texture({ width: 1, height: 1, data: new Uint8Array(4).fill(255) });
    const still = { rate: 0, life: 4, spread: 0, size: 0.5, color: '#f00', texture } as const;
    const spot = async (channel: number): Promise<Spot> => {
      const { data, width } = await engine.captureFrame();
      let [area, x, y] = [0, 0, 0];
      for (let at = channel; at < data.length; at += 4) {
        if ((data[at] as number) < 64) continue;
        area++;
        x += ((at >> 2) % width) + 0.5 - 64;
        y += 64 - Math.floor((at >> 2) / width) - 0.5;
      }
      return { area, x: Math.round((x / area / 16) * 100) / 100, y: Math.round((y / area / 16) * 100) / 100 };
    };
    const seen: Record<string, unknown> = {};
    const steady = world.addParticles({ ...still, velocity: [1, 0.5, 0] });
    steady.root.emit(1);
    await engine.step(0);
    await engine.whenReady();
    await engine.step(0);
    seen.born = await spot(0);
    await engine.step(1);
    seen.moved = await spot(0);
    // One more second, in eight steps, moves the particle as far as one step did.
    for (let step = 0; step < 8; step++) await engine.step(0.125);
    seen.again = await spot(0);
    steady.destroy();
    await engine.step(0);
    seen.destroyed = (await spot(0)).area;

    const thrown = world.addParticles({
      ...still,
      color: '#0f0',
      velocity: [2, 2, 0],
      gravity: [0, -2, 0],
      drag: 0.5,
    });
    thrown.root.emit(1);
    await engine.step(0);
    for (let step = 0; step < 5; step++) await engine.step(0.3);
    seen.thrown = await spot(1);
    thrown.destroy();

    const dropped = world.addParticles({
      ...still,
      color: '#00f',
      position: [0, 2, 0],
      velocity: [1, 0, 0],
      gravity: [0, -8, 0],
      collide: { distance: 0, bounce: 0.5, friction: 0 },
    });
    dropped.root.emit(1);
    await engine.step(0);
    // The particle falls for 0.707 s, and then rises to a quarter of its first height.
    await engine.step(0.7);
    seen.fallen = await spot(2);
    for (let step = 0; step < 36; step++) await engine.step(0.01);
    seen.risen = await spot(2);
    dropped.destroy();

    const grown = world.addParticles({
      ...still,
      velocity: [0, 0, 0],
      size: [
        [0, 0.5],
        [0.5, 2],
        [1, 1],
      ],
      color: ['#f00', '#00f'],
    });
    grown.root.emit(1);
    await engine.step(0);
    await engine.step(1);
    seen.growing = [(await spot(0)).area, (await spot(2)).area];
    await engine.step(1);
    seen.grown = [(await spot(0)).area, (await spot(2)).area];
    await engine.step(1.9);
    seen.aged = [(await spot(0)).area, (await spot(2)).area];
    await engine.step(0.2);
    seen.ended = (await spot(2)).area;
    grown.root.emit(1);
    await engine.step(0);
    await engine.step(0.5);
    return seen;
  },
  (found) => {
    const seen = found as Record<string, Spot>;
    expect(seen.born).toEqual({ area: 64, x: 0, y: 0 });
    expect(seen.moved).toEqual({ area: 64, x: 1, y: 0.5 });
    expect(seen.again).toEqual({ area: 64, x: 2, y: 1 });
    expect(seen.destroyed).toBe(0);
    // After 1.5 s with a drag of 0.5: x = 4 (1 − e^−0.75) = 2.11 and y = 2.11 − 4 (1.5 − 2 (1 − e^−0.75)) = 0.33.
    expect(seen.thrown!.x).toBeCloseTo(2.11, 1);
    expect(seen.thrown!.y).toBeCloseTo(0.33, 1);
    expect(seen.fallen!.y).toBeLessThan(0.25);
    expect(seen.fallen!.x).toBeCloseTo(0.7, 1);
    expect(seen.risen!.y).toBeGreaterThan(0.4);
    expect(seen.risen!.y).toBeLessThan(0.56);
    expect(seen.growing).toEqual([400, 400]);
    expect(seen.grown).toEqual([1024, 1024]);
    const [red, blue] = seen.aged as unknown as [number, number];
    expect([red, blue >= 256 && blue <= 361]).toEqual([0, true]);
    expect(seen.ended).toBe(0);
  },
);

inEveryMode(
  'R14: particles are born at the rate and in bursts, up to a maximum, along the way of their source',
  async (engine: Engine) => {
    const { fencepost } = window;
    const { world } = engine;
    engine.background = '#000';
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const texture = fencepost.texture({ width: 1, height: 1, data: new Uint8Array(4).fill(255) });
    const fountain = world.addParticles({
      rate: 4,
      life: 100,
      velocity: [1, 0, 0],
      spread: 0,
      size: 0.125,
      color: '#fff',
      texture,
      maximumCount: 12,
      position: [-3.9375, 0, 0],
    });
    const { root } = fountain;
    const count = async (): Promise<number> => {
      const { data } = await engine.captureFrame();
      let area = 0;
      for (let at = 0; at < data.length; at += 4) if ((data[at] as number) > 128) area++;
      return area / 4;
    };
    const seen: unknown[] = [];
    await engine.step(0);
    await engine.whenReady();
    await engine.step(2.03);
    seen.push(await count());
    root.isEmitting = false;
    await engine.step(0.5);
    seen.push(await count(), root.isEmitting, root.rate);
    root.isEmitting = true;
    root.rate = 2;
    await engine.step(1);
    seen.push(await count());
    // All particles of a burst are born at one place, so the source moves between bursts.
    root.rate = 0;
    for (let row = 0; row < 3; row++) {
      fountain.position.y = row + 1;
      root.emit(1);
      await engine.step(0);
    }
    seen.push(await count());
    fountain.visible = false;
    await engine.step(0);
    seen.push(await count());
    fountain.visible = true;
    await engine.step(0);
    seen.push(await count());
    fountain.destroy();
    // A source that moves leaves an even trail, although it is drawn in one frame.
    const carrier = world.addMesh({
      geometry: fencepost.boxGeometry({ size: 0.1 }),
      visible: true,
      position: [-3, 0, -50],
    });
    const trail = world.addParticles({
      rate: 8,
      life: 100,
      velocity: [0, 0, 0],
      spread: 0,
      size: 0.125,
      color: '#fff',
      texture,
    });
    trail.attachTo(carrier);
    await engine.step(0);
    carrier.position.x = 3;
    await engine.step(1.03);
    const { data, width } = await engine.captureFrame();
    const columns: number[] = [];
    for (let x = 0; x < width; x++) if ((data[(64 * width + x) * 4] as number) > 128) columns.push(x);
    seen.push(columns.length);
    carrier.position.x = 0;
    trail.attachTo(null);
    trail.position = [0, 0, 0];
    trail.destroy();
    const cloud = world.addParticles({
      rate: 0,
      life: [1, 3],
      source: { sphere: 2 },
      spread: 1,
      size: [0.2, 0.6],
      color: ['#fa3', '#30f8'],
      gravity: [0, -1, 0],
      collide: { distance: -3 },
      seed: 5,
    });
    cloud.root.emit(150);
    await engine.step(0.1);
    cloud.root.emit(150);
    for (let step = 0; step < 6; step++) await engine.step(0.2);
    return seen;
  },
  (seen) => expect(seen).toEqual([8, 8, false, 4, 10, 12, 0, 12, 16]),
);

inEveryMode(
  'R14: particles are hidden by opaque surfaces, are seen through glass or before it, blend or add light, in every renderer and view',
  async (engine: Engine) => {
    const { fencepost, kit } = window;
    const { boxGeometry, planeGeometry, standardMaterial, unlitMaterial } = fencepost;
    const { world } = engine;
    engine.background = '#000';
    const camera = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const texture = fencepost.texture({ width: 1, height: 1, data: new Uint8Array(4).fill(255) });
    const still = { rate: 0, life: 100, spread: 0, velocity: [0, 0, 0], size: 1, texture } as const;
    const wall = standardMaterial({ baseColor: '#000', emissive: [0.5, 0.5, 0.5] });
    world.addMesh({ geometry: planeGeometry({ size: 8 }), material: wall, position: [0, 0, -4] });
    world.addMesh({
      geometry: boxGeometry(),
      material: unlitMaterial({ baseColor: '#00f' }),
      position: [-2, 2, 0],
    });
    // Half of this system is behind the box.
    const hidden = world.addParticles({ ...still, color: '#f00', position: [-1.5, 2, -1] });
    const blended = world.addParticles({ ...still, color: [1, 0, 0, 0.5], position: [2, 2, 0] });
    const added = world.addParticles({
      ...still,
      color: [0.25, 0, 0],
      blending: 'additive',
      position: [2, -2, 0],
    });
    const glass = standardMaterial({ baseColor: '#fff', roughness: 0, transmission: 1, ior: 1, specular: 0 });
    world.addMesh({ geometry: planeGeometry({ size: 3 }), material: glass, position: [-2, -2, 1] });
    const behind = world.addParticles({
      ...still,
      color: '#0f0',
      position: [-2.75, -2, 0],
      behindGlass: true,
    });
    const last = world.addParticles({ ...still, color: '#0f0', position: [-1.25, -2, 0], layers: 2 });
    for (const { root } of [hidden, blended, added, behind, last]) root.emit(1);
    const look = async (): Promise<number[][]> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      const at = (x: number, y: number): number[] =>
        [...kit.pixel(frame, 64 + x * 16, 64 - y * 16)].slice(0, 3);
      return [at(-1.75, 2), at(-1.25, 2), at(2, 2), at(2, -2), at(-2.75, -2), at(-1.25, -2)];
    };
    const seen: Record<string, number[][]> = {};
    seen.forward = await look();
    engine.renderer = 'deferred';
    seen.deferred = await look();
    engine.renderer = 'forward';
    engine.hdr = false;
    seen.display = await look();
    engine.hdr = true;
    engine.exposure = 0.5;
    seen.exposed = await look();
    engine.exposure = 1;
    const view = engine.addView({ camera, layers: 1 });
    seen.view = await look();
    view.dispose();
    last.position.z = 2;
    last.root.emit(1);
    seen.front = await look();
    return seen;
  },
  (found) => {
    const seen = found as Record<string, number[][]>;
    const grey = 188;
    for (const name of ['forward', 'deferred']) {
      const [box, red, blended, added, behind, last] = seen[name]!;
      expect(box, name).toEqual([0, 0, 255]);
      expect(red, name).toEqual([255, 0, 0]);
      expect(blended![0], name).toBe(225);
      expect(blended![1], name).toBe(137);
      expect(added![0], name).toBe(225);
      expect(added![1], name).toBe(grey);
      // Glass shows the particle with `behindGlass`. It hides the other particle behind it, which is drawn later.
      expect(behind![1]! - behind![0]!, name).toBeGreaterThan(150);
      expect(Math.abs(last![1]! - last![0]!), name).toBeLessThan(10);
    }
    expect(seen.display![0]).toEqual([0, 0, 255]);
    expect(seen.display![1]).toEqual([255, 0, 0]);
    expect(seen.display![2]![0]).toBeGreaterThan(grey);
    // Unmapped colours keep their brightness, and the particle's light is halved.
    expect(seen.exposed![0]).toEqual([0, 0, 255]);
    expect(seen.exposed![1]).toEqual([188, 0, 0]);
    expect(seen.view![1]).toEqual([255, 0, 0]);
    expect(seen.front![5]).toEqual([0, 255, 0]);
  },
);

inEveryMode(
  'R14: sorted particles are drawn from back to front, in each view, also thousands of them',
  async (engine: Engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    engine.background = '#000';
    const front = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const back = world.addCamera({
      position: [0, 0, -10],
      lookAt: [0, 0, 0],
      orthographic: { halfHeight: 4 },
    });
    world.activeCamera = front;
    const texture = fencepost.texture({ width: 1, height: 1, data: new Uint8Array(4).fill(255) });
    // Particles fly towards +Z and change from red to green, so the oldest ones are green and near the first camera.
    const stream = world.addParticles({
      rate: 600,
      life: 2,
      velocity: [0, 0, 4],
      spread: 0,
      size: 2,
      position: [-2, 0, -4],
      color: ['#f00', '#0f0'],
      texture,
    });
    const sorted = world.addParticles({
      rate: 600,
      life: 2,
      velocity: [0, 0, 4],
      spread: 0,
      size: 2,
      position: [2, 0, -4],
      color: ['#f00', '#0f0'],
      texture,
      sort: true,
    });
    await engine.step(0);
    await engine.whenReady();
    await engine.step(3);
    const look = async (): Promise<number[][]> => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      return [32, 96].map((x) => [...kit.pixel(frame, x, 64)].slice(0, 3));
    };
    const seen = [await look()];
    world.activeCamera = back;
    seen.push(await look());
    const half = { y: 0, width: 0.5, height: 1 };
    const views = [
      engine.addView({ camera: front, rect: { x: 0, ...half } }),
      engine.addView({ camera: back, rect: { x: 0.5, ...half } }),
    ];
    // Each view is 64 pixels wide, and the second one shows the mirrored scene.
    await engine.step(0);
    const frame = await engine.captureFrame();
    seen.push([50, 78].map((x) => [...kit.pixel(frame, x, 64)].slice(0, 3)));
    for (const view of views) view.dispose();
    stream.destroy();
    await engine.step(0.1);
    return [seen, sorted.root.sort];
  },
  (found) => {
    const [seen, isSorted] = found as [number[][][], boolean];
    const isRed = ([red = 0, green = 0]: number[]): boolean => red > 240 && green < 60;
    const isGreen = ([red = 0, green = 0]: number[]): boolean => green > 240 && red < 60;
    const kinds = seen.map((pixels) =>
      pixels.map((pixel) => (isRed(pixel) ? 'red' : isGreen(pixel) ? 'green' : pixel)),
    );
    // In the order of birth, the newest ones are drawn last.
    expect(kinds[0]).toEqual(['red', 'green']);
    // The second camera sees the systems swapped, and the newest ones are near it.
    expect(kinds[1]).toEqual(['red', 'red']);
    expect(kinds[2]).toEqual(['green', 'red']);
    expect(isSorted).toBe(true);
  },
);

test('R14: a hundred thousand particles have smooth edges against surfaces, and their memory is freed', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openEnginePage(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, {
      threading: 'render',
      antialias: true,
      background: '#000',
    });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const black = fencepost.unlitMaterial({ baseColor: '#000' });
    const roof = world.addMesh({
      geometry: fencepost.planeGeometry({ size: 4 }),
      material: black,
      position: [0, 0, 2],
    });
    roof.rotateZ(0.4);
    const cloud = world.addParticles({
      rate: 0,
      life: 100,
      source: { box: [8, 8, 2] },
      size: 0.2,
      color: '#fff',
      maximumCount: 100_000,
    });
    cloud.root.emit(100_000);
    await engine.step(0);
    await engine.whenReady();
    await engine.step(0.1);
    const { data } = await engine.captureFrame();
    const grey = { black: 0, between: 0, white: 0 };
    for (let at = 0; at < data.length; at += 4) {
      const value = data[at] as number;
      grey[value < 10 ? 'black' : value > 250 ? 'white' : 'between']++;
    }
    cloud.destroy();
    for (let step = 0; step < 4; step++) await engine.step(0);
    const { leaks } = await engine.dispose();
    return { grey, leaks };
  });
  expect(seen.leaks).toEqual([]);
  // 64 × 64 pixels are behind the roof. Its edge is 256 pixels long.
  expect(seen.grey.black).toBeGreaterThan(3700);
  expect(seen.grey.between).toBeGreaterThan(150);
  expect(seen.grey.between).toBeLessThan(1500);
  expect(seen.grey.white).toBeGreaterThan(11000);
});

test('wrong options of particles are refused by name', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const messages = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { threading: 'single' });
    const messages: string[] = [];
    const attempt = (action: () => unknown): void => {
      try {
        action();
        messages.push('accepted');
      } catch (error) {
        const { code, message } = error as { code: string; message: string };
        messages.push(`${code}: ${message.split('.')[0]}`);
      }
    };
    const { root } = engine.world.addParticles();
    attempt(() => engine.world.addParticles({ rate: -1 }));
    attempt(() => root.emit(0));
    attempt(() => {
      root.rate = Number.NaN;
    });
    await engine.dispose();
    return messages;
  });
  expect(messages).toEqual([
    'option-out-of-range: rate of addParticles is -1; it has to be a number from 0 to 1000000',
    'option-out-of-range: count of emit is 0; it has to be a number from 1 to 2097152',
    'option-out-of-range: rate of the particles is NaN; it has to be a number from 0 to 1000000',
  ]);
});

test('bursts.js of docs/guide/particles.md prints the output that the page shows', async ({
  page,
  context,
  isolatedURL,
}) => {
  const guide = readGuide('docs/guide/particles.md');
  await guide.serve(context);
  await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
  expect(guide.printsOf('bursts.js')).toHaveLength(4);
  expect(await runProgram(page, 'bursts.js')).toEqual(guide.printsOf('bursts.js'));
});
