/** BROWSERS in the page: one scene after the other, each in its own engine, with a model that turns all the time. */
import {
  boxGeometry,
  createEngine,
  type EngineOptions,
  spin,
  standardMaterial,
  type World,
} from '../../src/index.js';

export type SceneName = 'cube' | 'environment' | 'shadows' | 'forty lights' | 'deferred';

export interface SceneRun {
  readonly framesPerSecond: number;
  /** Milliseconds of one pick and of one capture. */
  readonly pick: number;
  readonly capture: number;
}

declare global {
  interface Window {
    browserScenes: { run(scene: SceneName, milliseconds: number): Promise<SceneRun> };
  }
}

/**
 * Size of the view. It is small, so that a software GPU draws a frame in a few milliseconds. The figures then
 * depend on late reports of finished work.
 */
const SIZE = { width: 160, height: 90 };
const WARM_UP_MILLISECONDS = 1000;
const ASKED = 7;
const TURN = { axis: [0, 1, 0], radiansPerSecond: 1 } as const;

const options: Partial<Record<SceneName, EngineOptions>> = { deferred: { renderer: 'deferred' } };

const fill: Record<SceneName, (world: World) => Promise<void> | void> = {
  cube(world) {
    world.addDirectionalLight({ direction: [-1, -2, -3] });
    world.addMesh({ geometry: boxGeometry({ size: 4 }), material: standardMaterial() }).motion = spin(TURN);
  },
  async environment(world) {
    await world.setEnvironment('studio');
    await addIsland(world);
  },
  async shadows(world) {
    world.addDirectionalLight({ direction: [-1, -2, -1], castShadow: { cascades: 4 } });
    await addIsland(world);
  },
  'forty lights': addLamps,
  deferred: addLamps,
};

async function addIsland(world: World): Promise<void> {
  const { root } = await world.load('../model.glb');
  if (root) root.motion = spin(TURN);
}

function addLamps(world: World): void {
  const [geometry, material] = [boxGeometry({ size: 1 }), standardMaterial()];
  for (let index = 0; index < 100; index++) {
    const position = [(index % 10) * 1.5 - 7, 0, Math.floor(index / 10) * 1.5 - 7] as const;
    world.addMesh({ geometry, material, position }).motion = spin(TURN);
  }
  for (let index = 0; index < 40; index++) {
    const position = [(index % 8) * 2 - 7, 1.5, Math.floor(index / 8) * 3 - 6] as const;
    world.addPointLight({ position, intensity: 20, range: 5 });
  }
}

const pass = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < ASKED; index++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[ASKED >> 1] as number;
}

window.browserScenes = {
  async run(scene, milliseconds) {
    const canvas = document.createElement('canvas');
    canvas.style.cssText = `width: ${SIZE.width}px; height: ${SIZE.height}px`;
    document.body.replaceChildren(canvas);
    const engine = await createEngine(canvas, { pixelRatio: 1, ...options[scene] });
    try {
      engine.world.addCamera({ position: [0, 8, 14], lookAt: [0, 0, 0] });
      await fill[scene](engine.world);
      await engine.whenReady();
      engine.start();
      await pass(WARM_UP_MILLISECONDS);
      const [began, before] = [performance.now(), engine.stats().presentedFrames];
      await pass(milliseconds);
      const frames = engine.stats().presentedFrames - before;
      const framesPerSecond = (frames * 1000) / (performance.now() - began);
      const pick = await medianOf(() => engine.pick(SIZE.width / 2, SIZE.height / 2));
      const capture = await medianOf(() => engine.captureFrame());
      return { framesPerSecond, pick, capture };
    } finally {
      await engine.dispose();
    }
  },
};
