/** The scene of the tests of views: coloured walls, 100 m apart, each with a camera that sees only its wall. */
import type { Page } from '@playwright/test';
import type { Engine } from 'fencepost';
import { openEnginePage } from './open-engine-page.js';

declare global {
  interface Window {
    walls: ReturnType<typeof createWalls>;
  }
}

/** Returns helpers for the scene. Runs in the page, so it can't use anything outside its body. */
function createWalls() {
  const { fencepost, kit } = window;
  const { planeGeometry, unlitMaterial } = fencepost;
  const COLORS = ['#ff0000', '#00ff00', '#0000ff', '#ffff00'];
  return {
    async create(options = {}): Promise<Engine> {
      return fencepost.createEngine(kit.view, { background: '#202020', antialias: false, ...options });
    },
    /** Adds `count` walls with their cameras. The last camera becomes active. */
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

/** Opens the page that loads the public API, and adds `window.walls` to it. */
export async function openWallsPage(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.walls = (${createWalls})()`);
}
