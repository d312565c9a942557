/** The scene of the tests of views: coloured walls, 100 m from each other, each with a camera that sees nothing else. */
import type { Page } from '@playwright/test';
import type { Engine } from 'fencepost';
import { openEnginePage } from './open-engine-page.js';

declare global {
  interface Window {
    walls: ReturnType<typeof createWalls>;
  }
}

/** Runs in the page, so it can use nothing from outside itself. */
function createWalls() {
  const { fencepost, kit } = window;
  const { planeGeometry, unlitMaterial } = fencepost;
  const COLORS = ['#ff0000', '#00ff00', '#0000ff', '#ffff00'];
  return {
    async create(options = {}): Promise<Engine> {
      return fencepost.createEngine(kit.view, { background: '#202020', antialias: false, ...options });
    },
    /** The last one is the active camera. */
    addCameras({ world }: Engine, count: number) {
      return COLORS.slice(0, count).map((baseColor, index) => {
        const x = index * 100;
        const wall = { geometry: planeGeometry({ size: 20 }), material: unlitMaterial({ baseColor }) };
        world.addMesh({ ...wall, position: [x, 0, 0] });
        return world.addCamera({ position: [x, 0, 5] });
      });
    },
  };
}

/** Opens the page with the public API on it, and puts `window.walls` there. */
export async function openWallsPage(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.walls = (${createWalls})()`);
}
