/**
 * B12: the cost of the frame graph. It measures the CPU time of a frame whose graph has the shape of the last frame, a
 * cached shape or a new shape. It also measures heap growth per frame, and the bytes of transient resources with and
 * without sharing.
 */
import type { CDPSession } from 'playwright';
import { buildPage } from '../lib/build-pages.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const FRAMES = 5000;
const MOST_MICROSECONDS = 20;
const MOST_SHARED = 0.6;

export async function runFrameGraph(context: SuiteContext): Promise<SuiteOutcome> {
  const page = 'frame-graph';
  const browserContext = await context.browser.newContext();
  try {
    await buildPage(context, { page, entry: { file: 'pages/frame-graph.ts' } });
    const tab = await browserContext.newPage();
    await tab.goto(`${context.server.origin}/isolated/${page}/index.html`);
    const run = await tab.evaluate((frames) => window.runGraph(frames), FRAMES);
    const session = await browserContext.newCDPSession(tab);
    const heapBytes = await heapPerFrame(session, (frames) =>
      tab.evaluate((count) => window.runSteady(count), frames),
    );
    const shared = run.sharedBytes / run.unsharedBytes;
    const result: BenchResult = { id: 'B12', engine: 'fencepost', version: '', ...run, shared, heapBytes };
    return {
      results: [result],
      failures: [],
      targets: [
        atMost('B12.time', 'µs per frame while the graph keeps its shape', run.steady, MOST_MICROSECONDS),
        atMost('B12.bytes', 'transient bytes ÷ those without sharing', shared, MOST_SHARED),
      ],
      table: [
        `B12 · a frame graph of ${run.passes} passes, three views deferred, ${FRAMES} frames`,
        formatTable(
          [
            '',
            '',
            'same shape, µs',
            'known shape, µs',
            'new shape, µs',
            'bytes left per frame',
            'transient MB',
            'without sharing',
          ],
          [
            [
              '',
              '',
              formatNumber(run.steady),
              formatNumber(run.known),
              formatNumber(run.compiled),
              formatNumber(heapBytes),
              formatNumber(run.sharedBytes / 1e6),
              formatNumber(run.unsharedBytes / 1e6),
            ],
          ],
        ),
      ].join('\n'),
    };
  } catch (error) {
    return { results: [], failures: [`B12: ${String(error)}`], targets: [], table: '' };
  } finally {
    await browserContext.close();
  }
}

/** Returns the growth of the heap per frame. Garbage counts, because it is collected only before the frames. */
async function heapPerFrame(session: CDPSession, run: (frames: number) => Promise<void>): Promise<number> {
  await session.send('HeapProfiler.enable');
  await run(FRAMES);
  await session.send('HeapProfiler.collectGarbage');
  const used = async (): Promise<number> => (await session.send('Runtime.getHeapUsage')).usedSize;
  const before = await used();
  await run(FRAMES);
  return ((await used()) - before) / FRAMES;
}
