import type { Actor } from 'fencepost';
import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

interface Seen {
  /** Number of shadow pixels, of 128 × 128, by kind of light, for scenes of millimetres, metres and kilometres. */
  readonly shadowed: Record<string, number[]>;
}

inEveryMode(
  'R11: lights of all kinds cast the same shadows in scenes of millimetres, metres and kilometres',
  async (engine) => {
    const { boxGeometry, planeGeometry, standardMaterial } = window.fencepost;
    const { world } = engine;
    const white = standardMaterial({ baseColor: '#fff', roughness: 1 });
    const kinds = ['directional', 'spot', 'point'] as const;
    const shadowed: Record<string, number[]> = {};
    let before: Actor[] = [];
    for (const kind of kinds) {
      const counts: number[] = [];
      for (const size of [1e-3, 1, 1e3]) {
        for (const actor of before) actor.destroy();
        const camera = world.addCamera({
          position: [0, 3 * size, 5 * size],
          lookAt: [0, 0.5 * size, 0],
          near: 0.1 * size,
        });
        const scene = [
          camera,
          world.addMesh({ geometry: planeGeometry({ size: 12 * size, facing: 'y' }), material: white }),
          world.addMesh({
            geometry: boxGeometry({ size: [size, 0.1 * size, size] }),
            material: white,
            position: [0, size, 0],
          }),
        ];
        const place = { position: [size, 4 * size, size] as const, intensity: 40 * size * size };
        const direction = [-1, -4, -1] as const;
        const light = {
          directional: () => world.addDirectionalLight({ direction, intensity: 3 }),
          spot: () => world.addSpotLight({ ...place, direction }),
          point: () => world.addPointLight(place),
        }[kind]();
        const picture = async (castShadow: boolean) => {
          light.root.castShadow = castShadow;
          await engine.step(0);
          return (await engine.captureFrame()).data;
        };
        const lit = await picture(false);
        const dark = await picture(true);
        counts.push(dark.filter((value, at) => at % 4 === 1 && value < (lit[at] ?? 0) / 2).length);
        before = [...scene, light];
      }
      shadowed[kind] = counts;
    }
    return { shadowed };
  },
  (seen) => {
    for (const [kind, [small, middle, large]] of Object.entries((seen as Seen).shadowed)) {
      expect.soft(middle, `${kind}: pixels in shadow`).toBeGreaterThan(300);
      // Pixels at the shadow's edge depend on the rounding of positions.
      expect.soft(Math.abs(small! - middle!), `${kind}: of millimetres`).toBeLessThan(20);
      expect.soft(Math.abs(large! - middle!), `${kind}: of kilometres`).toBeLessThan(20);
    }
  },
);
