/**
 * B14: 100 figures of 19 joints that cross-fade between two clips. It measures each thread's milliseconds per
 * frame, and how many frames pass until a pick resolves. Engines run alternately in rounds. The GPU is idle
 * between frames.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { buildPage } from '../lib/build-pages.js';
import { CHARACTER_COUNT } from '../lib/character.js';
import { characterGlb } from '../lib/character-glb.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const ENGINES = ['fencepost', 'three', 'babylon'] as const;
const ROUNDS = 3;
/** Before this many frames, browsers still interpret or recompile code that runs once per frame. */
const WARM_UP_FRAMES = 200;
const PICKS = 30;

export async function runCharacters(context: SuiteContext): Promise<SuiteOutcome> {
  const failures: string[] = [];
  const results: BenchResult[] = [];
  await writeFile(join(context.outFolder, 'character.glb'), await characterGlb());
  const tabs = new Map<string, Page>();
  const samples = new Map<string, { main: number[]; render: number[]; rhi: number[] }>();
  for (const engine of ENGINES.filter((name) => context.isWanted(name))) {
    const page = `characters-${engine}`;
    try {
      await buildPage(context, {
        page,
        entry: {
          code: `import { serve } from './pages/characters.ts'; import { scene } from './scenes/${page}.ts'; serve(scene);`,
        },
      });
      const tab = await context.browser.newPage({ viewport: { width: 256, height: 256 } });
      await tab.goto(`${context.server.origin}/isolated/${page}/index.html`);
      await tab.waitForFunction(() => window.characters !== undefined, undefined, { timeout: 20_000 });
      await tab.evaluate(() => window.characters.start());
      // These frames warm up: code is compiled and pools are filled.
      await tab.evaluate((count) => window.characters.frames(count), WARM_UP_FRAMES);
      if (context.pictures) await tab.screenshot({ path: join(context.pictures, `b14-${engine}.png`) });
      tabs.set(engine, tab);
      samples.set(engine, { main: [], render: [], rhi: [] });
    } catch (error) {
      failures.push(`B14 ${engine}: ${String(error)}`);
    }
  }
  const perRound = Math.ceil(context.frames / ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [engine, tab] of tabs) {
      const figures = await tab.evaluate((count) => window.characters.frames(count), perRound);
      for (const thread of ['main', 'render', 'rhi'] as const)
        samples.get(engine)?.[thread].push(...figures[thread]);
    }
    context.log(`B14 round ${round + 1} of ${ROUNDS}`);
  }
  for (const [engine, tab] of tabs) {
    const picks = await tab.evaluate((count) => window.characters.picks(count), PICKS).catch(() => null);
    const errors = await tab.evaluate(() => [...window.characters.errors]);
    if (errors.length > 0) failures.push(`B14 ${engine}: ${errors.slice(0, 3).join(' | ')}`);
    const { main = [], render = [], rhi = [] } = samples.get(engine) ?? {};
    results.push({
      id: 'B14',
      engine,
      version: await tab.evaluate(() => window.characters.version),
      mainMs: median(main),
      renderMs: median(render),
      rhiMs: median(rhi),
      pickFrames: picks ? median(picks) : null,
    });
    await tab.close();
  }
  const ours = results.find(({ engine }) => engine === 'fencepost');
  return {
    results,
    failures,
    targets: [
      atMost(
        'B14',
        `main-thread ms, ${CHARACTER_COUNT} cross-fading`,
        ours?.mainMs as number | undefined,
        0.1,
      ),
    ],
    table: [
      `B14 · ${CHARACTER_COUNT} figures of 19 joints cross-fading between two clips · medians of ${context.frames} frames, ms`,
      formatTable(
        ['engine', 'version', 'main thread', 'render worker', 'its RHI', 'frames to a pick'],
        results.map(({ engine, version, mainMs, renderMs, rhiMs, pickFrames: picks }) => [
          engine,
          version,
          ...[mainMs, renderMs, rhiMs, picks].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}
