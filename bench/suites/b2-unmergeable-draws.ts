/**
 * B2: what 5,000 draws cost that nobody can merge, in a worker: recorded and translated through `fencepost/rhi`,
 * beside a loop of WebGPU calls written by hand. Once with another visible set every frame, where each draw must be
 * told to WebGPU, and once with the set unchanged while everything moves. There the program records a draw bundle and
 * compares the set with the last frame's; one that records each frame, whose pass is replayed unasked, is a row as well.
 *
 * What is compared is the draws' own work, as in the figures the targets come from: from the first word recorded of the
 * pass to the complete list, without the upload of what moves (384 kB) and the submission, which every loop hands to
 * WebGPU alike. The whole frame is held to the same bound, and printed beside it.
 */
import { buildPage } from '../lib/build-pages.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median, quantile } from '../lib/statistics.js';
import { COMMANDS_PER_DRAW, DRAW_COUNT } from '../lib/unmergeable.js';
import type { Measurement } from '../pages/unmergeable-draws-worker.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const NANOSECONDS_PER_MILLISECOND = 1e6;
/**
 * Frames not measured, of every loop: five seconds of an application. Until then the browser still interprets what runs
 * once a frame, and compiles anew what it has just learnt of.
 */
const LEAST_WARMUP = 300;
const CASES = [
  { isChanging: true, key: 'changing', name: 'another set every frame', target: 1.2, finalTarget: 1.1 },
  { isChanging: false, key: 'unchanged', name: 'set unchanged, all moving', target: 0.3, finalTarget: 0.15 },
] as const;

export async function runUnmergeableDraws(context: SuiteContext): Promise<SuiteOutcome> {
  const page = 'b2-unmergeable-draws';
  await buildPage(context, { page, entry: { file: 'pages/unmergeable-draws.ts' } });
  const browserContext = await context.browser.newContext();
  const failures: string[] = [];
  const results: BenchResult[] = [];
  try {
    const tab = await browserContext.newPage();
    await tab.goto(`${context.server.origin}/isolated/${page}/index.html`);
    for (const { isChanging, name } of CASES) {
      const measurement = await tab.evaluate((request) => window.measureDraws(request), {
        warmup: Math.max(context.warmup, LEAST_WARMUP),
        frames: context.frames,
        isChanging,
      });
      failures.push(...measurement.errors.map((error) => `B2, ${name}: ${error}`));
      results.push(...figures(measurement));
    }
  } catch (error) {
    failures.push(`B2: ${String(error)}`);
  } finally {
    await browserContext.close();
  }
  return { results, failures, targets: targets(results), table: table(results, context) };
}

function figures({ loops }: Measurement): BenchResult[] {
  const perCommand = NANOSECONDS_PER_MILLISECOND / (DRAW_COUNT * COMMANDS_PER_DRAW);
  return loops.map(({ name, isChanging, record, translate, total, drawBytes }) => {
    const draws = translate.map((milliseconds, i) => milliseconds + (record[i] ?? 0));
    return {
      id: 'B2',
      engine: name,
      version: '',
      isChanging,
      draws: DRAW_COUNT,
      drawsMs: median(draws),
      p95Ms: quantile(draws, 0.95),
      frameMs: median(total),
      recordNsPerCommand: median(record) * perCommand,
      translateNsPerCommand: median(translate) * perCommand,
      bytesPerDraw: drawBytes / DRAW_COUNT,
    };
  });
}

function targets(results: readonly BenchResult[]) {
  return CASES.flatMap(({ isChanging, key, name, target, finalTarget }) => {
    const ratio = (figure: string): number => {
      const of = (engine: string) =>
        results.find((result) => result.engine === engine && result.isChanging === isChanging)?.[
          figure
        ] as number;
      return of('fencepost/rhi') / of('by hand');
    };
    const what = `record + translate ÷ hand-written WebGPU, ${DRAW_COUNT} draws, ${name}`;
    return [
      atMost(`B2.${key}`, what, ratio('drawsMs'), target),
      atMost(`B2.${key}-end`, `${what} (end target)`, ratio('drawsMs'), finalTarget),
      atMost(`B2.${key}-frame`, `${what}, with upload and submission`, ratio('frameMs'), target),
    ];
  });
}

function table(results: readonly BenchResult[], context: SuiteContext): string {
  const rows = CASES.flatMap(({ isChanging, name }) =>
    results
      .filter((result) => result.isChanging === isChanging)
      .map((result) => [
        result.engine,
        name,
        ...['drawsMs', 'p95Ms', 'frameMs', 'recordNsPerCommand', 'translateNsPerCommand', 'bytesPerDraw'].map(
          (figure) => formatNumber(result[figure] as number),
        ),
      ]),
  );
  return [
    `B2 · ${DRAW_COUNT} draws that cannot merge, in a worker · ms per frame, median of ${context.frames} interleaved frames: the draws recorded and translated, and the frame, with transforms uploaded and the list submitted; ns per command (${COMMANDS_PER_DRAW} per draw)`,
    formatTable(['loop', 'visible', 'draws', 'p95', 'frame', 'record', 'translate', 'bytes per draw'], rows),
  ].join('\n');
}
