/** B14 in the page: opens a `CharacterScene` and times its frames, with an idle GPU in between. */
import type { CharacterScene } from '../lib/character.js';
import { watchDevices } from '../lib/device-watch.js';

export interface CharacterFigures {
  readonly main: number[];
  readonly render: number[];
  readonly rhi: number[];
}

declare global {
  interface Window {
    characters: {
      readonly version: string;
      start(): Promise<void>;
      frames(count: number): Promise<CharacterFigures>;
      picks(count: number): Promise<number[] | null>;
      readonly errors: readonly string[];
    };
  }
}

export function serve(scene: CharacterScene): void {
  const watch = watchDevices();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 128;
  canvas.style.cssText = 'width: 128px; height: 128px';
  document.body.append(canvas);
  window.characters = {
    version: scene.version,
    start: () => scene.start(canvas, new URL('../character.glb', location.href).href),
    async frames(count) {
      const figures: CharacterFigures = { main: [], render: [], rhi: [] };
      for (let frame = 0; frame < count; frame++) {
        const { main, render, rhi } = await scene.frame();
        figures.main.push(main);
        figures.render.push(render);
        figures.rhi.push(rhi);
        // Lets the browser run its own tasks.
        await new Promise((resolve) => setTimeout(resolve));
      }
      return figures;
    },
    picks: async (count) => (await scene.pickFrames?.(count)) ?? null,
    errors: watch.errors,
  };
}
