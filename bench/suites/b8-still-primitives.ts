/**
 * B8: 100,000 primitives that stand still, each in an actor. The suite measures the page's thread, and the render
 * thread with few and with many primitives in view. It runs without a GPU.
 */
import { buildPage } from '../lib/build-pages.js';
import { atMost, type BenchResult, type BenchTarget, formatNumber, formatTable } from '../lib/report.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const PAGE = 'steady';
const COUNT = 100_000;
const IN_VIEW = [0, 1000, 10_000, 100_000];
/** Limit of the page's thread in milliseconds. */
const LIMIT = 0.05;

export async function runStillPrimitives(context: SuiteContext): Promise<SuiteOutcome> {
  const results: BenchResult[] = [];
  const targets: BenchTarget[] = [];
  const failures: string[] = [];
  await buildPage(context, { page: PAGE, entry: { file: 'pages/steady.ts' } });
  for (const inView of IN_VIEW) {
    const browserContext = await context.browser.newContext();
    try {
      const tab = await browserContext.newPage();
      await tab.goto(`${context.server.origin}/isolated/${PAGE}/index.html`);
      await tab.waitForFunction(() => window.steady !== undefined, undefined, { timeout: 20_000 });
      const { visible, gameMs, renderMs } = await tab.evaluate(
        ([count, inView, frames]) => window.steady.still(count, inView, frames),
        [COUNT, inView, context.frames] as const,
      );
      if (visible !== inView) throw new Error(`${visible} were visible`);
      results.push({ id: 'B8', engine: `${inView} in view`, version: '', gameMs, renderMs });
      context.log(
        `B8 ${inView} in view: page ${formatNumber(gameMs)} ms, render ${formatNumber(renderMs)} ms`,
      );
      targets.push(
        atMost(
          `B8.${inView}`,
          `ms of the page's thread, ${COUNT} that stand still, ${inView} in view`,
          gameMs,
          LIMIT,
        ),
      );
    } catch (error) {
      failures.push(`B8 ${inView} in view: ${String(error)}`);
    } finally {
      await browserContext.close();
    }
  }
  return {
    results,
    failures,
    targets,
    table: [
      `B8 · ${COUNT} primitives that stand still · medians of ${context.frames} frames, ms`,
      formatTable(
        ['', '', 'page', 'render thread'],
        results.map(({ engine, gameMs, renderMs }) => [
          engine,
          '',
          formatNumber(gameMs),
          formatNumber(renderMs),
        ]),
      ),
    ].join('\n'),
  };
}
