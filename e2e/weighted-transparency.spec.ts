import type { Actor, Engine } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// R12, R14: blended surfaces that are added up with weights.

type Pixels = Record<string, number[]>;

inEveryMode(
  'R14: weighted transparency shows intersecting surfaces alike in every order, and layers nearly as sorted ones',
  async (engine: Engine) => {
    const { boxGeometry, planeGeometry, standardMaterial, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    const camera = world.addCamera({ position: [0, 0, 4], orthographic: { halfHeight: 1 } });
    const geometry = planeGeometry({ size: 1.8 });
    const wall = unlitMaterial({ baseColor: '#fff', toneMapped: true });
    const back = world.addMesh({
      geometry: planeGeometry({ size: 3 }),
      material: wall,
      position: [0, 0, -2],
    });
    const glassy = (color: [number, number, number, number], toneMapped = true) =>
      unlitMaterial({ baseColor: color, toneMapped, doubleSided: true });
    const seen: Pixels = {};
    const look = async (name: string): Promise<void> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      const at = (x: number) =>
        window.kit.pixel(frame, Math.floor(frame.width * x), frame.height / 2 + 1).slice(0, 3);
      seen[name] = [...at(0.3), ...at(0.7)];
    };
    // Two quads cross each other in the middle of the picture.
    const cross = (order: readonly number[]): Actor[] =>
      order.map((index) => {
        const material = glassy(index ? [0, 0, 1, 0.5] : [1, 0, 0, 0.5]);
        const angle = index ? 0.5 : -0.5;
        return world.addMesh({
          geometry,
          material,
          rotation: [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)],
        });
      });
    const clear = (actors: readonly Actor[]): void => {
      for (const actor of actors) actor.destroy();
    };
    const ways = ['forward', 'deferred', 'smooth', 'display', 'toned'] as const;
    for (const way of ways) {
      engine.renderer = way === 'deferred' ? 'deferred' : 'forward';
      engine.antialias = way === 'smooth';
      engine.hdr = way !== 'display';
      // With an exposure of 0.5, unlit colours without tone mapping have a target of their own.
      engine.exposure = way === 'toned' ? 0.5 : 1;
      engine.transparency = 'weighted';
      for (const order of [
        [0, 1],
        [1, 0],
      ]) {
        const actors = cross(order);
        await look(`${way}, cross ${order}`);
        clear(actors);
      }
      const layers = [
        world.addMesh({ geometry, material: glassy([1, 0, 0, 0.5]), position: [0, 0, 0] }),
        world.addMesh({ geometry, material: glassy([0, 1, 0, 0.5]), position: [0, 0, 0.8] }),
      ];
      await look(`${way}, weighted`);
      engine.transparency = 'sorted';
      await look(`${way}, sorted`);
      engine.transparency = 'weighted';
      layers[0]!.destroy();
      await look(`${way}, one`);
      engine.transparency = 'sorted';
      await look(`${way}, one sorted`);
      clear(layers.slice(1));
      engine.transparency = 'weighted';
      // An unlit surface without tone mapping, over and under a tone-mapped one.
      const mixed = [
        world.addMesh({ geometry, material: glassy([1, 0, 0, 0.5], false), position: [0, 0, 0] }),
        world.addMesh({ geometry, material: glassy([0, 1, 0, 0.5]), position: [0, 0, 0.8] }),
      ];
      await look(`${way}, mixed`);
      engine.transparency = 'sorted';
      await look(`${way}, mixed sorted`);
      clear(mixed);
    }
    engine.exposure = 1;
    engine.antialias = false;
    engine.hdr = true;
    for (const renderer of ['forward', 'deferred'] as const) {
      engine.renderer = renderer;
      for (const transparency of ['sorted', 'weighted'] as const) {
        engine.transparency = transparency;
        // Glass behind, a blended surface before it, and light that is added last.
        const glass = standardMaterial({ transmission: 1, roughness: 0, baseColor: '#f0f', ior: 1 });
        const light = unlitMaterial({
          baseColor: [0.2, 0.2, 0.2, 1],
          blending: 'additive',
          toneMapped: true,
        });
        const actors = [
          world.addMesh({
            geometry: boxGeometry({ size: [1.8, 1.8, 0.02] }),
            material: glass,
            position: [0, 0, -1],
          }),
          world.addMesh({ geometry, material: glassy([0, 1, 0, 0.5]) }),
          world.addMesh({ geometry, material: light, position: [0, 0, -0.5] }),
        ];
        await look(`${renderer}, glass ${transparency}`);
        clear(actors);
        // A surface behind an opaque thing stays hidden.
        const hidden = world.addMesh({ geometry, material: glassy([0, 0, 1, 0.5]), position: [0, 0, -3] });
        await look(`${renderer}, hidden ${transparency}`);
        clear([hidden]);
      }
    }
    // One view with weights beside one that sorts.
    engine.renderer = 'forward';
    engine.transparency = 'sorted';
    world.addMesh({ geometry, material: glassy([1, 0, 0, 0.5]), position: [0, 0, 0] });
    world.addMesh({ geometry, material: glassy([0, 1, 0, 0.5]), position: [0, 0, 0.8] });
    const rect = { x: 0, y: 0, width: 0.5, height: 1 };
    engine.addView({ camera, rect, transparency: 'weighted' });
    engine.addView({ camera, rect: { ...rect, x: 0.5 } });
    await look('views');
    back.destroy();
    await look('views without wall');
    return seen;
  },
  (found) => {
    const seen = found as Pixels;
    const near = (name: string, other: string, most: number): void => {
      for (const [index, value] of seen[name]!.entries()) {
        const difference = Math.abs(value - seen[other]![index]!);
        expect(difference, `${name}: ${seen[name]}, ${other}: ${seen[other]}`).toBeLessThanOrEqual(most);
      }
    };
    for (const way of ['forward', 'deferred', 'smooth', 'display', 'toned']) {
      near(`${way}, cross 0,1`, `${way}, cross 1,0`, 1);
      // The nearer quad has the larger share, which is red at one side and blue at the other.
      const [redLeft, , blueLeft, redRight, , blueRight] = seen[`${way}, cross 0,1`]!;
      expect(Math.sign(redLeft! - blueLeft!) * Math.sign(redRight! - blueRight!), JSON.stringify(seen)).toBe(
        -1,
      );
      near(`${way}, one`, `${way}, one sorted`, 1);
      near(`${way}, weighted`, `${way}, sorted`, 14);
      near(`${way}, mixed`, `${way}, mixed sorted`, 14);
      expect(seen[`${way}, weighted`]).not.toEqual(seen[`${way}, sorted`]);
    }
    for (const renderer of ['forward', 'deferred']) {
      near(`${renderer}, hidden weighted`, `${renderer}, hidden sorted`, 0);
      // The sorted green surface dims the light behind it. With weights, the light is added undimmed at the end.
      near(`${renderer}, glass weighted`, `${renderer}, glass sorted`, 40);
      expect(seen[`${renderer}, glass weighted`]![0]).toBeGreaterThan(seen[`${renderer}, glass sorted`]![0]!);
    }
    expect(seen.views!.slice(0, 3)).toEqual(seen['forward, weighted']!.slice(0, 3));
    expect(seen.views!.slice(3)).toEqual(seen['forward, sorted']!.slice(3));
  },
);
