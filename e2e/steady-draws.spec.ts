import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { isolationsOf } from './threading-modes.js';

// 72 boxes whose draws can't merge become a draw bundle once they have stayed the same
// (src/render/draws/steady-draws.ts). The bundle has to show later changes of the boxes, and to be replaced
// when draws are added or removed.

const COLUMNS = 8;
/** Distance of neighbouring boxes in pixels, in a view of 128 × 128. */
const CELL = 16;

for (const threading of ['single', 'render', 'render+rhi'] as const) {
  for (const isolation of isolationsOf(threading)) {
    test(`steady draws show changes made after their bundle was created: ${threading}, ${isolation}`, async ({
      page,
      isolatedURL,
      plainURL,
    }) => {
      await openEnginePage(page, isolation === 'isolated' ? isolatedURL : plainURL);
      const seen = await page.evaluate(
        async ({ threading, COLUMNS, CELL }) => {
          const { boxGeometry, createEngine, unlitMaterial } = window.fencepost;
          const engine = await createEngine(window.kit.view, { threading, antialias: 1, background: '#000' });
          const { world } = engine;
          world.addCamera({ position: [0, 0, 10], lookAt: [0, 0, 0], orthographic: { halfHeight: 4 } });
          const boxes = Array.from({ length: 72 }, (_, index) => {
            const material = unlitMaterial({ baseColor: `#${(0x402010 + index).toString(16)}` });
            const column = index % COLUMNS;
            const row = Math.floor(index / COLUMNS) % COLUMNS;
            return {
              material,
              // The last row lies behind the first.
              actor: world.addMesh({
                geometry: boxGeometry({ size: 0.4 + index / 1000 }),
                material,
                position: [column - 3.5, 3.5 - row, index < 64 ? 0 : -2],
              }),
            };
          });
          const bytes: number[] = [];
          const step = async () => {
            await engine.step(0.1);
            bytes.push(engine.stats().rhiCommandBytes);
          };
          const look = async (cells: readonly (readonly [index: number, right: number])[]) => {
            const frame = await engine.captureFrame();
            return cells.map(([index, right]) => {
              const x = (index % COLUMNS) * CELL + CELL / 2 + right;
              const y = Math.floor(index / COLUMNS) * CELL + CELL / 2;
              return window.kit.pixel(frame, x, y).slice(0, 3);
            });
          };
          for (let frame = 0; frame < 6; frame++) await step();
          const drawCalls = engine.stats().drawCalls;
          const first = await look([
            [0, 0],
            [10, 0],
            [20, 0],
            [63, 0],
          ]);
          // One box moves into the gap to its neighbour, and one changes its colour. Neither adds or removes a
          // draw.
          (boxes[10] as (typeof boxes)[number]).actor.position.x += 0.5;
          (boxes[20] as (typeof boxes)[number]).material.baseColor = '#00ff00';
          await step();
          const moved = await look([
            [10, 0],
            [10, CELL / 2],
            [20, 0],
          ]);
          const bytesWhenMoved = bytes.at(-1);
          // A hidden box removes one draw, and showing it brings the draw back.
          (boxes[30] as (typeof boxes)[number]).actor.visible = false;
          await step();
          const hidden = await look([
            [30, 0],
            [20, 0],
            [63, 0],
          ]);
          (boxes[30] as (typeof boxes)[number]).actor.visible = true;
          for (let frame = 0; frame < 8; frame++) await step();
          const back = await look([
            [30, 0],
            [10, CELL / 2],
          ]);
          const { leaks } = await engine.dispose();
          return { bytes, drawCalls, first, moved, bytesWhenMoved, hidden, back, leaks };
        },
        { threading, COLUMNS, CELL },
      );
      const colorOf = (index: number): number[] => [0x40, 0x20, 0x10 + index];
      const black = [0, 0, 0];
      const green = [0, 255, 0];
      expect(seen.drawCalls).toBe(73);
      expect(seen.first).toEqual([colorOf(0), colorOf(10), colorOf(20), colorOf(63)]);
      expect(seen.moved).toEqual([black, colorOf(10), green]);
      expect(seen.hidden).toEqual([black, green, colorOf(63)]);
      expect(seen.back).toEqual([colorOf(30), colorOf(10)]);
      // A frame with the bundle records one command that names the bundle. A frame without the bundle records
      // 72 draws. The second frame is the last frame without the bundle.
      const [, recorded = 0, , , , bundled = 0] = seen.bytes;
      expect(bundled).toBeLessThan(recorded / 3);
      expect(seen.bytesWhenMoved).toBeLessThan(recorded);
      expect(seen.leaks).toEqual([]);
    });
  }
}
