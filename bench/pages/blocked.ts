/** B3 in the page: two seconds with an idle page, then two seconds with a blocked main thread. */
import type { BlockedScene } from '../lib/blocked.js';
import { watchDevices } from '../lib/device-watch.js';

export interface BlockedRun {
  readonly name: string;
  readonly version: string;
  /** Pictures per second. */
  readonly framesPerSecondBefore: number;
  readonly framesPerSecondDuring: number;
  /** Radians by which the bar in the picture turned during the block. */
  readonly turnedRadians: number;
  readonly blockedMilliseconds: number;
  readonly errors: readonly string[];
}

declare global {
  interface Window {
    blocked: { run(milliseconds: number): Promise<BlockedRun> };
  }
}

const WARM_UP_MILLISECONDS = 1000;

export function serve(scene: BlockedScene): void {
  const watch = watchDevices();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 128;
  canvas.style.cssText = 'width: 128px; height: 128px';
  document.body.append(canvas);
  const pass = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const rate = (frames: number, milliseconds: number): number => (frames * 1000) / milliseconds;
  window.blocked = {
    async run(milliseconds) {
      await scene.start(canvas);
      await pass(WARM_UP_MILLISECONDS);
      let began = performance.now();
      let frames = scene.presentedFrames();
      await pass(milliseconds);
      const framesPerSecondBefore = rate(scene.presentedFrames() - frames, performance.now() - began);

      const angle = await scene.shownRadians();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      // Without shared memory the figures arrive as messages. Pending messages belong to the time before.
      for (let turn = 0; turn < 3; turn++) await pass(0);
      frames = scene.presentedFrames();
      began = performance.now();
      while (performance.now() - began < milliseconds);
      const blockedMilliseconds = performance.now() - began;
      // The bar looks the same after half a turn.
      const change = ((await scene.shownRadians()) - angle) % Math.PI;
      const turnedRadians = change < -0.1 ? change + Math.PI : change;
      // These turns let messages arrive. Their few frames are subtracted at the earlier rate.
      const ended = performance.now();
      for (let turn = 0; turn < 3; turn++) await pass(0);
      const beyond = ((performance.now() - ended) / 1000) * framesPerSecondBefore;
      const during = Math.max(0, scene.presentedFrames() - frames - (crossOriginIsolated ? 0 : beyond));
      return {
        name: scene.name,
        version: scene.version,
        framesPerSecondBefore,
        framesPerSecondDuring: rate(during, blockedMilliseconds),
        turnedRadians,
        blockedMilliseconds,
        errors: watch.errors,
      };
    },
  };
}
