/**
 * B9: frames per second with equally busy threads. The game runs one frame ahead of the render thread, or in step with
 * it. Runs alternate several times, because a machine is never quite idle. The result is the median of the ratios.
 */
import { buildPage } from '../lib/build-pages.js';
import { atLeast, type BenchResult, type BenchTarget, formatNumber, formatTable } from '../lib/report.js';
import { median } from '../lib/statistics.js';
import type { ThreadsResult } from '../pages/b9-threads.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

/** Milliseconds of each thread's work in a frame, far more than the engine's own work. */
const WORK_MILLISECONDS = 10;
const ROUNDS = 5;
/** Number of cores for three busy threads and Chromium's own threads. */
const CORES_FOR_THREE = 4;

const PAIRS = [
  {
    name: 'game and render',
    on: { threading: 'render', backend: 'null', oneFrameThreadLag: true },
    off: { threading: 'render', backend: 'null', oneFrameThreadLag: false },
    id: 'B9',
    target: 1.85,
    cores: 2,
  },
  {
    name: 'game, render and RHI',
    on: { threading: 'render+rhi', frameSync: 'render', oneFrameThreadLag: true },
    off: { threading: 'render+rhi', frameSync: 'present', oneFrameThreadLag: false },
    id: 'B9.three',
    target: 2.5,
    cores: CORES_FOR_THREE,
  },
] as const;

export async function runThreads(context: SuiteContext): Promise<SuiteOutcome> {
  const page = 'b9-threads';
  await buildPage(context, { page, entry: { file: 'pages/b9-threads.ts' } });
  const results: BenchResult[] = [];
  const targets: BenchTarget[] = [];
  const failures: string[] = [];
  for (const place of ['isolated', 'plain'] as const) {
    for (const pair of PAIRS) {
      const engine = `${pair.name}${place === 'plain' ? ' (not isolated)' : ''}`;
      try {
        const result = await measure(context, page, place, engine, pair);
        results.push(result);
        context.log(`B9 ${engine}: ${formatNumber(result.ratio)}`);
        if (place === 'isolated') targets.push(targetOf(pair, result));
      } catch (error) {
        failures.push(`B9 ${engine}: ${String(error)}`);
      }
    }
  }
  return { results, targets, failures, table: table(results) };
}

async function measure(
  context: SuiteContext,
  page: string,
  place: string,
  engine: string,
  { on, off, id }: (typeof PAIRS)[number],
): Promise<BenchResult> {
  const tab = await context.browser.newPage({ viewport: { width: 256, height: 256 } });
  try {
    await tab.goto(`${context.server.origin}/${place}/${page}/index.html`);
    await tab.waitForFunction(() => window.threads !== undefined, undefined, { timeout: 20_000 });
    const turns = await tab.evaluate((ms) => window.threads.calibrate(ms), WORK_MILLISECONDS);
    const run = (options: typeof on | typeof off): Promise<ThreadsResult> =>
      tab.evaluate((parameters) => window.threads.run(parameters), {
        options,
        turns,
        frames: context.frames,
      });
    const rounds: { on: ThreadsResult; off: ThreadsResult }[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push({ on: await run(on), off: await run(off) });
    const middle = (figure: (round: { on: ThreadsResult; off: ThreadsResult }) => number): number =>
      median(rounds.map(figure));
    const perFrame = (milliseconds: number): number => milliseconds / context.frames;
    return {
      id,
      engine,
      version: '',
      cores: await tab.evaluate(() => navigator.hardwareConcurrency),
      ratio: middle((each) => each.off.milliseconds / each.on.milliseconds),
      onMs: middle((each) => perFrame(each.on.milliseconds)),
      offMs: middle((each) => perFrame(each.off.milliseconds)),
      gameWorkMs: middle((each) => each.on.gameWork),
      renderWorkMs: middle((each) => each.on.renderWork),
      rhiWorkMs: middle((each) => each.on.rhiWork),
      // Time of a frame beyond the work of its threads, if each thread waits for the previous one.
      waitMs: middle(({ off }) => perFrame(off.milliseconds) - off.gameWork - off.renderWork - off.rhiWork),
    };
  } finally {
    await tab.close();
  }
}

function targetOf({ id, name, target, cores }: (typeof PAIRS)[number], result: BenchResult): BenchTarget {
  const isMeasurable = Number(result.cores) >= cores;
  const what = `frames per second, ${name} equally long: side by side ÷ one after the other`;
  const note = isMeasurable ? '' : ` (not measurable with ${result.cores} cores)`;
  return atLeast(id, `${what}${note}`, isMeasurable ? Number(result.ratio) : undefined, target);
}

function table(results: readonly BenchResult[]): string {
  const figures = ['ratio', 'onMs', 'offMs', 'gameWorkMs', 'renderWorkMs', 'rhiWorkMs', 'waitMs'];
  return [
    `B9 · each thread works for ${WORK_MILLISECONDS} ms a frame, on a core of its own; milliseconds a frame`,
    formatTable(
      ['threads', 'cores', 'ratio', 'lag', 'none', 'game', 'render', 'RHI', 'none − work'],
      results.map((result) => [
        result.engine,
        String(result.cores),
        ...figures.map((figure) => formatNumber(result[figure])),
      ]),
    ),
    'If work takes longer, its thread had to share the core.',
  ].join('\n');
}
