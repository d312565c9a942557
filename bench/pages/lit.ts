/**
 * B10 and B13 in the page: opens a `LitScene`, lights it, and times its frames from the call to their end on the GPU.
 */
import { type DeviceWatch, watchDevices } from '../lib/device-watch.js';
import type { Lighting, LitScene } from '../lib/lit-scene.js';

declare global {
  interface Window {
    lit: LitPage;
  }
}

export interface LitPage {
  readonly name: string;
  readonly version: string;
  start(): Promise<void>;
  /** Sets the lighting. @returns milliseconds from the call to the end of the first frame with it, on the GPU */
  light(lighting: Lighting): Promise<number>;
  /** Draws frames. @returns milliseconds of each frame */
  frames(count: number): Promise<number[]>;
  /** Returns the bytes of textures on the GPU, or null when the engine does not report them. */
  textureBytes(): number | null;
  readonly errors: readonly string[];
}

const MODEL = '../model.glb';
const ENVIRONMENT = '../environment.hdr';

export function serve(scene: LitScene): void {
  const watch: DeviceWatch = watchDevices();
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: innerWidth, height: innerHeight });
  canvas.style.cssText = `width: ${innerWidth}px; height: ${innerHeight}px`;
  document.body.append(canvas);
  window.lit = {
    name: scene.name,
    version: scene.version,
    start: () => scene.start(canvas, new URL(MODEL, location.href).href),
    async light(lighting) {
      const began = performance.now();
      await scene.light(lighting, new URL(ENVIRONMENT, location.href).href);
      await scene.draw();
      return performance.now() - began;
    },
    async frames(count) {
      const samples: number[] = [];
      for (let frame = 0; frame < count; frame++) {
        const began = performance.now();
        await scene.draw();
        samples.push(performance.now() - began);
      }
      return samples;
    },
    textureBytes: () => scene.textureBytes?.() ?? null,
    errors: watch.errors,
  };
}
