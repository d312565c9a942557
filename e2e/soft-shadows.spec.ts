import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

interface Seen {
  /** Share of the light that reaches the darkest pixel of an empty floor at flat angles, by kind of light and angle. */
  readonly lit: Record<string, number>;
  /** Distance in pixels between the expected and the measured edge of a soft shadow, by kind of light. */
  readonly edges: Record<string, number>;
  /**
   * Share of the light that reaches the darkest pixel in the shadow of a rod. The rod hangs high above the
   * floor or just above it.
   */
  readonly darkest: { readonly high: number; readonly low: number };
}

inEveryMode(
  'R11: a soft shadow lies where the hard one does, a floor does not shadow itself, and a thin high caster leaves no dark specks',
  async (engine) => {
    const { planeGeometry, standardMaterial } = window.fencepost;
    const { world } = engine;
    const white = standardMaterial({ baseColor: '#fff', roughness: 1 });
    // The floor is seen from above. A pixel shows 1/16 m.
    const rotation = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
    world.addCamera({ position: [0, 20, 0], rotation, orthographic: { halfHeight: 4 }, far: 50 });
    world.addMesh({ geometry: planeGeometry({ size: 20, facing: 'y' }), material: white });
    const linear = (value: number): number =>
      value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    const picture = async () => {
      await engine.step(0);
      return engine.captureFrame();
    };
    /** Returns the share of the light that a shadow leaves, per pixel of the middle rows. */
    const shares = async (light: { castShadow: unknown }, softness: number): Promise<number[][]> => {
      light.castShadow = false;
      const lit = await picture();
      light.castShadow = { softness };
      const shadowed = await picture();
      return Array.from({ length: 64 }, (_, row) =>
        Array.from({ length: 128 }, (_, x) => {
          const at = ((row + 32) * 128 + x) * 4;
          return linear(shadowed.data[at] ?? 0) / linear(lit.data[at] ?? 0);
        }),
      );
    };

    const lit: Record<string, number> = {};
    for (const elevation of [0.5, 0.2]) {
      const [x, y] = [Math.cos(elevation), Math.sin(elevation)];
      for (const kind of ['directional', 'point'] as const) {
        const light =
          kind === 'point'
            ? world.addPointLight({ position: [-12 * x, 12 * y, 0], intensity: 300 })
            : world.addDirectionalLight({ direction: [x, -y, 0], intensity: 3 });
        lit[`${kind}, ${elevation}`] = Math.min(...(await shares(light.root, 0.3)).flat());
        light.destroy();
      }
    }

    // The plate's edge at (−1, 1, 0) casts its shadow to (1, 0, 0), at a flat angle.
    const plate = world.addMesh({
      geometry: planeGeometry({ width: 2, height: 16, facing: 'y' }),
      material: white,
      position: [-2, 1, 0],
    });
    const place = { position: [-7, 4, 0], intensity: 200 } as const;
    const direction = [2, -1, 0] as const;
    const lights = {
      directional: () => world.addDirectionalLight({ direction, intensity: 3 }),
      spot: () => world.addSpotLight({ ...place, direction, outerConeAngle: 0.6 }),
      point: () => world.addPointLight(place),
    };
    const edges: Record<string, number> = {};
    for (const [kind, add] of Object.entries(lights)) {
      const actor = add();
      const rows = await shares(actor.root, kind === 'directional' ? 0.05 : 0.3);
      const columns = Array.from(
        { length: 128 },
        (_, x) => rows.reduce((sum, row) => sum + (row[x] ?? 0), 0) / rows.length,
      );
      const dark = columns.findLastIndex((share) => share < 0.5);
      const [below = 0, above = 0] = columns.slice(dark, dark + 2);
      // Pixel 80 begins at 1 m. Shares are measured at the pixels' centres.
      edges[kind] = dark + 0.5 + (0.5 - below) / (above - below) - 80;
      actor.destroy();
    }
    plate.destroy();

    const rod = world.addMesh({
      geometry: planeGeometry({ width: 0.04, height: 16, facing: 'y' }),
      material: white,
    });
    const sun = world.addDirectionalLight({ direction: [1, -1, 0], intensity: 3 });
    const darkestAt = async (height: number): Promise<number> => {
      rod.position.set(-1, height, 0);
      const rows = await shares(sun.root, 0.05);
      // The rod itself, which shows at −1 m, is left out.
      return Math.min(...rows.flatMap((row) => row.filter((_, x) => x < 46 || x > 49)));
    };
    return { lit, edges, darkest: { low: await darkestAt(0.2), high: await darkestAt(3) } };
  },
  (seen) => {
    const { lit, edges, darkest } = seen as Seen;
    for (const [kind, share] of Object.entries(lit)) {
      expect.soft(share, `${kind}: share of the light that reaches the empty floor`).toBeGreaterThan(0.98);
    }
    for (const [kind, pixels] of Object.entries(edges)) {
      expect
        .soft(Math.abs(pixels), `${kind}: pixels between the shadow's edge and its place`)
        .toBeLessThan(1);
    }
    expect.soft(darkest.high, 'light in the shadow of a rod that is far above').toBeGreaterThan(0.5);
    expect.soft(darkest.low, 'light in the shadow of a rod that is near').toBeLessThan(0.5);
  },
);
