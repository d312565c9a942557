/**
 * B2: the cost of 5,000 meshes that cannot be merged (each has its own geometry and material), through the public API.
 * The suite compares the render worker's whole work in a frame with a hand-written loop of WebGPU calls in a worker.
 * The loop culls and draws the same meshes. The camera stands still, or turns and sees another set of meshes in nearly
 * every frame. In a third case all meshes move.
 */
import { buildPage } from '../lib/build-pages.js';
import { atMost, type BenchResult, type BenchTarget, formatNumber, formatTable } from '../lib/report.js';
import { median, quantile } from '../lib/statistics.js';
import { CASES, type Case, MESH_COUNT } from '../lib/unmergeable.js';
import type { MeshSamples } from '../pages/b2-meshes.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

/**
 * Uncounted first frames, five seconds of an application. In this time the browser interprets code that runs once per
 * frame, and recompiles it with new type information.
 */
const LEAST_WARMUP = 300;
/**
 * Largest difference in draws, as a share. The engine culls by boxes and the hand-written loop by spheres, so some
 * meshes at the picture's edge may differ.
 */
const MOST_DIFFERENCE = 0.02;

const TARGETS: Readonly<Record<Case, { readonly name: string; readonly ratio: number }>> = {
  still: { name: 'the camera still', ratio: 0.15 },
  moving: { name: 'the camera still, all moving', ratio: 0.15 },
  turning: { name: 'the camera turning', ratio: 1.2 },
};

export async function runUnmergeableMeshes(context: SuiteContext): Promise<SuiteOutcome> {
  const page = 'b2-meshes';
  await buildPage(context, { page, entry: { file: 'pages/b2-meshes.ts' } });
  const failures: string[] = [];
  const results: BenchResult[] = [];
  const targets: BenchTarget[] = [];
  for (const of of CASES) {
    const browserContext = await context.browser.newContext();
    try {
      const tab = await browserContext.newPage();
      await tab.goto(`${context.server.origin}/isolated/${page}/index.html`);
      const samples = await tab.evaluate((request) => window.measureMeshes(request), {
        of,
        warmup: Math.max(context.warmup, LEAST_WARMUP),
        frames: context.frames,
      });
      failures.push(...samples.errors.map((error) => `B2, ${of}: ${error}`), ...differences(of, samples));
      const result = figures(of, samples);
      results.push(result);
      const { name, ratio } = TARGETS[of];
      const what = `the render worker's work ÷ a loop by hand, ${MESH_COUNT} meshes that cannot merge, ${name}`;
      targets.push(atMost(`B2.${of}`, what, result.ratio as number, ratio));
      context.log(`B2 ${of}: ${formatNumber(result.ratio as number)}`);
    } catch (error) {
      failures.push(`B2, ${of}: ${String(error)}`);
    } finally {
      await browserContext.close();
    }
  }
  return { results, failures, targets, table: table(results, context) };
}

/**
 * Checks that the engine and the hand-written loop make as many draws. The engine also draws a triangle over the whole
 * picture.
 */
function differences(of: Case, { draws, drawsByHand }: MeshSamples): string[] {
  const isSame = Math.abs(draws - 1 - drawsByHand) <= drawsByHand * MOST_DIFFERENCE && drawsByHand > 4000;
  return isSame ? [] : [`B2, ${of}: the engine drew ${draws} times, the loop by hand ${drawsByHand} times.`];
}

function figures(of: Case, { render, rhi, byHand, draws }: MeshSamples): BenchResult {
  const whole = render.map((milliseconds, i) => milliseconds + (rhi[i] ?? 0));
  return {
    id: 'B2',
    engine: 'fencepost',
    version: '',
    case: of,
    draws,
    wholeMs: median(whole),
    p95Ms: quantile(whole, 0.95),
    renderMs: median(render),
    rhiMs: median(rhi),
    byHandMs: median(byHand),
    ratio: median(whole) / median(byHand),
  };
}

function table(results: readonly BenchResult[], context: SuiteContext): string {
  const columns = ['draws', 'wholeMs', 'p95Ms', 'renderMs', 'rhiMs', 'byHandMs', 'ratio'];
  return [
    `B2 · ${MESH_COUNT} meshes that cannot merge · ms of the render worker per frame, median of ${context.frames} frames. render: scene, cull, sort, record. rhi: translate, submit. byHand: the same work by hand. The engine and the loop alternate.`,
    formatTable(
      ['case', ...columns],
      results.map((result) => [
        String(result.case),
        ...columns.map((figure) => formatNumber(result[figure] as number)),
      ]),
    ),
  ].join('\n');
}
