/**
 * B10: the time of a frame from the call to its end on the GPU, for the demo's island. The island is lit in four ways,
 * at one size with 4× MSAA. On the software adapter, the processor's time represents a GPU's time. Engines
 * take turns, so that a busy minute affects all of them.
 */
import { join } from 'node:path';
import type { Page } from 'playwright';
import {
  buildLitPages,
  checkErrors,
  LIT_ENGINES,
  type LitEngine,
  openLitPage,
  SIZE,
} from '../lib/lit-pages.js';
import { LIGHTINGS, type Lighting } from '../lib/lit-scene.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const ROUNDS = 5;
const FRAMES_PER_ROUND = 3;

export async function runGpuWork(context: SuiteContext): Promise<SuiteOutcome> {
  const failures: string[] = [];
  const samples = new Map<LitEngine, Map<string, number[]>>();
  const versions = new Map<LitEngine, string>();
  const tabs = new Map<LitEngine, Page>();
  const attempt = async (engine: LitEngine, run: () => Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      failures.push(`B10 ${engine}: ${String(error)}`);
      await tabs.get(engine)?.close();
      tabs.delete(engine);
    }
  };
  const engines = await buildLitPages(context, LIT_ENGINES);
  for (const engine of engines) samples.set(engine, new Map(LIGHTINGS.map((lighting) => [lighting, []])));
  for (const lighting of LIGHTINGS) {
    // Each lighting is measured in new tabs, so that earlier lighting leaves no traces.
    for (const engine of engines) {
      await attempt(engine, async () => {
        const tab = await openLitPage(context, engine);
        tabs.set(engine, tab);
        versions.set(engine, await tab.evaluate(() => window.lit.version));
        await tab.evaluate((each) => window.lit.light(each), lighting);
        if (context.pictures)
          await tab.screenshot({ path: join(context.pictures, `b10-${lighting}-${engine}.png`) });
      });
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const [engine, tab] of tabs) {
        await attempt(engine, async () => {
          const measured = await tab.evaluate((count) => window.lit.frames(count), FRAMES_PER_ROUND);
          samples
            .get(engine)
            ?.get(lighting)
            ?.push(...measured);
          await checkErrors(tab);
        });
      }
    }
    for (const tab of tabs.values()) await tab.close();
    tabs.clear();
    context.log(`B10 ${lighting}: measured`);
  }

  const results: BenchResult[] = [...versions].map(([engine, version]) => ({
    id: 'B10',
    engine,
    version,
    ...Object.fromEntries(
      LIGHTINGS.map((lighting) => [lighting, median(samples.get(engine)?.get(lighting) ?? [])]),
    ),
  }));
  const resultOf = (name: LitEngine) => results.find(({ engine }) => engine === name);
  const peers = results.filter(({ engine }) => engine === 'three' || engine === 'playcanvas');
  const ratio = (name: LitEngine, lighting: Lighting): number | undefined => {
    const ours = resultOf(name);
    if (!ours || peers.length === 0) return undefined;
    return (ours[lighting] as number) / Math.min(...peers.map((peer) => peer[lighting] as number));
  };
  return {
    results,
    failures,
    targets: LIGHTINGS.flatMap((lighting) => [
      atMost(
        `B10 ${lighting}`,
        'a frame to its end on the GPU ÷ the best peer’s',
        ratio('fencepost', lighting),
        1,
      ),
      atMost(
        `B10 ${lighting}, hdr: false`,
        'the same with `hdr: false`, like PlayCanvas, ÷ the best peer’s',
        ratio('fencepost-display', lighting),
        1,
      ),
    ]),
    table: [
      `B10 · the island, ${SIZE.width} × ${SIZE.height} pixels, 4× MSAA: ms per frame`,
      formatTable(
        ['engine', 'version', ...LIGHTINGS],
        results.map((result) => [
          result.engine,
          result.version,
          ...LIGHTINGS.map((lighting) => formatNumber(result[lighting])),
        ]),
      ),
    ].join('\n'),
  };
}
