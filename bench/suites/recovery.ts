/**
 * RECOVERY: time from a lost device, or a killed worker, to the next complete frame. The time has two parts, before and
 * after the engine notices the loss. A killed worker sends nothing, so the watchdog's limit determines the first part.
 * The limit is one second here; its default is five.
 */
import { buildPage } from '../lib/build-pages.js';
import { type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median, quantile } from '../lib/statistics.js';
import type { RecoveryResult, RecoveryRun } from '../pages/recovery.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const RESTART_SECONDS = 1;
const MINIMUM_RUNS = 10;

const ENTRIES: readonly {
  name: string;
  threading: NonNullable<RecoveryRun['options']['threading']>;
  what: RecoveryRun['what'];
}[] = [
  { name: 'single: device', threading: 'single', what: 'device' },
  { name: 'render: device', threading: 'render', what: 'device' },
  { name: 'render+rhi: device', threading: 'render+rhi', what: 'device' },
  { name: 'render: worker', threading: 'render', what: 0 },
  { name: 'render+rhi: RHI worker', threading: 'render+rhi', what: 0 },
  { name: 'render+rhi: render worker', threading: 'render+rhi', what: 1 },
];

export async function runRecovery(context: SuiteContext): Promise<SuiteOutcome> {
  const page = 'recovery';
  await buildPage(context, { page, entry: { file: 'pages/recovery.ts' } });
  const results: BenchResult[] = [];
  const failures: string[] = [];
  const runs = Math.max(MINIMUM_RUNS, context.runs);
  for (const place of ['isolated', 'plain'] as const) {
    const tab = await context.browser.newPage({ viewport: { width: 256, height: 256 } });
    try {
      await tab.goto(`${context.server.origin}/${place}/${page}/index.html`);
      await tab.waitForFunction(() => window.measureRecovery !== undefined, undefined, { timeout: 20_000 });
      for (const { name, threading, what } of ENTRIES) {
        const engine = `${name}${place === 'plain' ? ' (not isolated)' : ''}`;
        const watchdog = { reportSeconds: RESTART_SECONDS / 2, restartSeconds: RESTART_SECONDS };
        const samples: RecoveryResult[] = [];
        try {
          for (let run = 0; run < runs; run++) {
            const parameters = { options: { threading, watchdog }, what };
            samples.push(await tab.evaluate((each) => window.measureRecovery(each), parameters));
          }
        } catch (error) {
          failures.push(`RECOVERY ${engine}: ${String(error)}`);
          continue;
        }
        const totals = samples.map(({ noticed, restored }) => noticed + restored);
        const result: BenchResult = {
          id: 'RECOVERY',
          engine,
          version: '',
          runs,
          noticedMs: median(samples.map(({ noticed }) => noticed)),
          restoredMs: median(samples.map(({ restored }) => restored)),
          totalMs: median(totals),
          p95Ms: quantile(totals, 0.95),
        };
        results.push(result);
        context.log(`RECOVERY ${engine}: ${formatNumber(result.totalMs)} ms`);
      }
    } catch (error) {
      failures.push(`RECOVERY ${place}: ${String(error)}`);
    } finally {
      await tab.close();
    }
  }
  return {
    results,
    failures,
    targets: [],
    table: [
      `RECOVERY · median of ${runs} runs each, milliseconds; workers are watched for ${RESTART_SECONDS} s (5 s by default)`,
      formatTable(
        ['what is lost', '', 'until noticed', 'until the first frame', 'together', '95 %'],
        results.map(({ engine, noticedMs, restoredMs, totalMs, p95Ms }) => [
          engine,
          '',
          ...[noticedMs, restoredMs, totalMs, p95Ms].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}
