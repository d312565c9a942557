/**
 * The page around one engine's scene. The runner controls it from outside by `window.bench`.
 *
 *   per frame:  ├─ update ─┤├─ render ─┤ … GPU … ├─ next frame
 *               t0         t1          t2       idle
 *
 * Times are main-thread milliseconds.
 */
import { watchDevices } from '../lib/device-watch.js';
import type { BenchScene } from '../lib/scene.js';

export interface Samples {
  readonly update: number[];
  readonly render: number[];
}

export interface BenchPage {
  readonly name: string;
  readonly version: string;
  init(size: number, count: number): Promise<{ initMs: number }>;
  /** Draws the scene at one time, for pictures. */
  show(timeSeconds: number): Promise<void>;
  measure(frames: number): Promise<Samples>;
  freeRun(frames: number): Promise<Samples | null>;
  errors(): string[];
}

declare global {
  interface Window {
    bench: BenchPage;
  }
}

/** Seconds of scene time between frames. */
const STEP = 1 / 60;

export function serve(scene: BenchScene): void {
  const watch = watchDevices();
  let time = 0;
  const idle = async () => {
    if (scene.gpuIdle) await scene.gpuIdle();
    else await watch.device?.queue.onSubmittedWorkDone();
  };
  // A macrotask between frames, like an animation frame, so that the engine's own messages are handled.
  const channel = new MessageChannel();
  const macrotask = () =>
    new Promise<void>((resolve) => {
      channel.port1.onmessage = () => resolve();
      channel.port2.postMessage(0);
    });

  window.bench = {
    name: scene.name,
    version: scene.version,
    async init(size, count) {
      const canvas = document.createElement('canvas');
      canvas.width = size;
      canvas.height = size;
      canvas.style.cssText = `width:${size}px;height:${size}px;display:block`;
      document.body.append(canvas);
      const start = performance.now();
      await scene.init(canvas, count);
      await idle();
      return { initMs: performance.now() - start };
    },
    async show(timeSeconds) {
      time = timeSeconds;
      scene.update(time);
      scene.render();
      await idle();
    },
    async measure(frames) {
      const samples: Samples = { update: [], render: [] };
      for (let frame = 0; frame < frames; frame++) {
        time += STEP;
        const start = performance.now();
        scene.update(time);
        const updated = performance.now();
        scene.render();
        const rendered = performance.now();
        await idle();
        samples.update.push(updated - start);
        samples.render.push(rendered - updated + (scene.engineFrameMs?.() ?? 0));
        await macrotask();
      }
      return samples;
    },
    freeRun: async (frames) => (scene.freeRun ? scene.freeRun(frames) : null),
    errors: () => watch.errors,
  };
}
