/**
 * B16: the time of a frame from the call to its end on the GPU, for each feature of materials on a grid of spheres, and
 * for each effect on the island. On the software adapter, the processor's time represents a GPU's time. Engines take
 * turns, so that a busy minute affects all of them.
 */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { buildPage } from '../lib/build-pages.js';
import { EFFECTS, type Look, MATERIALS } from '../lib/look-scene.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { skyImage } from '../lib/sky-image.js';
import { median } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const ENGINES = ['fencepost', 'three'] as const;
type LookEngine = (typeof ENGINES)[number];
const SIZE = { width: 640, height: 360 };
const ROUNDS = 5;
const FRAMES_PER_ROUND = 3;
const FIRST = MATERIALS[0];
const LOOKS: readonly Look[] = [...MATERIALS, ...EFFECTS];

export async function runLooks(context: SuiteContext): Promise<SuiteOutcome> {
  const failures: string[] = [];
  const versions = new Map<LookEngine, string>();
  const tabs = new Map<LookEngine, Page>();
  const samples = new Map<LookEngine, Map<Look, number[]>>();
  await copyFile(join(context.root, 'public/island.glb'), join(context.outFolder, 'model.glb'));
  await writeFile(join(context.outFolder, 'environment.hdr'), skyImage(512, 256));
  const engines = ENGINES.filter((engine) => context.isWanted(engine));
  for (const engine of engines) {
    samples.set(engine, new Map());
    await buildPage(context, {
      page: `looks-${engine}`,
      entry: {
        code: `import { serve } from './pages/looks.ts'; import { scene } from './scenes/looks-${engine}.ts'; serve(scene);`,
      },
    });
    const tab = await context.browser.newPage({ viewport: SIZE });
    tabs.set(engine, tab);
    await tab.goto(`${context.server.origin}/isolated/looks-${engine}/index.html`);
    await tab.waitForFunction(() => window.looks !== undefined, undefined, { timeout: 20_000 });
    await tab.evaluate(() => window.looks.start());
    versions.set(engine, await tab.evaluate(() => window.looks.version));
  }
  // Drawn once before it is measured, because the first frames of a page are slower.
  for (const tab of tabs.values()) await tab.evaluate((each) => window.looks.show(each), FIRST);
  for (const look of LOOKS) {
    const shown: [LookEngine, Page][] = [];
    for (const [engine, tab] of tabs) {
      try {
        await tab.evaluate((each) => window.looks.show(each), look);
        const errors = await tab.evaluate(() => [...window.looks.errors]);
        if (errors.length > 0) throw new Error(errors.slice(0, 3).join(' | '));
        if (context.pictures) {
          const name = `b16-${look.replaceAll(/[ ,]+/g, '-')}-${engine}.png`;
          await tab.screenshot({ path: join(context.pictures, name) });
        }
        shown.push([engine, tab]);
      } catch (error) {
        failures.push(`B16 ${engine}, ${look}: ${String(error)}`);
      }
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const [engine, tab] of shown) {
        const measured = await tab.evaluate((count) => window.looks.frames(count), FRAMES_PER_ROUND);
        const ofEngine = samples.get(engine);
        ofEngine?.set(look, [...(ofEngine.get(look) ?? []), ...measured]);
      }
    }
    context.log(`B16 ${look}: measured`);
  }
  for (const tab of tabs.values()) await tab.close();

  const millisecondsOf = (engine: LookEngine, look: Look): number | undefined => {
    const measured = samples.get(engine)?.get(look);
    return measured && median(measured);
  };
  const results: BenchResult[] = [...versions].map(([engine, version]) => ({
    id: 'B16',
    engine,
    version,
    ...Object.fromEntries(LOOKS.map((look) => [look, millisecondsOf(engine, look) ?? null])),
  }));
  const ratio = (look: Look): number | undefined => {
    const [ours, peers] = [millisecondsOf('fencepost', look), millisecondsOf('three', look)];
    return ours !== undefined && peers !== undefined ? ours / peers : undefined;
  };
  return {
    results,
    failures,
    targets: LOOKS.map((look) =>
      atMost(`B16 ${look}`, `${look}: a frame to its end on the GPU ÷ three’s`, ratio(look), 1),
    ),
    table: [
      `B16 · looks, ${SIZE.width} × ${SIZE.height} pixels: ms per frame`,
      formatTable(
        ['look', ...versions.keys()],
        LOOKS.map((look) => [
          look,
          ...[...versions.keys()].map((engine) => formatNumber(millisecondsOf(engine, look) ?? null)),
        ]),
      ),
    ].join('\n'),
  };
}
