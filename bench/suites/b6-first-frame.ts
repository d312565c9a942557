/**
 * B6: milliseconds from the start of the navigation to the first frame with the cube complete on the GPU. The browser
 * is warm (same process, scripts in its cache). Every engine runs 15 times by default. The engines take turns, so that
 * changes of the machine's speed affect all in the same way.
 *
 *   round 1: by hand · fencepost · lite · …   round 2: fencepost · lite · … · by hand   …
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median, quantile } from '../lib/statistics.js';
import { versionOf } from './b5-size.js';
import type { SuiteContext, SuiteOutcome } from './context.js';
import {
  buildProbe,
  buildTimedHello,
  firstFrame,
  HELLO_CANVAS_SIZE,
  REFERENCE,
  TIMED_HELLOS,
} from './hello.js';

/** Uncounted first rounds, in which the browser's caches of code and shaders are filled. */
const WARM_UP_ROUNDS = 1;

export async function runFirstFrames(context: SuiteContext): Promise<SuiteOutcome> {
  const failures: string[] = [];
  const probe = await buildProbe(context);
  const runs: { engine: string; file: string; page: string; samples: number[] }[] = [];
  for (const hello of TIMED_HELLOS) {
    if (!context.isWanted(hello.file)) continue;
    try {
      runs.push({
        engine: hello.engine,
        file: hello.file,
        page: await buildTimedHello(context, hello),
        samples: [],
      });
    } catch (error) {
      failures.push(`B6 ${hello.engine}: ${String(error)}`);
    }
  }
  const browserContext = await context.browser.newContext({ viewport: { width: 256, height: 256 } });
  await browserContext.addInitScript({ content: probe });
  const broken = new Set<string>();
  for (let round = -WARM_UP_ROUNDS; round < context.runs; round++) {
    for (let turn = 0; turn < runs.length; turn++) {
      const run = runs[(turn + Math.max(round, 0)) % runs.length];
      if (!run || broken.has(run.engine)) continue;
      const tab = await browserContext.newPage();
      try {
        await tab.goto(`${context.server.origin}/isolated/${run.page}/index.html`);
        const milliseconds = await firstFrame(tab);
        if (round >= 0) run.samples.push(milliseconds);
        else if (context.pictures) {
          await mkdir(context.pictures, { recursive: true });
          await tab.screenshot({
            clip: { x: 0, y: 0, width: HELLO_CANVAS_SIZE, height: HELLO_CANVAS_SIZE },
            path: join(context.pictures, `b6-${run.page}.png`),
          });
        }
      } catch (error) {
        broken.add(run.engine);
        failures.push(`B6 ${run.engine}: ${String(error)}`);
      } finally {
        await tab.close();
      }
    }
  }
  await browserContext.close();

  const results: BenchResult[] = [];
  for (const run of runs) {
    if (broken.has(run.engine)) continue;
    results.push({
      id: 'B6',
      engine: run.engine,
      version: await versionOf(context.root, run.file),
      firstFrameMs: median(run.samples),
      p95Ms: quantile(run.samples, 0.95),
      fastestMs: quantile(run.samples, 0),
      runs: run.samples.length,
    });
  }
  const of = (engine: string) => results.find((result) => result.engine === engine)?.firstFrameMs as number;
  return {
    results,
    failures,
    targets: [
      atMost(
        'B6',
        'first frame, ms more than hand-written WebGPU with the same shaders and MSAA',
        of('fencepost') - of(REFERENCE),
        60,
      ),
    ],
    table: [
      `B6 · hello cube · first frame complete on the GPU, ms since the navigation began, ${context.runs} interleaved runs`,
      formatTable(
        ['engine', 'version', 'median', 'p95', 'fastest'],
        results.map((result) => [
          result.engine,
          result.version,
          ...[result.firstFrameMs, result.p95Ms, result.fastestMs].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}
