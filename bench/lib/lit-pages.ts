/** The pages of B10 and B13, with the model and the environment that all of them show. */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';
import type { SuiteContext } from '../suites/context.js';
import { buildPage } from './build-pages.js';
import { skyImage } from './sky-image.js';

/** Engines of the suites. `fencepost-display` is explained in `scenes/lit-fencepost-display.ts`. */
export const LIT_ENGINES = ['fencepost', 'fencepost-display', 'three', 'playcanvas'] as const;
export type LitEngine = (typeof LIT_ENGINES)[number];

/** Size of the picture in pixels. */
export const SIZE = { width: 1280, height: 720 };

/**
 * Builds the page of each selected engine of the suite.
 *
 * @returns the selected engines
 */
export async function buildLitPages(
  context: SuiteContext,
  ofSuite: readonly LitEngine[],
): Promise<LitEngine[]> {
  const engines = ofSuite.filter((engine) => context.isWanted(engine));
  await copyFile(join(context.root, 'public/island.glb'), join(context.outFolder, 'model.glb'));
  await writeFile(join(context.outFolder, 'environment.hdr'), skyImage(1024, 512));
  for (const engine of engines) {
    await buildPage(context, {
      page: `lit-${engine}`,
      entry: {
        code: `import { serve } from './pages/lit.ts'; import { scene } from './scenes/lit-${engine}.ts'; serve(scene);`,
      },
    });
  }
  return engines;
}

/** Opens a tab, in which the engine has started and shows the model. */
export async function openLitPage(context: SuiteContext, engine: LitEngine): Promise<Page> {
  const tab = await context.browser.newPage({ viewport: SIZE });
  await tab.goto(`${context.server.origin}/isolated/lit-${engine}/index.html`);
  await tab.waitForFunction(() => window.lit !== undefined, undefined, { timeout: 20_000 });
  await tab.evaluate(() => window.lit.start());
  return tab;
}

/** Checks the tab for GPU errors. @throws Error with the errors, if there are any */
export async function checkErrors(tab: Page): Promise<void> {
  const errors = await tab.evaluate(() => [...window.lit.errors]);
  if (errors.length > 0) throw new Error(errors.slice(0, 3).join(' | '));
}
