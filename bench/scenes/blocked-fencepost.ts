/** B3 with this engine: the bar turns by a declared motion, and the page does nothing else. */
import {
  boxGeometry,
  createEngine,
  type Engine,
  spin,
  type ThreadingMode,
  unlitMaterial,
} from '../../src/index.js';
import { BAR, type BlockedScene, barAngle, DISTANCE, RATE } from '../lib/blocked.js';

declare const FENCEPOST_VERSION: string;

export function fencepost(threading: ThreadingMode): BlockedScene {
  let engine: Engine;
  return {
    name: 'fencepost',
    version: FENCEPOST_VERSION,
    async start(canvas) {
      engine = await createEngine(canvas, { threading });
      const { world } = engine;
      world.addCamera({ position: [0, 0, DISTANCE] });
      const bar = world.addMesh({ geometry: boxGeometry({ size: [...BAR] }), material: unlitMaterial() });
      bar.motion = spin({ axis: [0, 0, 1], radiansPerSecond: RATE });
      engine.start();
      await engine.whenReady();
    },
    presentedFrames: () => engine.stats().presentedFrames,
    async shownRadians() {
      const { width, height, data } = await engine.captureFrame();
      return barAngle(width, height, data);
    },
  };
}
