/**
 * VARIANCE: evenness of frames, with the RHI in the render worker and on a thread of its own. `spread` is the standard
 * deviation of the times between completed frames, divided by their mean. Modes run in turns, and figures are medians
 * of the rounds. A third busy thread needs a third core. With fewer cores, an RHI thread makes frames less even.
 */
import { buildPage } from '../lib/build-pages.js';
import { type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { deviation, mean, median, quantile } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const PAGE = 'frame-times';
const MODES = ['render', 'render+rhi'] as const;
const ROUNDS = 5;
const WARMUP_FRAMES = 60;
/** Frames per round: at least 200, so that the slowest hundredth is more than one frame. */
const LEAST_FRAMES = 200;

export async function runFrameTimes(context: SuiteContext): Promise<SuiteOutcome> {
  await buildPage(context, { page: PAGE, entry: { file: 'pages/frame-times.ts' } });
  const results: BenchResult[] = [];
  const failures: string[] = [];
  for (const place of ['isolated', 'plain'] as const) {
    try {
      results.push(...(await measure(context, place)));
    } catch (error) {
      failures.push(`VARIANCE ${place}: ${String(error)}`);
    }
  }
  return { results, targets: [], failures, table: table(results) };
}

async function measure(context: SuiteContext, place: 'isolated' | 'plain'): Promise<BenchResult[]> {
  const tab = await context.browser.newPage({ viewport: { width: 256, height: 256 } });
  try {
    await tab.goto(`${context.server.origin}/${place}/${PAGE}/index.html`);
    await tab.waitForFunction(() => window.measureFrameTimes !== undefined, undefined, { timeout: 20_000 });
    const rounds: Record<(typeof MODES)[number], number[][]> = { render: [], 'render+rhi': [] };
    const frames = Math.max(LEAST_FRAMES, context.frames);
    for (let round = 0; round < ROUNDS; round++) {
      // The modes take turns to begin.
      for (const mode of round % 2 === 0 ? MODES : [...MODES].reverse()) {
        const times = await tab.evaluate(
          ([mode, warmup, frames]) => window.measureFrameTimes(mode, warmup, frames),
          [mode, WARMUP_FRAMES, frames] as const,
        );
        rounds[mode].push(times);
      }
    }
    const cores = await tab.evaluate(() => navigator.hardwareConcurrency);
    return MODES.map((mode) => {
      const middle = (figure: (times: readonly number[]) => number): number =>
        median(rounds[mode].map(figure));
      const result = {
        id: 'VARIANCE',
        engine: `${mode}${place === 'plain' ? ' (not isolated)' : ''}`,
        version: '',
        cores,
        meanMs: middle(mean),
        medianMs: middle(median),
        p95Ms: middle((times) => quantile(times, 0.95)),
        p99Ms: middle((times) => quantile(times, 0.99)),
        deviationMs: middle(deviation),
        spread: middle((times) => deviation(times) / mean(times)),
      };
      context.log(`VARIANCE ${result.engine}: ${result.spread.toFixed(2)}`);
      return result;
    });
  } finally {
    await tab.close();
  }
}

function table(results: readonly BenchResult[]): string {
  const figures = ['meanMs', 'medianMs', 'p95Ms', 'p99Ms', 'deviationMs', 'spread'];
  return [
    'VARIANCE · milliseconds between completed frames',
    formatTable(
      ['threading', 'cores', 'mean', 'median', '95 %', '99 %', 'deviation', 'spread'],
      results.map((result) => [
        result.engine,
        String(result.cores),
        ...figures.map((figure) => formatNumber(result[figure])),
      ]),
    ),
  ].join('\n');
}
