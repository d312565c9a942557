/**
 * FENCES: the time from a signal until the waiter runs, median and 99th percentile, for every form of fence. The worker
 * and the page need a core each. On a busy machine the scheduler determines the 99th percentile.
 */
import { buildPage } from '../lib/build-pages.js';
import { type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median, quantile } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const ROUNDS = 1000;

export async function runFenceLatency(context: SuiteContext): Promise<SuiteOutcome> {
  const page = 'fence-latency';
  await buildPage(context, { page, entry: { file: 'pages/fence-latency.ts' } });
  const results: BenchResult[] = [];
  const failures: string[] = [];
  for (const place of ['isolated', 'plain']) {
    const browserContext = await context.browser.newContext();
    try {
      const tab = await browserContext.newPage();
      await tab.goto(`${context.server.origin}/${place}/${page}/index.html`);
      const forms = await tab.evaluate((rounds) => window.measureFences(rounds), ROUNDS);
      for (const [engine, microseconds] of Object.entries(forms)) {
        const [medianUs, p99Us] = [median(microseconds), quantile(microseconds, 0.99)];
        context.log(`FENCES ${engine}: ${medianUs.toFixed(0)} µs, 99 %: ${p99Us.toFixed(0)} µs`);
        results.push({
          id: 'LATENCY-FENCE',
          engine,
          version: '',
          rounds: microseconds.length,
          medianUs,
          p99Us,
          fastestUs: quantile(microseconds, 0),
        });
      }
    } catch (error) {
      failures.push(`FENCES ${place}: ${String(error)}`);
    } finally {
      await browserContext.close();
    }
  }
  return {
    results,
    failures,
    targets: [],
    table: [
      'FENCES · from a signal to the waiter, microseconds (where not isolated, clocks have steps of 100 and may differ by 200)',
      formatTable(
        ['form', '', 'median', '99 %', 'fastest'],
        results.map(({ engine, medianUs, p99Us, fastestUs }) => [
          engine,
          '',
          ...[medianUs, p99Us, fastestUs].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}
