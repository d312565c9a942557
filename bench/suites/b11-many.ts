/**
 * B11: the time of each thread for a frame, beside three.js and Babylon.js. The cases are 500 moving lights, 2,000
 * moving meshes with shadows in 4 cascades, and 3,000 meshes before a turning camera. Engines take turns, so that a
 * busy minute affects all of them. Pictures are small, and the GPU is idle between frames.
 */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { buildPage } from '../lib/build-pages.js';
import { MANY_CASES, type ManyCase, type ThreadTimes } from '../lib/many-scene.js';
import { atMost, type BenchResult, type BenchTarget, formatNumber, formatTable } from '../lib/report.js';
import { median } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const ENGINES = ['fencepost', 'three', 'babylon'] as const;
type ManyEngine = (typeof ENGINES)[number];

/** Width and height of the picture in pixels. */
const SIZE = 128;
const ROUNDS = 4;
const THREADS = ['mainMs', 'renderMs', 'rhiMs'] as const;

export async function runMany(context: SuiteContext): Promise<SuiteOutcome> {
  const engines = ENGINES.filter((engine) => context.isWanted(engine));
  for (const engine of engines) {
    const code = `import { serve } from './pages/many.ts'; import { scene } from './scenes/many-${engine}.ts'; serve(scene);`;
    await buildPage(context, { page: `many-${engine}`, entry: { code } });
  }
  const failures: string[] = [];
  const results: BenchResult[] = [];
  const targets: BenchTarget[] = [];
  for (const of of MANY_CASES) {
    const measured = await measureCase(context, engines, of, failures);
    results.push(...measured);
    targets.push(...targetsOf(of, measured));
    context.log(`B11 ${of}: measured`);
  }
  return { results, failures, targets, table: table(results, context) };
}

async function measureCase(
  context: SuiteContext,
  engines: readonly ManyEngine[],
  of: ManyCase,
  failures: string[],
): Promise<BenchResult[]> {
  const tabs = new Map<ManyEngine, Page>();
  const samples = new Map<ManyEngine, ThreadTimes[]>();
  const attempt = async (engine: ManyEngine, run: () => Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      failures.push(`B11, ${of}, ${engine}: ${String(error)}`);
      await tabs.get(engine)?.close();
      tabs.delete(engine);
    }
  };
  const drawIn = async (tab: Page, frames: number): Promise<ThreadTimes[]> => {
    const times = await tab.evaluate((count) => window.many.frames(count), frames);
    const errors = await tab.evaluate(() => [...window.many.errors]);
    if (errors.length > 0) throw new Error(errors.slice(0, 3).join(' | '));
    return times;
  };
  for (const engine of engines) {
    await attempt(engine, async () => {
      const tab = await context.browser.newPage({ viewport: { width: SIZE, height: SIZE } });
      tabs.set(engine, tab);
      samples.set(engine, []);
      tab.on('pageerror', ({ message }) => failures.push(`B11, ${of}, ${engine}: ${message}`));
      await tab.goto(`${context.server.origin}/isolated/many-${engine}/index.html`);
      await tab.waitForFunction(() => window.many !== undefined, undefined, { timeout: 20_000 });
      await tab.evaluate((each) => window.many.start(each), of);
      await drawIn(tab, Math.max(60, context.warmup));
      if (context.pictures) await tab.screenshot({ path: join(context.pictures, `b11-${of}-${engine}.png`) });
    });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [engine, tab] of tabs) {
      await attempt(engine, async () => {
        samples.get(engine)?.push(...(await drawIn(tab, Math.ceil(context.frames / ROUNDS))));
      });
    }
  }
  const results: BenchResult[] = [];
  for (const [engine, tab] of tabs) {
    const version = await tab.evaluate(() => window.many.version);
    const times = samples.get(engine) ?? [];
    const threads = THREADS.filter((thread) => times[0]?.[thread] !== undefined);
    const medians = threads.map((thread) => [thread, median(times.map((each) => each[thread] ?? 0))]);
    results.push({ id: 'B11', engine, version, case: of, ...Object.fromEntries(medians) });
    await tab.close();
  }
  return results;
}

function targetsOf(of: ManyCase, results: readonly BenchResult[]): BenchTarget[] {
  const main = (engine: ManyEngine): number | undefined =>
    results.find((result) => result.engine === engine)?.mainMs as number | undefined;
  const ours = results.find(({ engine }) => engine === 'fencepost');
  const three = main('three');
  const busiest = ours && Math.max(...THREADS.map((thread) => (ours[thread] as number) ?? 0));
  const ratio = busiest !== undefined && three ? busiest / three : undefined;
  return [
    atMost(`B11 ${of}`, 'the busiest thread ÷ three’s main thread', ratio, 0.5),
    atMost(`B11 ${of}, page`, 'ms of the page’s thread', main('fencepost'), 0.1),
  ];
}

function table(results: readonly BenchResult[], context: SuiteContext): string {
  return [
    `B11 · ms per frame by thread, ${SIZE} × ${SIZE} pixels, 4× MSAA, medians of ${context.frames} frames`,
    formatTable(
      ['case', 'engine', 'version', 'main', 'render', 'rhi'],
      results.map(({ case: of, engine, version, ...times }) => [
        String(of),
        engine,
        version,
        ...THREADS.map((thread) =>
          times[thread] === undefined ? '–' : formatNumber(times[thread] as number),
        ),
      ]),
    ),
  ].join('\n');
}
