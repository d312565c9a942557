import type { Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// Particles that read the depth of the scene. In the plane z = 0, 16 pixels are 1 m, and the middle of the picture is
// the origin.

inEveryMode(
  'R14: soft particles fade in front of surfaces, in every renderer, projection and view',
  async (engine: Engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    engine.background = '#000';
    const flat = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const deep = world.addCamera({ position: [0, 0, 10], fovY: 2 * Math.atan(0.4), far: 100 });
    world.activeCamera = flat;
    const black = fencepost.unlitMaterial({ baseColor: '#000' });
    // Half a metre behind the particles on the left, and a quarter of a metre in the middle. Their common edge is in the
    // middle of a pixel. Nothing is behind the particles on the right.
    const edge = 31 / 32;
    for (const [x, width, z] of [
      [-4, 8 - 2 * edge, -0.5],
      [0, 2 * edge, -0.25],
    ] as const) {
      world.addMesh({
        geometry: fencepost.planeGeometry({ width, height: 8 }),
        material: black,
        position: [x, 0, z],
      });
    }
    const still = { rate: 0, life: 100, spread: 0, velocity: [0, 0, 0], color: '#fff', softness: 1 } as const;
    const texture = fencepost.texture({ width: 1, height: 1, data: new Uint8Array(4).fill(255) });
    const blended = world.addParticles({ ...still, size: 6, texture, sort: true });
    // Discs, whose middle is opaque.
    const disc = { ...still, size: 1, position: [-1.5, -3.5, 0] } as const;
    const added = world.addParticles({ ...disc, blending: 'additive', behindGlass: true });
    for (const { root } of [blended, added]) root.emit(1);
    const look = async (places: readonly (readonly [x: number, y: number])[]): Promise<number[]> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      return places.map(([x, y]) => kit.pixel(frame, x, y)[1]!);
    };
    const whole = [
      [40, 64],
      [64, 64],
      [88, 64],
      [40, 120],
      [48, 64],
    ] as const;
    const seen: Record<string, number[]> = {};
    for (const way of ['forward', 'deferred', 'smooth', 'display', 'exposed'] as const) {
      engine.renderer = way === 'deferred' ? 'deferred' : 'forward';
      engine.antialias = way === 'smooth';
      engine.hdr = way !== 'display';
      engine.exposure = way === 'exposed' ? 0.5 : 1;
      seen[way] = await look(whole);
    }
    engine.exposure = 1;
    world.activeCamera = deep;
    seen.perspective = await look(whole.slice(0, 4));
    world.activeCamera = flat;
    const half = { y: 0, width: 0.5, height: 1 };
    engine.addView({ camera: flat, rect: { x: 0, ...half }, antialias: true });
    engine.addView({ camera: deep, rect: { x: 0.5, ...half } });
    seen.views = await look([8, 32, 56, 72, 96, 120].map((x) => [x, 64] as const));
    return seen;
  },
  (found) => {
    const seen = found as Record<string, number[]>;
    // White with an alpha of a half, of a quarter and of 1, blended as light.
    const [left, middle, free] = [188, 137, 255];
    for (const name of ['forward', 'deferred', 'smooth', 'perspective']) {
      expect(seen[name]!.slice(0, 3), name).toEqual([left, middle, free]);
      expect(Math.abs(seen[name]![3]! - left), name).toBeLessThan(3);
    }
    // At the edge of the walls, the mean of both: 0.375.
    expect(seen.smooth![4]).toBe(165);
    // Blended as display colours.
    expect(seen.display!.slice(0, 3)).toEqual([128, 64, 255]);
    expect(seen.exposed!.slice(0, 3)).toEqual([137, 99, 188]);
    expect(seen.views).toEqual([left, middle, free, left, middle, free]);
  },
);

interface Spot {
  /** Number of lit pixels, and their middle in metres. */
  readonly area: number;
  readonly x: number;
  readonly y: number;
}

inEveryMode(
  'R14: particles bounce off the surfaces that the active camera saw in the last frame',
  async (engine: Engine) => {
    const { fencepost } = window;
    const { world } = engine;
    engine.background = '#000';
    const flat = world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const deep = world.addCamera({ position: [0, 0, 10], fovY: 2 * Math.atan(0.4), far: 100 });
    world.activeCamera = flat;
    // A wall whose normal points half to the right and half to the camera.
    const wall = world.addMesh({
      geometry: fencepost.planeGeometry({ size: 3 }),
      material: fencepost.unlitMaterial({ baseColor: '#000' }),
      position: [0, 0, -1],
    });
    wall.rotateY(Math.PI / 4);
    const texture = fencepost.texture({ width: 1, height: 1, data: new Uint8Array(4).fill(255) });
    const collide = { against: 'depth', bounce: 1, friction: 0 } as const;
    const still = { rate: 0, life: 100, spread: 0, size: 0.5, color: '#0f0', texture, collide } as const;
    const spot = async (): Promise<Spot> => {
      const { data, width } = await engine.captureFrame();
      let [area, x, y] = [0, 0, 0];
      for (let at = 1; at < data.length; at += 4) {
        if ((data[at] as number) < 64) continue;
        area++;
        x += ((at >> 2) % width) + 0.5 - 64;
        y += 64 - Math.floor((at >> 2) / width) - 0.5;
      }
      return { area, x: Math.round((x / area / 16) * 100) / 100, y: Math.round((y / area / 16) * 100) / 100 };
    };
    // Particles fly away from the camera, and after half a second, they hit the wall.
    const fly = { ...still, velocity: [0, 0, -2] } as const;
    const seen: Record<string, Spot> = {};
    for (const way of ['flat', 'deep', 'smooth', 'steps'] as const) {
      world.activeCamera = way === 'deep' ? deep : flat;
      engine.renderer = way === 'deep' ? 'deferred' : 'forward';
      engine.antialias = way === 'smooth';
      const thrown = world.addParticles(fly);
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      thrown.root.emit(1);
      await engine.step(0);
      if (way === 'steps') for (let step = 0; step < 6; step++) await engine.step(0.25);
      else await engine.step(1.5);
      seen[way] = await spot();
      thrown.destroy();
    }
    // Without the depth of a last frame, particles fly through the wall, which then hides them.
    const hidden = world.addParticles({ ...fly, visible: false });
    hidden.root.emit(1);
    await engine.step(0);
    hidden.visible = true;
    await engine.step(1.5);
    seen.shown = await spot();
    hidden.destroy();
    const cut = world.addParticles(fly);
    world.activeCamera = deep;
    cut.root.emit(1);
    await engine.step(0);
    await engine.step(0);
    world.activeCamera = flat;
    await engine.step(1.5);
    seen.cut = await spot();
    cut.destroy();
    // Particles that are further behind the wall than its thickness pass behind it.
    const behind = world.addParticles({ ...still, position: [-2, 1, -4], velocity: [2, 0, 0] });
    await engine.step(0);
    await engine.step(0);
    behind.root.emit(1);
    await engine.step(0);
    await engine.step(2);
    seen.behind = await spot();
    behind.destroy();
    world.addParticles(fly);
    await engine.step(0);
    return seen;
  },
  (found) => {
    const seen = found as Record<string, Spot>;
    // The bounce turns the way to the right: 1 m to the wall, then 2 m.
    for (const name of ['flat', 'smooth', 'steps']) {
      expect(seen[name]!.area, name).toBeGreaterThan(60);
      expect(seen[name]!.x, name).toBeCloseTo(2, 1);
      expect(seen[name]!.y, name).toBe(0);
    }
    // 11 m in front of the camera.
    expect(seen.deep!.x).toBeCloseTo(1.82, 1);
    expect(Math.abs(seen.deep!.y)).toBeLessThan(0.05);
    expect([seen.shown!.area, seen.cut!.area]).toEqual([0, 0]);
    expect(seen.behind).toEqual({ area: 64, x: 2, y: 1 });
  },
);
