/** B16 in the page: opens a `LookScene`, shows its looks, and times frames from the call to their end on the GPU. */
import { type DeviceWatch, watchDevices } from '../lib/device-watch.js';
import type { Look, LookScene } from '../lib/look-scene.js';

declare global {
  interface Window {
    looks: LooksPage;
  }
}

export interface LooksPage {
  readonly version: string;
  start(): Promise<void>;
  /** Shows a look, and draws frames until everything of it is compiled. */
  show(look: Look): Promise<void>;
  /** Draws frames. @returns milliseconds of each frame */
  frames(count: number): Promise<number[]>;
  readonly errors: readonly string[];
}

export function serve(scene: LookScene): void {
  const watch: DeviceWatch = watchDevices();
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: innerWidth, height: innerHeight });
  canvas.style.cssText = `width: ${innerWidth}px; height: ${innerHeight}px`;
  document.body.append(canvas);
  const addressOf = (file: string): string => new URL(file, location.href).href;
  window.looks = {
    version: scene.version,
    start: () => scene.start(canvas, addressOf('../model.glb'), addressOf('../environment.hdr')),
    async show(look) {
      await scene.show(look);
      for (let frame = 0; frame < 2; frame++) await scene.draw();
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
    errors: watch.errors,
  };
}
