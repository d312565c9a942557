/**
 * Measures the times between completed frames of an engine that draws as fast as it can. Meshes that cannot merge keep
 * the RHI busy. Every tenth frame sends new geometry, whose upload makes that frame longer.
 *
 *   frame        1   2   3   …   10         11
 *   upload                       ▓▓▓▓
 *   completed    │   │   │   …   │          │        one sample per gap
 */
import {
  createEngine,
  geometry,
  sphereGeometry,
  standardMaterial,
  type ThreadingMode,
} from '../../src/index.js';
import {
  CANVAS_SIZE,
  colorOf,
  FOV_Y,
  NEAR,
  positionOf,
  trianglePositions,
  yawOf,
} from '../lib/unmergeable.js';

const MESHES = 2000;
/** Frames between two uploads. */
const UPLOAD_EVERY = 10;

declare global {
  interface Window {
    /** Returns the milliseconds between the completions of successive frames. */
    measureFrameTimes(threading: ThreadingMode, warmup: number, frames: number): Promise<number[]>;
  }
}

window.measureFrameTimes = async (threading, warmup, frames) => {
  const canvas = document.createElement('canvas');
  canvas.style.cssText = `width:${CANVAS_SIZE}px;height:${CANVAS_SIZE}px`;
  document.body.append(canvas);
  const engine = await createEngine(canvas, { threading, antialias: false });
  const failed = new Promise<never>((_, reject) =>
    engine.addEventListener('error', ({ detail }) => reject(detail), { once: true }),
  );
  failed.catch(() => {});
  const { world } = engine;
  const camera = world.addCamera({ fovY: FOV_Y, near: NEAR });
  world.addDirectionalLight({ direction: [0, 0, -1], intensity: 3 });
  const position = new Float32Array(3);
  world.addMeshes(
    Array.from({ length: MESHES }, (_, index) => {
      positionOf(index, 0, false, position);
      return {
        geometry: geometry({ positions: trianglePositions(index), indices: Uint32Array.of(0, 1, 2) }),
        material: standardMaterial({ baseColor: colorOf(index) }),
        position: [...position] as [number, number, number],
      };
    }),
  );
  const material = standardMaterial();
  let frame = 0;
  let uploaded = world.addMesh({ geometry: sphereGeometry({ segments: 96 }), material, position: [0, 0, 5] });
  world.onTick(() => {
    frame++;
    camera.rotation.set(0, Math.sin(yawOf(frame, true) / 2), 0, Math.cos(yawOf(frame, true) / 2));
    if (frame % UPLOAD_EVERY !== 0) return;
    uploaded.destroy();
    uploaded = world.addMesh({ geometry: sphereGeometry({ segments: 96 }), material, position: [0, 0, 5] });
  });
  const completed: number[] = [];
  // All steps are requested at once, so that each tick begins when the engine allows it.
  const produce = (count: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, () => engine.step(0).then(() => completed.push(performance.now()))),
    );
  try {
    await Promise.race([produce(warmup), failed]);
    completed.length = 0;
    await Promise.race([produce(frames + 1), failed]);
    return completed.slice(1).map((time, index) => time - (completed[index] as number));
  } finally {
    await engine.dispose();
    canvas.remove();
  }
};
