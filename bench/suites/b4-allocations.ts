/**
 * B4: allocations of a frame in the steady state. Setters move 1,000 boxes, and a render worker draws them in animation
 * frames. The suite reports the sum of the allocations, and their bytes by function from the sampling profiler. It also
 * reports the heap's growth, compiled code included, in a run of as many frames without the profiler. The same figures
 * of a page that only requests animation frames are the baseline.
 */
import { buildPage } from '../lib/build-pages.js';
import {
  type HeapThread,
  heapBytes,
  heapThreads,
  startSampling,
  stopSampling,
} from '../lib/heap-sampling.js';
import { atMost, type BenchResult, type BenchTarget, formatNumber, formatTable } from '../lib/report.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const PAGE = 'steady';
const BOXES = 1000;
/** Uncounted first frames, until code is compiled and pools are full. */
const WARMUP = 400;
const FRAMES = 300;
/** Reported functions per thread. */
const REPORTED_FUNCTIONS = 6;
/** Limits of the page's thread in bytes per frame. */
const LIMITS = { isolated: 1024, plain: 4096 } as const;

export async function runAllocations(context: SuiteContext): Promise<SuiteOutcome> {
  const results: BenchResult[] = [];
  const targets: BenchTarget[] = [];
  const failures: string[] = [];
  const functionLines: string[] = [];
  await buildPage(context, { page: PAGE, entry: { file: 'pages/steady.ts' } });
  for (const isolation of ['isolated', 'plain'] as const) {
    for (const boxes of [0, BOXES]) {
      const engine = `${boxes > 0 ? `${boxes} boxes` : 'frames alone'}, ${isolation}`;
      try {
        for (const figures of await measure(context, isolation, boxes)) {
          const { thread, bytes, grown, functions } = figures;
          results.push({
            id: 'B4',
            engine: `${engine}: ${thread}`,
            version: '',
            bytesPerFrame: bytes,
            grown,
          });
          context.log(`B4 ${engine}: ${thread}: ${formatNumber(bytes)} bytes per frame`);
          if (boxes > 0) functionLines.push(`${engine}: ${thread}`, ...functions.map((line) => `  ${line}`));
          if (boxes > 0 && thread === 'page')
            targets.push(
              atMost(
                `B4.${isolation}`,
                `bytes allocated per frame on the page's thread, ${isolation}`,
                bytes,
                LIMITS[isolation],
              ),
            );
        }
      } catch (error) {
        failures.push(`B4 ${engine}: ${String(error)}`);
      }
    }
  }
  return {
    results,
    failures,
    targets,
    table: [
      `B4 · bytes allocated per frame · ${FRAMES} frames`,
      formatTable(
        ['', '', 'bytes per frame', 'growth of the heap'],
        results.map(({ engine, bytesPerFrame, grown }) => [
          engine,
          '',
          formatNumber(bytesPerFrame),
          formatNumber(grown),
        ]),
      ),
      'by function, bytes per frame, sampled:',
      ...functionLines,
    ].join('\n'),
  };
}

interface ThreadFigures {
  readonly thread: string;
  readonly bytes: number;
  readonly grown: number;
  readonly functions: readonly string[];
}

async function measure(
  { browser, server }: SuiteContext,
  isolation: 'isolated' | 'plain',
  boxes: number,
): Promise<ThreadFigures[]> {
  const browserContext = await browser.newContext();
  try {
    const tab = await browserContext.newPage();
    await tab.goto(`${server.origin}/${isolation}/${PAGE}/index.html`);
    await tab.waitForFunction(() => window.steady !== undefined, undefined, { timeout: 20_000 });
    if (boxes > 0) await tab.evaluate((count) => window.steady.startMoving(count), boxes);
    const run = async (frames: number): Promise<void> => {
      const shown = await tab.evaluate((count) => window.steady.run(count), frames);
      if (boxes > 0 && shown === 0) throw new Error('no frame was shown');
    };
    await run(WARMUP);
    const threads = await heapThreads(tab);
    const grown = await growth(threads, () => run(FRAMES));
    for (const thread of threads) await startSampling(thread);
    await run(FRAMES);
    const figures: ThreadFigures[] = [];
    for (const [index, thread] of threads.entries()) {
      const allocations = await stopSampling(thread);
      figures.push({
        thread: thread.name,
        bytes: allocations.reduce((sum, [, bytes]) => sum + bytes, 0) / FRAMES,
        grown: (grown[index] ?? 0) / FRAMES,
        functions: allocations
          .slice(0, REPORTED_FUNCTIONS)
          .map(([name, bytes]) => `${formatNumber(bytes / FRAMES)}  ${name}`),
      });
    }
    return figures;
  } finally {
    await browserContext.close();
  }
}

/**
 * Returns the growth of each thread's heap in bytes. It equals the allocations as long as they fit into the young
 * generation.
 */
async function growth(threads: readonly HeapThread[], run: () => Promise<void>): Promise<number[]> {
  const before: number[] = [];
  for (const thread of threads) before.push(await heapBytes(thread, true));
  await run();
  return Promise.all(
    threads.map(async (thread, index) => (await heapBytes(thread, false)) - (before[index] ?? 0)),
  );
}
