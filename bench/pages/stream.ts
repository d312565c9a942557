/** STREAM in the page: a scene runs for some time. Then a file is loaded into it, between two marks of the trace. */
import { watchDevices } from '../lib/device-watch.js';
import type { StreamingScene } from '../lib/streaming.js';

/** The longest gaps between two animation frames of the page, and between two pictures, in milliseconds. */
export interface WorstFrames {
  readonly pageMs: number;
  readonly pictureMs: number;
}

export interface StreamRun {
  readonly version: string;
  readonly before: WorstFrames;
  readonly during: WorstFrames;
  /** Milliseconds from the call to a frame that shows the file. */
  readonly totalMs: number;
  readonly errors: readonly string[];
}

declare global {
  interface Window {
    streaming: { start(): Promise<void>; run(): Promise<StreamRun> };
  }
}

const BEFORE_MILLISECONDS = 2000;

function longestGap(moments: readonly number[]): number {
  if (moments.length < 2) throw new Error('There were no frames.');
  return moments.reduce((longest, moment, at) => Math.max(longest, moment - (moments[at - 1] ?? moment)), 0);
}

export function serve(scene: StreamingScene): void {
  const watch = watchDevices();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 128;
  canvas.style.cssText = 'width: 128px; height: 128px';
  document.body.append(canvas);

  /**
   * Returns the longest gaps between frames until the work has ended. The times before the first and after the last
   * frame count as gaps, too.
   */
  async function worstFrames(work: () => Promise<unknown>): Promise<WorstFrames> {
    const pictures = await scene.notePictures();
    const moments = [performance.now()];
    let handle = 0;
    const note = (): void => {
      moments.push(performance.now());
      handle = requestAnimationFrame(note);
    };
    handle = requestAnimationFrame(note);
    await work();
    cancelAnimationFrame(handle);
    moments.push(performance.now());
    return { pageMs: longestGap(moments), pictureMs: longestGap(await pictures()) };
  }

  window.streaming = {
    start: () => scene.start(canvas),
    async run() {
      const before = await worstFrames(
        () => new Promise((resolve) => setTimeout(resolve, BEFORE_MILLISECONDS)),
      );
      let totalMs = 0;
      const during = await worstFrames(async () => {
        performance.mark('load-begins');
        const began = performance.now();
        await scene.load(new URL('../long.glb', location.href).href);
        totalMs = performance.now() - began;
        performance.mark('load-ends');
      });
      return { version: scene.version, before, during, totalMs, errors: watch.errors };
    },
  };
}
