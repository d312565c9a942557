/**
 * STREAM: a file of 100 MB is loaded into a running scene, with the upload budget on and off. It measures the time, the
 * longest standstill of the page and of the picture (compared with the seconds before), and the longest task of the
 * page's thread.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPage } from '../lib/build-pages.js';
import { longScene } from '../lib/long-scene.js';
import { traceLoad } from '../lib/page-trace.js';
import { type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const ENTRIES = [
  { engine: 'fencepost', scene: 'fencepost', make: 'fencepost()' },
  { engine: 'fencepost, no budget', scene: 'fencepost', make: 'fencepost(Infinity)' },
  { engine: 'three', scene: 'three', make: 'three()' },
] as const;
const RUNS = 3;

type Entry = (typeof ENTRIES)[number];

const pageOf = ({ engine }: Entry): string => `stream-${engine.replace(/\W+/g, '-')}`;

interface Figures {
  readonly version: string;
  readonly totalMs: number;
  readonly longestTaskMs: number;
  readonly pageMs: number;
  readonly pictureMs: number;
  readonly pageBeforeMs: number;
  readonly pictureBeforeMs: number;
}

const FIGURES = [
  'totalMs',
  'longestTaskMs',
  'pageMs',
  'pictureMs',
  'pageBeforeMs',
  'pictureBeforeMs',
] as const;

export async function runStream(context: SuiteContext): Promise<SuiteOutcome> {
  const failures: string[] = [];
  const file = longScene();
  await writeFile(join(context.outFolder, 'long.glb'), file);
  const entries = ENTRIES.filter(({ scene }) => context.isWanted(scene));
  for (const entry of entries) {
    const code = `import { serve } from './pages/stream.ts'; import { ${entry.scene} } from './scenes/stream-${entry.scene}.ts'; serve(${entry.make});`;
    await buildPage(context, { page: pageOf(entry), entry: { code } });
  }
  const runs = new Map<Entry, Figures[]>(entries.map((entry) => [entry, []]));
  for (let run = 0; run < RUNS; run++) {
    for (const [entry, figures] of runs) {
      try {
        const measured = await measure(context, pageOf(entry), run === 0);
        figures.push(measured);
        const told = FIGURES.map((figure) => `${figure} ${formatNumber(measured[figure])}`);
        context.log(`STREAM ${entry.engine}: ${told.join(', ')}`);
      } catch (error) {
        failures.push(`STREAM ${entry.engine}: ${String(error)}`);
      }
    }
  }
  const results: BenchResult[] = [...runs].map(([{ engine }, figures]) => ({
    id: 'STREAM',
    engine,
    version: figures[0]?.version ?? '',
    fileBytes: file.byteLength,
    ...Object.fromEntries(FIGURES.map((figure) => [figure, median(figures.map((each) => each[figure]))])),
  }));
  return {
    results,
    failures,
    targets: [],
    table: [
      `STREAM · a file of ${(file.byteLength / 1e6).toFixed(0)} MB comes into a scene that runs · medians of ${RUNS} runs, milliseconds`,
      formatTable(
        [
          'engine',
          'version',
          'total',
          'longest task',
          'worst page',
          'worst picture',
          'page before',
          'picture before',
        ],
        results.map((result) => [
          result.engine,
          result.version,
          ...FIGURES.map((figure) => formatNumber(result[figure])),
        ]),
      ),
    ].join('\n'),
  };
}

async function measure(context: SuiteContext, page: string, isPictured: boolean): Promise<Figures> {
  const browserContext = await context.browser.newContext({ viewport: { width: 256, height: 256 } });
  try {
    const tab = await browserContext.newPage();
    await tab.goto(`${context.server.origin}/isolated/${page}/index.html`);
    await tab.waitForFunction(() => window.streaming !== undefined, undefined, { timeout: 20_000 });
    await tab.evaluate(() => window.streaming.start());
    const { result, longestTaskMs } = await traceLoad(context.browser, tab, () =>
      tab.evaluate(() => window.streaming.run()),
    );
    if (context.pictures && isPictured) await tab.screenshot({ path: join(context.pictures, `${page}.png`) });
    const { version, totalMs, before, during, errors } = result;
    if (errors.length > 0) throw new Error(errors.slice(0, 3).join(' | '));
    return {
      version,
      totalMs,
      longestTaskMs,
      pageMs: during.pageMs,
      pictureMs: during.pictureMs,
      pageBeforeMs: before.pageMs,
      pictureBeforeMs: before.pictureMs,
    };
  } finally {
    await browserContext.close();
  }
}
