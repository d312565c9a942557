/**
 * CROWD: 16,384 and 100,000 boxes, which the page's thread moves (B1, R13). With setters, the render thread culls
 * alone. With arrays, it culls with 0, 1 and 2 helpers. The page is isolated and has no GPU. Configurations run one
 * after the other, each in a browser context of its own.
 */

import type { Page } from 'playwright';
import { buildPage } from '../lib/build-pages.js';
import { atMost, type BenchResult, type BenchTarget, formatNumber, formatTable } from '../lib/report.js';
import { median } from '../lib/statistics.js';
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

const runFrames = (tab: Page, frames: number, isBare: boolean): Promise<void> =>
  tab.evaluate(([frames, isBare]) => window.crowd.run(frames, isBare), [frames, isBare] as const);

/**
 * Returns the cost of a moved box on the page's thread beyond the same arithmetic on bare arrays, in nanoseconds of
 * processor time. It includes all work of the thread, such as messages of the engine, and excludes other programs.
 */
async function measureMover(tab: Page, count: number, frames: number): Promise<number> {
  const session = await tab.context().newCDPSession(tab);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const seconds = async (isBare: boolean): Promise<number> => {
    const read = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    };
    const began = await read();
    await runFrames(tab, frames, isBare);
    return (await read()) - began;
  };
  const differences: number[] = [];
  for (let turn = 0; turn < 3; turn++) differences.push((await seconds(false)) - (await seconds(true)));
  await session.detach();
  return (median(differences) / frames / count) * 1e9;
}

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
        await tab.waitForFunction(() => window.openCrowd !== undefined, undefined, { timeout: 20_000 });
        await tab.evaluate(([kind, helpers, count]) => window.openCrowd(kind, helpers, count), [
          kind,
          helpers,
          count,
        ] as const);
        // These frames warm up: code is compiled, and helpers have started.
        await runFrames(tab, context.frames, false);
        const { bareMs, gameMs, renderMs, cullMs, helped }: CrowdFigures = await tab.evaluate(
          (frames) => window.crowd.measure(frames),
          context.frames,
        );
        const nanoseconds = await measureMover(tab, count, context.frames);
        await tab.evaluate(() => window.crowd.close());
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
              `ns of processor time per mover over the same arithmetic, ${count} in arrays`,
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
        ['', 'bare arrays', 'page', 'CPU ns per mover', 'render thread', 'culling', 'helpers per cull'],
        results.map(({ engine, bareMs, gameMs, nanoseconds, renderMs, cullMs, helped }) => [
          engine,
          ...[bareMs, gameMs, nanoseconds, renderMs, cullMs, helped].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}
