/** B15 with this engine and its defaults. */
import { createEngine } from '../../src/index.js';
import type { LoadingScene } from '../pages/load.js';

declare const FENCEPOST_VERSION: string;

export const scene: LoadingScene = {
  name: 'fencepost',
  version: FENCEPOST_VERSION,
  async start(canvas) {
    const engine = await createEngine(canvas, { pixelRatio: 1, antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 6, 9], lookAt: [0, 0, 0], fovY: 0.9 });
    world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
    await engine.whenReady();
    await engine.step(0);
    return async (url) => {
      const level = await world.load(url);
      await engine.step(0);
      await engine.flush();
      if (level.warnings.length > 0) throw new Error(level.warnings.join(' '));
    };
  },
};
