/** B10 and B13 with this engine: its defaults (forward, `threading: 'render'`, 4× MSAA), or other options. */
import { type Actor, createEngine, type Engine, type EngineOptions } from '../../src/index.js';
import { CAMERA, CASCADES, LAMPS, type LitScene, SUN } from '../lib/lit-scene.js';

declare const FENCEPOST_VERSION: string;

let engine: Engine;
let lights: Actor[] = [];

export const sceneWith = (name: string, options: EngineOptions): LitScene => ({
  name,
  version: FENCEPOST_VERSION,
  async start(canvas, modelUrl) {
    engine = await createEngine(canvas, { pixelRatio: 1, ...options });
    const { position, target, fovY, near, far } = CAMERA;
    engine.world.addCamera({ position, lookAt: target, fovY, near, far });
    const level = await engine.world.load(modelUrl);
    for (const actor of level.actors) if (actor.light) actor.light.intensity = 0;
    for (const actor of level.actors.filter(({ light }) => light)) actor.light?.destroy();
    await engine.whenReady();
  },
  async light(lighting, environmentUrl) {
    const { world } = engine;
    for (const light of lights) light.destroy();
    lights = [];
    if (lighting === 'environment') await world.setEnvironment(environmentUrl);
    else {
      await world.setEnvironment(null);
      const { count: cascades, mapSize, distance } = CASCADES;
      const castShadow = lighting === 'four cascades' && { cascades, mapSize, distance };
      lights.push(world.addDirectionalLight({ ...SUN, castShadow }));
    }
    if (lighting === 'five lights') {
      const { intensity, range } = LAMPS;
      for (const position of LAMPS.positions)
        lights.push(world.addPointLight({ position, intensity, range }));
    }
    await engine.whenReady();
  },
  draw: () => engine.step(0),
  textureBytes: () => engine.stats().memory.textures,
});

export const scene = sceneWith('fencepost', {});
