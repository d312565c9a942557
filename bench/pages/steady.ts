/**
 * Measures frames without new or removed objects: their allocations (B4), and the cost of 100,000 still primitives on
 * each thread (B8).
 */
import { boxGeometry, createEngine, type Engine, standardMaterial } from '../../src/index.js';

export interface StillFigures {
  /** Primitives that the frames draw. */
  readonly visible: number;
  /** Milliseconds per frame, medians. */
  readonly gameMs: number;
  readonly renderMs: number;
}

declare global {
  interface Window {
    steady: typeof steady;
  }
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

const nextFrame = (): Promise<number> => new Promise(requestAnimationFrame);

let engine: Engine;

const steady = {
  /** Starts an engine whose boxes are moved and turned by setters in every animation frame. */
  async startMoving(count: number): Promise<void> {
    const element = document.body.appendChild(document.createElement('div'));
    element.style.cssText = 'width:64px;height:64px';
    engine = await createEngine(element, { antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 60] });
    world.addDirectionalLight({ direction: [-1, -2, -1.5] });
    const geometry = boxGeometry();
    const material = standardMaterial();
    const boxes = Array.from({ length: count }, () => world.addMesh({ geometry, material }));
    let frame = 0;
    // Whole numbers, because V8 allocates an object for a fraction that is passed to a function that it has not inlined
    // yet.
    world.onTick(() => {
      frame++;
      for (let index = 0; index < count; index++) {
        const box = boxes[index];
        box?.position.set((index + frame) % 30, index % 20, 0);
        box?.rotateY(0.01);
      }
    });
    await engine.whenReady();
    engine.start();
  },

  /**
   * Runs animation frames, with the engine or without.
   *
   * @returns the number of pictures shown meanwhile
   */
  async run(frames: number): Promise<number> {
    const before = engine?.stats().presentedFrames ?? 0;
    for (let frame = 0; frame < frames; frame++) await nextFrame();
    return (engine?.stats().presentedFrames ?? 0) - before;
  },

  /** Measures boxes on a grid, each an actor, with some of them in view of the camera. It runs without a GPU. */
  async still(count: number, inView: number, frames: number): Promise<StillFigures> {
    const element = document.body.appendChild(document.createElement('div'));
    element.style.cssText = 'width:64px;height:64px';
    const still = await createEngine(element, { backend: 'null' });
    const { world } = still;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 500 }, near: 1, far: 100 });
    const geometry = boxGeometry({ size: 0.5 });
    const material = standardMaterial();
    const side = Math.max(1, Math.ceil(Math.sqrt(inView)));
    for (let index = 0; index < count; index++) {
      const isInView = index < inView;
      const place = isInView ? index : index - inView;
      const x = (place % side) - side / 2;
      const y = Math.floor(place / side) - side / 2;
      world.addMesh({ geometry, material, position: [isInView ? x : x + 5000, y, 0] });
    }
    for (let frame = 0; frame < 60; frame++) await still.step(0.01);
    const game: number[] = [];
    const render: number[] = [];
    for (let frame = 0; frame < frames; frame++) {
      await still.step(0.01);
      const { gameThreadMs, renderThreadMs } = still.stats();
      game.push(gameThreadMs ?? 0);
      render.push(renderThreadMs ?? 0);
    }
    const { visible } = still.stats();
    await still.dispose();
    element.remove();
    return { visible, gameMs: median(game), renderMs: median(render) };
  },
};

window.steady = steady;
