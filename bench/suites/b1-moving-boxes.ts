/**
 * B1: the cost of one frame on the page's main thread when the program moves and rotates every box. Each engine runs in
 * a fresh page. After a warm-up, `frames` frames are measured with an idle GPU in between, so that no other work
 * overlaps. The figure `taskMs` is Chromium's own count of the main thread's work per frame. It includes the harness
 * and the engine's messages, so it is a strict upper bound.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright';
import { PNG } from 'pngjs';
import { buildPage } from '../lib/build-pages.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { mean, median, quantile } from '../lib/statistics.js';
import type { Samples } from '../pages/moving-boxes.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

interface Entry {
  readonly scene: string;
  readonly isolated: boolean;
  readonly suffix?: string;
  readonly freeRun?: boolean;
}

const ENTRIES: readonly Entry[] = [
  { scene: 'webgpu-instanced', isolated: true },
  { scene: 'webgpu-draws', isolated: true },
  { scene: 'fencepost', isolated: true },
  { scene: 'fencepost', isolated: false, suffix: ' (not isolated)' },
  { scene: 'fencepost', isolated: true, suffix: ' (its own loop)', freeRun: true },
  { scene: 'fencepost-bulk', isolated: true },
  { scene: 'playcanvas', isolated: true },
  { scene: 'babylon-lite', isolated: true },
  { scene: 'babylon-snapshot', isolated: true },
  { scene: 'three', isolated: true },
  { scene: 'babylon', isolated: true },
];

/** Side of the canvas in pixels. */
const CANVAS_SIZE = 64;

export async function runMovingBoxes(context: SuiteContext): Promise<SuiteOutcome> {
  const results: BenchResult[] = [];
  const failures: string[] = [];
  for (const entry of ENTRIES) {
    if (!context.isWanted(entry.scene)) continue;
    try {
      const result = await measureEntry(context, entry);
      if (result) {
        results.push(result);
        context.log(
          `B1 ${result.engine}: update ${formatNumber(result.updateMs)}, render ${formatNumber(result.renderMs)} ms`,
        );
      }
    } catch (error) {
      failures.push(`B1 ${entry.scene}${entry.suffix ?? ''}: ${String(error)}`);
      context.log(failures[failures.length - 1] as string);
    }
  }
  return { results, failures, targets: targets(results, context.count), table: table(results, context) };
}

async function measureEntry(context: SuiteContext, entry: Entry): Promise<BenchResult | undefined> {
  const page = `b1-${entry.scene}`;
  await buildPage(context, {
    page,
    entry: {
      code: `import { serve } from './pages/moving-boxes.ts'; import { bench } from './scenes/${entry.scene}.ts'; serve(bench);`,
    },
  });
  const browserContext = await context.browser.newContext({ viewport: { width: 256, height: 256 } });
  try {
    const tab = await browserContext.newPage();
    const pageErrors: string[] = [];
    tab.on('pageerror', (error) => pageErrors.push(error.message));
    await tab.goto(`${context.server.origin}/${entry.isolated ? 'isolated' : 'plain'}/${page}/index.html`);
    const failOnErrors = async () => {
      const errors = [...pageErrors, ...(await tab.evaluate(() => window.bench.errors()))];
      if (errors.length > 0) throw new Error(errors.slice(0, 3).join(' | '));
    };
    await tab.waitForFunction(() => window.bench !== undefined, undefined, { timeout: 20_000 });
    const { initMs } = await tab.evaluate(([size, count]) => window.bench.init(size, count), [
      CANVAS_SIZE,
      context.count,
    ] as const);
    await tab.evaluate((frames) => window.bench.measure(frames), context.warmup);
    const covered = await checkPictures(context, tab, `${entry.scene}${entry.isolated ? '' : '-plain'}`);
    await failOnErrors();

    const session = await browserContext.newCDPSession(tab);
    await session.send('Performance.enable');
    const before = await taskSeconds(session);
    const samples: Samples | null = await tab.evaluate(
      ([frames, freeRun]) => (freeRun ? window.bench.freeRun(frames) : window.bench.measure(frames)),
      [context.frames, entry.freeRun === true] as const,
    );
    const after = await taskSeconds(session);
    await failOnErrors();
    if (!samples) return undefined;
    const sums = samples.update.map((update, i) => update + (samples.render[i] ?? 0));
    const { name, version } = await tab.evaluate(() => ({
      name: window.bench.name,
      version: window.bench.version,
    }));
    return {
      id: 'B1',
      engine: name + (entry.suffix ?? ''),
      version,
      count: context.count,
      updateMs: median(samples.update),
      renderMs: median(samples.render),
      mainThreadMs: median(sums),
      p95Ms: quantile(sums, 0.95),
      fastestMs: quantile(sums, 0),
      meanMs: mean(sums),
      taskMs: ((after - before) * 1000) / samples.update.length,
      frames: samples.update.length,
      initMs,
      isolated: entry.isolated,
      coveredFraction: covered,
    };
  } finally {
    await browserContext.close();
  }
}

async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.NaN;
}

/**
 * Checks that an engine draws and moves the boxes: two pictures at different times must both show boxes and must
 * differ. Returns the fraction of pixels that are not background.
 */
async function checkPictures(context: SuiteContext, tab: Page, name: string): Promise<number> {
  const take = async (timeSeconds: number, suffix: string) => {
    await tab.evaluate((time) => window.bench.show(time), timeSeconds);
    // Wait for two animation frames, until the compositor has the picture.
    await tab.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)))),
    );
    if (context.pictures) await mkdir(context.pictures, { recursive: true });
    return PNG.sync.read(
      await tab.screenshot({
        clip: { x: 0, y: 0, width: CANVAS_SIZE, height: CANVAS_SIZE },
        ...(context.pictures ? { path: join(context.pictures, `b1-${name}-${suffix}.png`) } : {}),
      }),
    ).data;
  };
  const first = await take(10, 'a');
  const second = await take(11.7, 'b');
  let covered = 0;
  let different = 0;
  for (let i = 0; i < first.length; i += 4) {
    const lit = (first[i] ?? 0) + (first[i + 1] ?? 0) + (first[i + 2] ?? 0);
    const change =
      Math.abs((first[i] ?? 0) - (second[i] ?? 0)) + Math.abs((first[i + 1] ?? 0) - (second[i + 1] ?? 0));
    if (lit > 24) covered++;
    if (change > 8) different++;
  }
  const pixels = first.length / 4;
  if (covered < pixels * 0.1) throw new Error(`draws almost nothing (${covered} of ${pixels} pixels)`);
  if (different < pixels * 0.05) throw new Error(`does not move (${different} of ${pixels} pixels change)`);
  return covered / pixels;
}

function targets(results: readonly BenchResult[], count: number) {
  const of = (engine: string) => results.find((result) => result.engine === engine)?.mainThreadMs as number;
  const ours = of('fencepost');
  const when = (description: string) => `${description}, ${count} moving boxes, main-thread ms as a ratio`;
  return [
    atMost(
      'B1.instanced',
      when('fencepost ÷ hand-written instanced WebGPU'),
      ours / of('webgpu (instanced)'),
      0.4,
    ),
    atMost('B1.draws', when('fencepost ÷ hand-written WebGPU draws'), ours / of('webgpu (draws)'), 0.35),
    atMost(
      'B1.first',
      when('fencepost ÷ hand-written WebGPU draws (first milestone)'),
      ours / of('webgpu (draws)'),
      0.6,
    ),
    atMost(
      'B1.first-instanced',
      when('fencepost ÷ hand-written instanced WebGPU (first milestone)'),
      ours / of('webgpu (instanced)'),
      0.6,
    ),
    atMost('B1.three', when('fencepost ÷ three'), ours / of('three'), 1 / 200),
    atMost('B1.babylon-lite', when('fencepost ÷ Babylon Lite'), ours / of('babylon-lite'), 1 / 25),
    atMost('B1.playcanvas', when('fencepost ÷ PlayCanvas'), ours / of('playcanvas'), 1 / 45),
  ];
}

function table(results: readonly BenchResult[], context: SuiteContext): string {
  const rows = results.map((result) => [
    result.engine,
    result.version,
    ...[
      result.updateMs,
      result.renderMs,
      result.mainThreadMs,
      result.fastestMs,
      result.p95Ms,
      result.taskMs,
    ].map(formatNumber),
  ]);
  return [
    `B1 · ${context.count} boxes moved and rotated by the program every frame · main thread, ms per frame, ${context.frames} frames`,
    formatTable(
      ['engine', 'version', 'update', 'render', 'sum (median)', 'fastest', 'p95', 'all tasks (mean)'],
      rows,
    ),
  ].join('\n');
}
