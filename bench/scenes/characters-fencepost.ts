/** B14 with this engine and its defaults: clones of one level, whose clips the render worker samples. */
import { createEngine, type Engine } from '../../src/index.js';
import { CHARACTER_CAMERA, CHARACTER_COUNT, type CharacterScene, placeOf } from '../lib/character.js';

declare const FENCEPOST_VERSION: string;

let engine: Engine;

export const scene: CharacterScene = {
  name: 'fencepost',
  version: FENCEPOST_VERSION,
  async start(canvas, modelUrl) {
    engine = await createEngine(canvas, { pixelRatio: 1, antialias: false });
    const { world } = engine;
    const { position, target, fovY } = CHARACTER_CAMERA;
    world.addCamera({ position, lookAt: target, fovY });
    world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
    const first = await world.load(modelUrl, { position: [...placeOf(0)] });
    for (let index = 0; index < CHARACTER_COUNT; index++) {
      const level = index === 0 ? first : first.clone({ position: [...placeOf(index)] });
      const startSeconds = index / CHARACTER_COUNT;
      level.play('walk', { weight: 0.5, startSeconds });
      level.play('idle', { weight: 0.5, startSeconds });
    }
    await engine.whenReady();
    await engine.step(0);
  },
  async frame() {
    const began = performance.now();
    const done = engine.step(1 / 60);
    const called = performance.now() - began;
    await done;
    const { gameThreadMs, renderThreadMs, rhiThreadMs } = engine.stats();
    return { main: called + gameThreadMs, render: renderThreadMs, rhi: rhiThreadMs };
  },
  async pickFrames(count) {
    const frames: number[] = [];
    engine.start();
    await engine.pick(1, 1);
    for (let pick = 0; pick < count; pick++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const asked = engine.stats().frame;
      await engine.pick(pick % 64, pick % 64);
      frames.push(engine.stats().frame - asked);
    }
    engine.stop();
    return frames;
  },
};
