/**
 * This engine with its defaults, as in `fencepost.ts`, with the boxes as instances of `addInstances`. There is a
 * component per colour, whose arrays the program writes directly.
 */
import type { Engine } from '../../src/index.js';
import { openBoxWorld } from '../lib/box-world.js';
import { type BenchScene, type Layout, moveBoxes } from '../lib/scene.js';

declare const FENCEPOST_VERSION: string;

let engine: Engine;
let layout: Layout;
let crowds: ReturnType<Engine['world']['addInstances']>[] = [];
let frame: Promise<void> = Promise.resolve();

export const bench: BenchScene = {
  name: 'fencepost (bulk arrays)',
  version: FENCEPOST_VERSION,
  async init(canvas, count) {
    const { materials, geometry, ...opened } = await openBoxWorld(canvas, count);
    ({ engine, layout } = opened);
    crowds = materials.map((material, index) =>
      engine.world.addInstances({
        geometry,
        material,
        count: Math.ceil((count - index) / materials.length),
      }),
    );
    await engine.whenReady();
  },
  update(timeSeconds) {
    const colors = crowds.length;
    const positions = crowds.map((crowd) => crowd.positions);
    const rotations = crowds.map((crowd) => crowd.rotations);
    moveBoxes(layout, timeSeconds, (i, x, y, z, qx, qy, qz, qw) => {
      const color = i % colors;
      const place = (i - color) / colors;
      const position = positions[color] as Float32Array;
      position[place * 3] = x;
      position[place * 3 + 1] = y;
      position[place * 3 + 2] = z;
      const rotation = rotations[color] as Float32Array;
      rotation[place * 4] = qx;
      rotation[place * 4 + 1] = qy;
      rotation[place * 4 + 2] = qz;
      rotation[place * 4 + 3] = qw;
    });
    for (const crowd of crowds) crowd.touch();
  },
  render() {
    frame = engine.step(1 / 60);
  },
  gpuIdle: () => frame,
  engineFrameMs: () => engine.stats().gameThreadMs,
};
