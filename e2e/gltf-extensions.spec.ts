/** Content of glTF extensions in a scene, through the public API. */

import { extendedGltf } from './extended-gltf.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { modesOf } from './threading-modes.js';

declare global {
  interface Window {
    extendedGltf: typeof extendedGltf;
  }
}

const BLACK = '0,0,0';
const WHITE = '255,255,255';
const RED = '255,0,0';
const GREEN = '0,255,0';

for (const isolated of [true, false]) {
  test(`variants, instances, levels of detail and hidden nodes of a file work, in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openEnginePage(page, isolated ? isolatedURL : plainURL);
    await page.evaluate(`window.extendedGltf = ${extendedGltf}`);
    const seen = await page.evaluate(async (modes) => {
      const { fencepost, kit } = window;
      const results: object[] = [];
      for (const threading of modes) {
        const engine = await fencepost.createEngine(kit.view, {
          threading,
          background: '#000',
          antialias: false,
          toneMapping: 'none',
        });
        const { world } = engine;
        // 16 pixels are 1 m.
        world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
        const level = await world.load(window.extendedGltf());
        const look = async (...places: readonly (readonly [number, number])[]) => {
          await engine.step(0);
          const frame = await engine.captureFrame();
          return places.map(([x, y]) =>
            kit
              .pixel(frame, Math.round(64 + x * 16), Math.round(64 - y * 16))
              .slice(0, 3)
              .join(),
          );
        };
        const shoe = [-2, 0] as const;
        const first = await look(shoe);
        const variants = [level.variant, ...level.variants];
        level.variant = 'red';
        const red = await look(shoe);
        // The topmost instance is turned by 45° and scaled by √½. Its corners reach 0.5 m from its centre, its sides
        // only 0.35 m.
        const row = await look([0, -1], [0, 0], [0, 1], [0.45, -1.4], [0.45, 1.4], [0, 1.4], [0.7, 0]);
        const second = level.clone({ position: [0, 3, 0] });
        second.variant = 'green';
        const both = await look(shoe, [-2, 3]);
        second.unload();
        level.variant = null;
        const last = await look(shoe);
        const picked = await Promise.all([0, 1, 2].map((y) => engine.pick(64, 64 + (1 - y) * 16)));
        const hidden = await look([2, 0]);
        level.find('ghost')!.visible = true;
        const shown = await look([2, 0]);
        // The bounding sphere of a square of 1 m covers 0.18 of the height.
        const lamp: string[] = [];
        for (const size of [1, 2, 0.5, 0.05]) {
          level.find('lamp')!.scale.set(size, size, size);
          lamp.push(...(await look([2, -1])));
        }
        const copy = level.find('lamp')!.clone({ position: [2, 2, 0] });
        lamp.push(...(await look([2, 2])));
        copy.scale.set(2, 2, 2);
        lamp.push(...(await look([2, 2])), world.raycast([2, -1, 9], [0, 0, -1])?.actor.name ?? '');
        const refusals = ['blue', 3].map((name) => {
          try {
            level.variant = name as string;
            return 'taken';
          } catch (error) {
            return (error as { code: string }).code;
          }
        });
        results.push({
          first,
          variants,
          red,
          row,
          both,
          last,
          picked: picked.map((hit) => [hit?.actor.name, hit?.primitive, hit?.instance]),
          hidden,
          shown,
          lamp,
          refusals,
          warnings: level.warnings,
          leaks: (await engine.dispose()).leaks,
        });
      }
      return results;
    }, modesOf(isolated));
    expect(seen).toHaveLength(modesOf(isolated).length);
    for (const result of seen) {
      expect(result).toEqual({
        first: [WHITE],
        variants: [null, 'red', 'green'],
        red: [RED],
        row: [WHITE, WHITE, WHITE, WHITE, BLACK, WHITE, BLACK],
        both: [RED, GREEN],
        last: [WHITE],
        picked: [
          ['row', 0, 0],
          ['row', 0, 1],
          ['row', 0, 2],
        ],
        hidden: [BLACK],
        shown: [WHITE],
        // At a scale of 0.05 the lamp is not drawn. Its copy has only the finest level, so the copy shows only
        // while it is large enough for that level.
        lamp: [RED, WHITE, GREEN, BLACK, BLACK, WHITE, 'lamp'],
        refusals: ['variant-unknown', 'variant-unknown'],
        warnings: [],
        leaks: [],
      });
    }
  });
}
