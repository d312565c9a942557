/**
 * Fencepost with its defaults: `threading: 'render'`, 4× MSAA, standardMaterial without textures. Each box is an actor.
 * A frame is a `step`, which can be awaited until its end on the GPU. The main thread's work for a frame is the
 * duration of the `step` call plus `stats().gameThreadMs`. This figure is the engine's own time for the tick, the
 * end-of-frame update and publishing. In `freeRun` the engine's own animation-frame loop calls the program instead.
 */
import type { Engine } from '../../src/index.js';
import { openBoxWorld } from '../lib/box-world.js';
import { type BenchScene, type Layout, moveBoxes } from '../lib/scene.js';

declare const FENCEPOST_VERSION: string;

let engine: Engine;
let layout: Layout;
let boxes: ReturnType<Engine['world']['addMesh']>[] = [];
let frame: Promise<void> = Promise.resolve();

export const bench: BenchScene = {
  name: 'fencepost',
  version: FENCEPOST_VERSION,
  async init(canvas, count) {
    const { materials, geometry, ...opened } = await openBoxWorld(canvas, count);
    ({ engine, layout } = opened);
    boxes = Array.from({ length: count }, (_, i) =>
      engine.world.addMesh({
        geometry,
        material: materials[i % materials.length] as (typeof materials)[number],
      }),
    );
    await engine.whenReady();
  },
  update(timeSeconds) {
    moveBoxes(layout, timeSeconds, (i, x, y, z, qx, qy, qz, qw) => {
      const box = boxes[i] as (typeof boxes)[number];
      box.position.set(x, y, z);
      box.rotation.set(qx, qy, qz, qw);
    });
  },
  render() {
    frame = engine.step(1 / 60);
  },
  gpuIdle: () => frame,
  engineFrameMs: () => engine.stats().gameThreadMs,
  async freeRun(frames) {
    const samples = { update: [] as number[], render: [] as number[] };
    let seconds = 0;
    let updateMs = -1;
    await new Promise<void>((resolve) => {
      const unsubscribe = engine.world.onTick((deltaSeconds) => {
        // The previous frame is complete now, so the engine's figures describe it.
        if (updateMs >= 0) {
          samples.update.push(updateMs);
          samples.render.push(engine.stats().gameThreadMs - updateMs);
        }
        if (samples.update.length === frames) {
          unsubscribe();
          engine.stop();
          resolve();
          return;
        }
        const start = performance.now();
        seconds += deltaSeconds;
        this.update(seconds);
        updateMs = performance.now() - start;
      });
      engine.start();
    });
    return samples;
  },
};
