/**
 * Moves tens of thousands of boxes in every frame, by setters of actors or as numbers in arrays, without a GPU. It
 * measures the page's thread, the render thread, and the render thread's culling with several numbers of helpers. A
 * part of the boxes is in view.
 */
import { boxGeometry, createEngine, type Engine, standardMaterial } from '../../src/index.js';

export interface CrowdFigures {
  /** Medians in milliseconds per frame: the loop on bare arrays, the page's thread, the render thread, its culling. */
  readonly bareMs: number;
  readonly gameMs: number;
  readonly renderMs: number;
  readonly cullMs: number;
  /** Mean number of helpers that took part in the culling of a frame. */
  readonly helped: number;
}

export type CrowdKind = 'setters' | 'arrays';

/** An open scene. */
export interface Crowd {
  measure(frames: number): Promise<CrowdFigures>;
  /**
   * Runs frames of the engine. With `bare`, the ticks move no box and only do the same arithmetic on bare arrays.
   * These frames are the baseline of the thread's processor time.
   */
  run(frames: number, bare: boolean): Promise<void>;
  close(): Promise<void>;
}

declare global {
  interface Window {
    openCrowd: typeof openCrowd;
    crowd: Crowd;
  }
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Computes the place of a box, with the same arithmetic for all scenes. */
function place(positions: Float32Array, rotations: Float32Array, index: number, time: number): void {
  const angle = index * 2.4 + time;
  const radius = Math.sqrt(index) * 0.3;
  positions[index * 3] = Math.cos(angle) * radius;
  positions[index * 3 + 1] = Math.sin(angle) * radius;
  positions[index * 3 + 2] = -20 - (index % 50);
  rotations[index * 4 + 1] = Math.sin(angle);
  rotations[index * 4 + 3] = Math.cos(angle);
}

async function openCrowd(kind: CrowdKind, taskWorkers: number, count: number): Promise<void> {
  const element = document.body.appendChild(document.createElement('div'));
  element.style.cssText = 'width:64px;height:64px';
  const engine = await createEngine(element, { backend: 'null', taskWorkers });
  const { world } = engine;
  world.addCamera({ position: [0, 0, 0], near: 1, far: 100, fovY: 0.9 });
  const geometry = boxGeometry();
  const material = standardMaterial();
  const positions = new Float32Array(count * 3);
  const rotations = new Float32Array(count * 4);
  let move: (time: number) => void;
  if (kind === 'arrays') {
    const crowd = world.addInstances({ geometry, material, count });
    move = (time) => {
      for (let index = 0; index < count; index++) place(crowd.positions, crowd.rotations, index, time);
      crowd.touch();
    };
  } else {
    const actors = Array.from({ length: count }, () => world.addMesh({ geometry, material }));
    move = (time) => {
      for (const [index, actor] of actors.entries()) {
        place(positions, rotations, index, time);
        const at = index * 3;
        actor.position.set(positions[at] as number, positions[at + 1] as number, positions[at + 2] as number);
        actor.rotation.set(0, rotations[index * 4 + 1] as number, 0, rotations[index * 4 + 3] as number);
      }
    };
  }
  let time = 0;
  let isBare = false;
  const moveBare = (): void => {
    for (let index = 0; index < count; index++) place(positions, rotations, index, time);
  };
  world.onTick(() => {
    time += 0.01;
    if (isBare) moveBare();
    else move(time);
  });
  const run = async (frames: number, bare: boolean): Promise<void> => {
    isBare = bare;
    for (let frame = 0; frame < frames; frame++) await engine.step(0.01);
    isBare = false;
  };
  const close = async (): Promise<void> => {
    await engine.dispose();
    element.remove();
  };
  window.crowd = { measure: (frames) => measure(engine, moveBare, frames), run, close };
}

async function measure(engine: Engine, moveBare: () => void, frames: number): Promise<CrowdFigures> {
  await engine.startTrace();
  const bare: number[] = [];
  const game: number[] = [];
  const render: number[] = [];
  for (let frame = 0; frame < frames; frame++) {
    const began = performance.now();
    moveBare();
    bare.push(performance.now() - began);
    await engine.step(0.01);
    const { gameThreadMs, renderThreadMs } = engine.stats();
    game.push(gameThreadMs ?? 0);
    render.push(renderThreadMs ?? 0);
  }
  const { traceEvents } = await engine.stopTrace();
  const spans = (name: string): number[] =>
    traceEvents
      .filter((event) => event.ph === 'X' && event.name.split(' ')[0] === name)
      .map(({ dur = 0 }) => dur / 1000);
  const lanes = traceEvents.filter(
    ({ ph, args }) => ph === 'M' && String(args?.name).startsWith('task worker'),
  );
  const parts = traceEvents.filter(
    ({ name, tid }) => name === 'loop' && lanes.some((lane) => lane.tid === tid),
  );
  const culls = spans('cull');
  return {
    bareMs: median(bare),
    gameMs: median(game),
    renderMs: median(render),
    cullMs: median(culls),
    helped: parts.length / frames,
  };
}

window.openCrowd = openCrowd;
