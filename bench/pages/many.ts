/** B11 in the page: opens a `ManyScene`, and times its frames by thread, with an idle GPU in between. */
import { type DeviceWatch, watchDevices } from '../lib/device-watch.js';
import type { ManyCase, ManyScene, ThreadTimes } from '../lib/many-scene.js';

declare global {
  interface Window {
    many: ManyPage;
  }
}

export interface ManyPage {
  readonly name: string;
  readonly version: string;
  start(of: ManyCase): Promise<void>;
  frames(count: number): Promise<ThreadTimes[]>;
  readonly errors: readonly string[];
}

export function serve(scene: ManyScene): void {
  const watch: DeviceWatch = watchDevices();
  const gpuIdle = async (): Promise<unknown> => watch.device?.queue.onSubmittedWorkDone();
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: innerWidth, height: innerHeight });
  canvas.style.cssText = `width: ${innerWidth}px; height: ${innerHeight}px`;
  document.body.append(canvas);
  let frame = 0;
  window.many = {
    name: scene.name,
    version: scene.version,
    start: (of) => scene.start(canvas, of),
    async frames(count) {
      const samples: ThreadTimes[] = [];
      for (let drawn = 0; drawn < count; drawn++) samples.push(await scene.draw(frame++, gpuIdle));
      return samples;
    },
    errors: watch.errors,
  };
}
