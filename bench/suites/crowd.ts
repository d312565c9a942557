/**
 * CROWD: 16,384 to 100,000 boxes that all move, by setters and in arrays, with 0, 1 and 2 helpers of the render thread, on an isolated
 * page without a GPU (B1, B7, R13). Each configuration has an engine of its own, in turns, on the same page.
 */

import { buildPage } from '../lib/build-pages.js';
import { atMost, type BenchResult, type BenchTarget, formatNumber, formatTable } from '../lib/report.js';
import type { CrowdFigures, CrowdKind } from '../pages/crowd.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const PAGE = 'crowd';
const COUNTS = [16_384, 100_000];
const RUNS: readonly (readonly [CrowdKind, number])[] = [
  ['setters', 0],
  ['arrays', 0],
  ['arrays', 1],
  ['arrays', 2],
];

export async function runCrowd(context: SuiteContext): Promise<SuiteOutcome> {
  const results: BenchResult[] = [];
  const failures: string[] = [];
  const targets: BenchTarget[] = [];
  await buildPage(context, { page: PAGE, entry: { file: 'pages/crowd.ts' } });
  for (const count of COUNTS) {
    for (const [kind, helpers] of RUNS) {
      const engine = `${count} by ${kind}, ${helpers} helpers`;
      const browserContext = await context.browser.newContext();
      try {
        const tab = await browserContext.newPage();
        await tab.goto(`${context.server.origin}/isolated/${PAGE}/index.html`);
        await tab.waitForFunction(() => window.measureCrowd !== undefined, undefined, { timeout: 20_000 });
        const figures: CrowdFigures = await tab.evaluate(
          ([kind, helpers, count, frames]) => window.measureCrowd(kind, helpers, count, frames),
          [kind, helpers, count, context.frames] as const,
        );
        const { bareMs, gameMs, renderMs, cullMs, helped } = figures;
        const nanoseconds = ((gameMs - bareMs) * 1e6) / count;
        results.push({
          id: 'CROWD',
          engine,
          version: '',
          bareMs,
          gameMs,
          renderMs,
          cullMs,
          helped,
          nanoseconds,
        });
        context.log(`CROWD ${engine}: page ${formatNumber(gameMs)} ms, render ${formatNumber(renderMs)} ms`);
        if (kind === 'arrays' && helpers === 0) {
          targets.push(
            atMost(
              `B7.${count}`,
              `ns per mover over the same arithmetic, ${count} in arrays`,
              nanoseconds,
              40,
            ),
          );
        }
      } catch (error) {
        failures.push(`CROWD ${engine}: ${String(error)}`);
      } finally {
        await browserContext.close();
      }
    }
  }
  return {
    results,
    failures,
    targets,
    table: [
      `CROWD · movers by setters and in arrays · medians of ${context.frames} frames, ms`,
      formatTable(
        ['', 'bare arrays', 'page', 'ns per mover', 'render thread', 'culling', 'helpers per cull'],
        results.map(({ engine, bareMs, gameMs, nanoseconds, renderMs, cullMs, helped }) => [
          engine,
          ...[bareMs, gameMs, nanoseconds, renderMs, cullMs, helped].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}
