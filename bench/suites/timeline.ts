/**
 * TIMELINE: the cost of the event rings, which are always on. A scene of one cube runs with and without rings. Rounds
 * of 50 frames run in turns, on one thread without a GPU, and each frame is awaited. `share` is the added time divided
 * by `frameMs`, the time of all threads for a frame with WebGPU. That frame shows one cube, or 1,000 moving boxes.
 */
import { buildPage } from '../lib/build-pages.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { quantile } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const PAGE = 'timeline-cost';
const FRAMES_PER_ROUND = 50;
const SCENES = [
  { scene: 'hello cube', boxes: 1 },
  { scene: '1,000 moving boxes', boxes: 1000 },
] as const;

export async function runTimelineCost(context: SuiteContext): Promise<SuiteOutcome> {
  const results: BenchResult[] = [];
  const failures: string[] = [];
  await buildPage(context, { page: PAGE, entry: { file: 'pages/timeline-cost.ts' } });
  for (const { scene, boxes } of SCENES) {
    for (const isolation of ['isolated', 'plain'] as const) {
      const name = isolation === 'isolated' ? scene : `${scene} (not isolated)`;
      const browserContext = await context.browser.newContext();
      try {
        const tab = await browserContext.newPage();
        await tab.goto(`${context.server.origin}/${isolation}/${PAGE}/index.html`);
        await tab.waitForFunction(() => window.timelineCost !== undefined, undefined, { timeout: 20_000 });
        const { off, on, eventsPerFrame, frameMs } = await tab.evaluate(
          ([boxes, rounds, frames]) => window.timelineCost(boxes, rounds, frames),
          [boxes, context.frames, FRAMES_PER_ROUND] as const,
        );
        // The quicker rounds count, because other programs disturb the slower ones.
        const [offMs, onMs] = [quantile(off, 0.25), quantile(on, 0.25)];
        const added = onMs - offMs;
        results.push({
          id: 'TIMELINE',
          engine: name,
          version: '',
          offMs,
          onMs,
          addedMicroseconds: added * 1000,
          eventsPerFrame,
          frameMs,
          share: added / frameMs,
        });
        context.log(`TIMELINE ${name}: ${formatShare(added / frameMs)}`);
      } catch (error) {
        failures.push(`TIMELINE ${name}: ${String(error)}`);
      } finally {
        await browserContext.close();
      }
    }
  }
  return {
    results,
    failures,
    targets: results.map(({ engine, share }) =>
      atMost(
        `TIMELINE.${engine}`,
        `share of a frame's CPU time that the rings take, ${engine}`,
        share as number,
        0.02,
      ),
    ),
    table: [
      `TIMELINE · the event rings · ms per frame, lower quartiles of ${context.frames} rounds of ${FRAMES_PER_ROUND} frames`,
      formatTable(
        ['scene', '', 'rings off', 'on', 'added, µs', 'events', 'frame with WebGPU', 'share'],
        results.map((result) => [
          result.engine,
          '',
          formatMilliseconds(result.offMs),
          formatMilliseconds(result.onMs),
          formatNumber(result.addedMicroseconds),
          formatNumber(result.eventsPerFrame),
          formatMilliseconds(result.frameMs),
          formatShare(result.share),
        ]),
      ),
    ].join('\n'),
  };
}

const formatMilliseconds = (value: unknown): string => (value as number).toFixed(4);
const formatShare = (value: unknown): string => `${((value as number) * 100).toFixed(2)} %`;
