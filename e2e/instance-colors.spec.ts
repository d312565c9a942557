import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// G2: instances with individual colours, through the public API.

inEveryMode(
  'G2: lit instances have their own colours, forward and deferred, also after their number grows; their alpha masks the picture, the shadow and picks',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    // Objects at z = 0 cast their shadows on the floor 1 m to the right.
    world.addDirectionalLight({ direction: [1, 0, -1], intensity: 4, castShadow: true });
    const geometry = fencepost.planeGeometry({ size: 0.8 });
    const floor = fencepost.standardMaterial({ baseColor: [0, 0, 1], roughness: 1 });
    world.addMesh({
      geometry: fencepost.planeGeometry({ size: 20 }),
      material: floor,
      position: [0, 0, -1],
      castShadow: false,
    });
    const material = fencepost.standardMaterial({
      baseColor: [1, 0.5, 0],
      roughness: 1,
      alphaMode: 'mask',
      alphaCutoff: 0.5,
    });
    const tiles = world.addInstances({
      geometry,
      material,
      count: 3,
      colors: fencepost.instanceColors('rgba'),
    });
    // The places are at x = -2, from the bottom up.
    for (let place = 0; place < 3; place++) tiles.positions.set([-2, place * 2 - 3, 0], place * 3);
    tiles.colors.set([1, 0, 0, 1], 0); // red
    tiles.colors.set([0, 4, 0, 0.4], 4); // cut out
    tiles.touch();
    await engine.step(0);
    tiles.count = 4;
    tiles.positions.set([-2, 3, 0], 9);
    tiles.touch(3);
    tiles.colors.set([0, 1, 0, 1], 8); // green, from now on
    tiles.touch(2, 1);
    // This change is not announced with `touch`, so it must not show.
    tiles.colors.set([0, 0, 0, 1], 0);

    const look = async () => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      const rows = [];
      for (let place = 0; place < 4; place++) {
        const y = 127 - (place * 32 + 16);
        const [red = 0, green = 0, blue = 0] = kit.pixel(frame, 32, y);
        // The floor's blue in the shadow and in the light.
        const [, , shadow = 0] = kit.pixel(frame, 48, y);
        const [, , lit = 0] = kit.pixel(frame, 100, y);
        rows.push([
          `${red > 30 ? 'red ' : ''}${green > 30 ? 'green ' : ''}${blue > 30 ? 'blue' : ''}`.trim(),
          shadow < lit / 2 ? 'shadow' : 'light',
        ]);
      }
      return rows;
    };
    const forward = await look();
    const picks = [];
    for (let place = 0; place < 4; place++) {
      const picked = await engine.pick(32, 127 - (place * 32 + 16));
      picks.push(picked!.component === tiles ? picked!.instance : 'floor');
    }
    engine.renderer = 'deferred';
    const deferred = await look();
    const code = (run: () => unknown): string => {
      try {
        run();
        return 'nothing';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const clone = tiles.clone();
    const bad = [
      code(() => fencepost.instanceColors('hsl' as never)),
      code(() => world.addInstances({ geometry, count: 1, colors: 'rgb' as never })),
      code(() => tiles.colors.fill(Number.NaN) && tiles.touch()),
      code(() => tiles.colors.fill(-1) && tiles.touch(1, 1)),
    ];
    // Writing without `touch` leaves the picture unchanged.
    tiles.colors.set([1, 0, 0, 1, 0, 4, 0, 0.4, 0, 1, 0, 1, 1, 1, 1, 1]);
    return {
      forward,
      picks,
      deferred,
      bad,
      cloned: [...clone.colors.slice(0, 8)],
      sizes: tiles.colors.length,
    };
  },
  (seen) => {
    const rows = [
      ['red', 'shadow'],
      ['blue', 'light'],
      ['green', 'shadow'],
      ['red green', 'shadow'],
    ];
    expect(seen).toEqual({
      forward: rows,
      picks: [0, 'floor', 2, 3],
      deferred: rows,
      bad: ['option-invalid', 'option-invalid', 'option-out-of-range', 'option-out-of-range'],
      cloned: [0, 0, 0, 1, 0, 4, 0, Math.fround(0.4)],
      sizes: 16,
    });
  },
);

inEveryMode(
  'G4: colours that are touched in a later frame are drawn, and no others',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    const tiles = Array.from({ length: 2 }, (_, column) =>
      world.addInstances({
        geometry: fencepost.planeGeometry({ size: 2 }),
        material: fencepost.unlitMaterial({ baseColor: '#fff' }),
        count: 2,
        colors: fencepost.instanceColors('rgb'),
        position: [column * 4 - 2, 0, 0],
      }),
    );
    for (const each of tiles) {
      each.positions.set([0, -2, 0, 0, 2, 0]);
      each.touch();
    }
    await engine.step(0);
    const [left, right] = tiles;
    left!.colors.fill(0, 1, 3); // the lower left one becomes red
    left!.touch(0, 1);
    right!.colors.fill(0); // not announced with `touch`
    await engine.step(0);
    const frame = await engine.captureFrame();
    return [
      [32, 96],
      [32, 32],
      [96, 96],
      [96, 32],
    ].map(([x, y]) => kit.pixel(frame, x!, y!).slice(0, 3).join(' '));
  },
  (seen) => {
    const white = '255 255 255';
    expect(seen).toEqual(['255 0 0', white, white, white]);
  },
);
