/**
 * This engine with its defaults, as in `fencepost.ts`, and the boxes as places of `addInstances`: a component per colour, whose arrays
 * the program writes directly.
 */
import { boxGeometry, createEngine, type Engine, standardMaterial } from '../../src/index.js';
import {
  type BenchScene,
  COLORS,
  createLayout,
  FOV_Y,
  type Layout,
  LIGHT_DIRECTION,
  LIGHT_INTENSITY,
  METALLIC,
  moveBoxes,
  ROUGHNESS,
} from '../lib/scene.js';

declare const FENCEPOST_VERSION: string;

let engine: Engine;
let layout: Layout;
let crowds: ReturnType<Engine['world']['addInstances']>[] = [];
let frame: Promise<void> = Promise.resolve();

export const bench: BenchScene = {
  name: 'fencepost (bulk arrays)',
  version: FENCEPOST_VERSION,
  async init(canvas, count) {
    engine = await createEngine(canvas);
    const { world } = engine;
    layout = createLayout(count);
    world.addCamera({
      position: [...layout.cameraPosition],
      lookAt: [0, 0, 0],
      fovY: FOV_Y,
      near: layout.near,
      far: layout.far,
    });
    world.addDirectionalLight({ direction: [...LIGHT_DIRECTION], intensity: LIGHT_INTENSITY });
    const geometry = boxGeometry();
    crowds = COLORS.map((color, index) =>
      world.addInstances({
        geometry,
        material: standardMaterial({ baseColor: [...color], metallic: METALLIC, roughness: ROUGHNESS }),
        count: Math.ceil((count - index) / COLORS.length),
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
