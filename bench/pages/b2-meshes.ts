/**
 * The page of B2. The engine and a worker with a hand-written loop draw the same frames in turn. The GPU is idle in
 * between. So changes of the machine's speed affect both in the same way.
 *
 *   frame 1: by hand, engine     frame 2: engine, by hand …
 */
import { createEngine, geometry, standardMaterial } from '../../src/index.js';
import {
  CANVAS_SIZE,
  type Case,
  colorOf,
  FOV_Y,
  MESH_COUNT,
  NEAR,
  positionOf,
  trianglePositions,
  yawOf,
} from '../lib/unmergeable.js';
import type { LoopFrame } from './b2-loop-worker.js';

export interface MeshRequest {
  readonly of: Case;
  readonly warmup: number;
  readonly frames: number;
}

export interface MeshSamples {
  /**
   * Milliseconds per frame of the render worker for commands, scene, culling, sorting and recording. `rhi` has the
   * milliseconds for translation and submission.
   */
  readonly render: number[];
  readonly rhi: number[];
  readonly byHand: number[];
  /** Draws of the last frame. */
  draws: number;
  drawsByHand: number;
  errors: string[];
}

declare global {
  interface Window {
    measureMeshes(request: MeshRequest): Promise<MeshSamples>;
  }
}

window.measureMeshes = async ({ of, warmup, frames }) => {
  const canvas = document.createElement('canvas');
  canvas.style.cssText = `width:${CANVAS_SIZE}px;height:${CANVAS_SIZE}px`;
  document.body.append(canvas);
  const engine = await createEngine(canvas, { antialias: false });
  const samples: MeshSamples = { render: [], rhi: [], byHand: [], draws: 0, drawsByHand: 0, errors: [] };
  engine.addEventListener('error', ({ detail }) => samples.errors.push(String(detail)));
  const { world } = engine;
  const camera = world.addCamera({ fovY: FOV_Y, near: NEAR });
  world.addDirectionalLight({ direction: [0, 0, -1], intensity: 3 });
  const position = new Float32Array(3);
  const meshes = Array.from({ length: MESH_COUNT }, (_, index) => {
    const mesh = world.addMesh({
      geometry: geometry({ positions: trianglePositions(index), indices: Uint32Array.of(0, 1, 2) }),
      material: standardMaterial({ baseColor: [...colorOf(index)] }),
    });
    positionOf(index, 0, false, position);
    mesh.position.set(position[0] as number, position[1] as number, position[2] as number);
    return mesh;
  });
  const move = (frame: number): void => {
    const half = yawOf(frame, of === 'turning') / 2;
    if (of === 'turning') camera.rotation.set(0, Math.sin(half), 0, Math.cos(half));
    if (of !== 'moving') return;
    for (let index = 0; index < meshes.length; index++) {
      positionOf(index, frame, true, position);
      meshes[index]?.position.set(position[0] as number, position[1] as number, position[2] as number);
    }
  };
  await engine.whenReady();

  const worker = new Worker(new URL('./b2-loop-worker.ts', import.meta.url), { type: 'module' });
  const answer = (): Promise<LoopFrame> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<LoopFrame>) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
  await answer();
  const byEngine = async (frame: number): Promise<void> => {
    move(frame);
    await engine.step(1 / 60);
    const { renderThreadMs, rhiThreadMs, drawCalls } = engine.stats();
    samples.draws = drawCalls;
    if (frame < 0) return;
    samples.render.push(renderThreadMs);
    samples.rhi.push(rhiThreadMs);
  };
  const byHand = async (frame: number): Promise<void> => {
    const answered = answer();
    worker.postMessage({ frame, of });
    const { milliseconds, draws } = await answered;
    samples.drawsByHand = draws;
    if (frame >= 0) samples.byHand.push(milliseconds);
  };
  for (let frame = -warmup; frame < frames; frame++) {
    const turn = frame % 2 === 0 ? [byEngine, byHand] : [byHand, byEngine];
    for (const draw of turn) await draw(frame);
  }
  worker.terminate();
  await engine.dispose();
  return samples;
};
