/**
 * B15 in the page: starts an engine and lets it draw. It then loads a file and waits until the GPU has completed the
 * first frame that shows it. Two performance marks enclose this time.
 */
import { watchDevices } from '../lib/device-watch.js';

export interface LoadingScene {
  readonly name: string;
  readonly version: string;
  /**
   * Starts the engine.
   *
   * @returns a function that loads a file, and resolves when the GPU has completed the first frame that shows it
   */
  start(canvas: HTMLCanvasElement): Promise<(url: string) => Promise<void>>;
}

declare global {
  interface Window {
    loading: {
      readonly version: string;
      start(): Promise<void>;
      /** Loads the file. @returns milliseconds until the first frame that shows it */
      load(): Promise<number>;
      readonly errors: readonly string[];
    };
  }
}

export function serve(scene: LoadingScene): void {
  const watch = watchDevices();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 128;
  canvas.style.cssText = 'width: 128px; height: 128px';
  document.body.append(canvas);
  let load: (url: string) => Promise<void>;
  window.loading = {
    version: scene.version,
    async start() {
      load = await scene.start(canvas);
    },
    async load() {
      performance.mark('load-begins');
      const began = performance.now();
      await load(new URL('../heavy.glb', location.href).href);
      const took = performance.now() - began;
      performance.mark('load-ends');
      return took;
    },
    errors: watch.errors,
  };
}
