/**
 * LATENCY: frames and time from a change in the game to its pixels on the canvas. With `frameSync: 'present'`, the
 * target is at most two frames with lag and one without. The suite also measures the default settings. Finally it
 * measures the platform itself: the page's thread or a worker clears a canvas without the engine.
 */
import { buildPage } from '../lib/build-pages.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median, quantile } from '../lib/statistics.js';
import type { LatencySource } from '../pages/latency.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const MODES = ['single', 'render', 'render+rhi'] as const;
const ENTRIES = [
  { name: 'present, lag', frameSync: 'present', oneFrameThreadLag: true, id: 'LATENCY.lag', target: 2 },
  { name: 'present, no lag', frameSync: 'present', oneFrameThreadLag: false, id: 'LATENCY.none', target: 1 },
  { name: 'default', frameSync: 'render', oneFrameThreadLag: true, id: null, target: 0 },
] as const;

const SOURCES: readonly { readonly engine: string; readonly source: LatencySource }[] = [
  ...MODES.flatMap((threading) =>
    ENTRIES.map(({ name, frameSync, oneFrameThreadLag }) => ({
      engine: `${threading}: ${name}`,
      source: { threading, frameSync, oneFrameThreadLag },
    })),
  ),
  { engine: 'by hand, page', source: { byHand: 'page' } },
  { engine: 'by hand, worker', source: { byHand: 'worker' } },
];

export async function runLatency(context: SuiteContext): Promise<SuiteOutcome> {
  const page = 'latency';
  await buildPage(context, { page, entry: { file: 'pages/latency.ts' } });
  const results: BenchResult[] = [];
  const failures: string[] = [];
  for (const { engine, source } of SOURCES) {
    const tab = await context.browser.newPage({ viewport: { width: 256, height: 256 } });
    try {
      await tab.goto(`${context.server.origin}/isolated/${page}/index.html`);
      await tab.waitForFunction(() => window.measureLatency !== undefined, undefined, { timeout: 20_000 });
      const { frames, milliseconds, framesPerSecond } = await tab.evaluate(
        ([asked, count]) => window.measureLatency(asked, count),
        [source, context.frames] as const,
      );
      const result: BenchResult = {
        id: 'LATENCY',
        engine,
        version: '',
        medianFrames: median(frames),
        p95Frames: quantile(frames, 0.95),
        medianMs: median(milliseconds),
        p95Ms: quantile(milliseconds, 0.95),
        framesPerSecond,
      };
      results.push(result);
      context.log(`LATENCY ${engine}: ${formatNumber(result.medianFrames)} frames`);
    } catch (error) {
      failures.push(`LATENCY ${engine}: ${String(error)}`);
    } finally {
      await tab.close();
    }
  }
  /** Returns the figure of the worst mode. */
  const worst = (name: string): number | undefined => {
    const of = results.filter(({ engine }) => engine.endsWith(`: ${name}`));
    return of.length === MODES.length ? Math.max(...of.map((each) => Number(each.medianFrames))) : undefined;
  };
  return {
    results,
    failures,
    targets: ENTRIES.flatMap(({ name, id, target }) =>
      id
        ? [atMost(id, `frames to the pixels of a change, median, worst mode: ${name}`, worst(name), target)]
        : [],
    ),
    table: [
      'LATENCY · from a change in the game to its pixels on the canvas, as the next ticks find them',
      formatTable(
        ['threads, frameSync', '', 'frames', '95 %', 'ms', '95 %', 'frames/s'],
        results.map(({ engine, medianFrames, p95Frames, medianMs, p95Ms, framesPerSecond }) => [
          engine,
          '',
          ...[medianFrames, p95Frames, medianMs, p95Ms, framesPerSecond].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}
