/**
 * Measures the frames from a change in the game to its pixels. Every tick first reads the number that the canvas shows,
 * then colours the whole view with its own number.
 *
 *   tick          5   6   7   8
 *   canvas shows  4   5   5   6        at tick 7: the change of 5, two frames old
 */
import {
  createEngine,
  type EngineOptions,
  planeGeometry,
  type ThreadingMode,
  unlitMaterial,
} from '../../src/index.js';
import { createClearedCanvas, type TickedCanvas } from './latency-canvas.js';

export interface LatencyResult {
  /** Age in frames of the picture that each tick finds on the canvas. */
  readonly frames: number[];
  /** Milliseconds from the tick of a change to the first animation frame that finds this or a later change. */
  readonly milliseconds: number[];
  readonly framesPerSecond: number;
}

/** The drawing code: an engine, or WebGPU by hand on the named thread. */
export type LatencySource =
  | (EngineOptions & { readonly threading: ThreadingMode })
  | { readonly byHand: 'page' | 'worker' };

declare global {
  interface Window {
    measureLatency(source: LatencySource, frames: number): Promise<LatencyResult>;
  }
}

/** Number of values that stay distinct in an 8-bit channel with any rounding. The value 0 means an empty canvas. */
const NUMBERS = 60;
const STEP = 4;
/** Uncounted first frames, in which pipelines are created and code is compiled. */
const WARM_UP = 10;

async function createColouredView(
  canvas: HTMLCanvasElement,
  options: EngineOptions & { threading: ThreadingMode },
): Promise<TickedCanvas> {
  const engine = await createEngine(canvas, { ...options, antialias: false, pixelRatio: 1 });
  const { world } = engine;
  world.addCamera({ position: [0, 0, 1] });
  const material = unlitMaterial({ baseColor: '#000' });
  world.addMesh({ geometry: planeGeometry({ size: 4 }), material });
  return {
    get canvas() {
      return engine.canvas;
    },
    start(tick) {
      world.onTick(() => {
        material.baseColor = `rgb(0 ${tick()} 0)`;
      });
      engine.start();
    },
    stop: () => engine.stop(),
    dispose: () => engine.dispose(),
  };
}

window.measureLatency = async (source, frames) => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 16;
  canvas.style.cssText = 'width:16px;height:16px';
  document.body.append(canvas);
  const view =
    'byHand' in source
      ? await createClearedCanvas(canvas, source.byHand === 'worker')
      : await createColouredView(canvas, source);
  const look = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!look) throw new Error('There is no 2D canvas.');
  const shownNumber = (): number => {
    look.drawImage(view.canvas, 0, 0);
    return Math.round((look.getImageData(8, 8, 1, 1).data[1] ?? 0) / STEP);
  };
  try {
    let frame = 0;
    let shown = 0;
    const ages: number[] = [];
    const waits: number[] = [];
    const changedAt = new Map<number, number>();
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const lookAtCanvas = (): void => {
      const now = performance.now();
      const number = shownNumber();
      // An empty reading. A canvas of this thread can be read only until its picture is presented. An earlier reading
      // has recorded that picture.
      if (number === 0) return;
      // Numbers repeat every `NUMBERS` frames, so the picture counts as the newest frame with this number.
      const age = (frame - (number - 1) + NUMBERS) % NUMBERS;
      for (const [changed, at] of changedAt) {
        if (changed > frame - age) break;
        changedAt.delete(changed);
        waits.push(now - at);
      }
      shown = frame - age;
    };
    // Requested before the drawing callbacks, so it runs before them in each frame.
    const onAnimationFrame = (): void => {
      lookAtCanvas();
      if (waits.length < frames + WARM_UP) requestAnimationFrame(onAnimationFrame);
      else finish();
    };
    requestAnimationFrame(onAnimationFrame);
    const began = performance.now();
    view.start(() => {
      lookAtCanvas();
      frame++;
      if (frame > 1) ages.push(frame - shown);
      changedAt.set(frame, performance.now());
      return ((frame % NUMBERS) + 1) * STEP;
    });
    // Runs after the drawing callbacks, which may have drawn.
    const afterAnimationFrame = (): void => {
      lookAtCanvas();
      if (waits.length < frames + WARM_UP) requestAnimationFrame(afterAnimationFrame);
    };
    requestAnimationFrame(afterAnimationFrame);
    await finished;
    view.stop();
    const measured = waits.slice(WARM_UP);
    const framesPerSecond = (frame * 1000) / (performance.now() - began);
    return { frames: ages.slice(WARM_UP), milliseconds: measured, framesPerSecond };
  } finally {
    await view.dispose();
    canvas.remove();
  }
};
