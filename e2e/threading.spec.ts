/** One scene in every threading mode. The pixels must not differ by a single byte. */

import type { Page } from '@playwright/test';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { referenceGlb } from './reference-glb.js';

interface Picture {
  readonly hash: string;
  readonly colors: number;
  readonly drawCalls: number;
}

/** Loads the scene, steps three frames with motion, and captures the last one. */
function picture(
  page: Page,
  glb: string,
  threading: 'single' | 'render' | 'render+rhi',
  oneFrameThreadLag: boolean,
): Promise<Picture> {
  return page.evaluate(
    async ([base64, threading, oneFrameThreadLag]) => {
      const { createEngine } = window.fencepost;
      const engine = await createEngine(window.kit.view, {
        threading,
        oneFrameThreadLag,
        background: '#123',
      });
      const { world } = engine;
      const level = await world.load(window.kit.bytes(base64));
      world.addCamera({ position: [1.5, 1.2, 3], lookAt: [0.2, 0, 0], fovY: 0.8, near: 0.1, far: 50 });
      const [first] = level.actors;
      world.onTick((deltaSeconds) => first!.rotateY(deltaSeconds));
      // The steps are not awaited one by one. With lag, the game is then a frame ahead of the drawing.
      await Promise.all([engine.step(0.1), engine.step(0.1), engine.step(0.1)]);
      const frame = await engine.captureFrame();
      const { drawCalls, skippedDraws } = engine.stats();
      if (skippedDraws !== 0) throw new Error(`${skippedDraws} draws were skipped`);
      await engine.dispose();
      const colors = new Set(new Uint32Array(frame.data.buffer)).size;
      return { hash: window.kit.hash(frame.data), colors, drawCalls };
    },
    [glb, threading, oneFrameThreadLag] as const,
  );
}

test('H2 H9: single, render and render+rhi give equal bytes, isolated and not, with and without lag', async ({
  page,
  isolatedURL,
  plainURL,
}) => {
  test.setTimeout(timeLimit(180_000));
  const glb = await referenceGlb();
  const pictures = new Map<string, Picture>();
  for (const [origin, isolation] of [
    [isolatedURL, 'isolated'],
    [plainURL, 'not isolated'],
  ] as const) {
    await openEnginePage(page, origin);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(isolation === 'isolated');
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      for (const lag of [true, false]) {
        pictures.set(
          `${threading}, ${isolation}, lag ${lag ? 'on' : 'off'}`,
          await picture(page, glb, threading, lag),
        );
      }
    }
  }
  console.log(
    [...pictures].map(([run, { hash, colors }]) => `${run}: ${hash}, ${colors} colours`).join('\n'),
  );
  expect(pictures.size).toBe(12);
  expect(new Set([...pictures.values()].map(({ hash }) => hash)).size).toBe(1);
  // A black or uniform picture would be equal in all modes, too.
  const [reference] = pictures.values();
  expect(reference!.colors).toBeGreaterThan(500);
  expect(reference!.drawCalls).toBeGreaterThanOrEqual(3);
});
