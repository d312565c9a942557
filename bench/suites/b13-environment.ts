/**
 * B13: a 1,024 × 512 `.hdr` becomes the environment. The time runs from the call to the end of the first
 * frame lit by it, on the GPU.
 */
import { buildLitPages, checkErrors, type LitEngine, openLitPage } from '../lib/lit-pages.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const RUNS = 5;

export async function runEnvironment(context: SuiteContext): Promise<SuiteOutcome> {
  const failures: string[] = [];
  const samples = new Map<LitEngine, number[]>();
  const versions = new Map<LitEngine, string>();
  const bytes = new Map<LitEngine, number>();
  const engines = await buildLitPages(context, ['fencepost', 'three', 'playcanvas']);
  for (let run = 0; run < RUNS; run++) {
    for (const engine of engines) {
      try {
        const tab = await openLitPage(context, engine);
        versions.set(engine, await tab.evaluate(() => window.lit.version));
        await tab.evaluate(() => window.lit.light('one light'));
        await tab.evaluate(() => window.lit.frames(2));
        const before = await tab.evaluate(() => window.lit.textureBytes());
        const took = await tab.evaluate(() => window.lit.light('environment'));
        const after = await tab.evaluate(() => window.lit.textureBytes());
        if (before !== null && after !== null) bytes.set(engine, after - before);
        await checkErrors(tab);
        await tab.close();
        samples.set(engine, [...(samples.get(engine) ?? []), took]);
      } catch (error) {
        failures.push(`B13 ${engine}: ${String(error)}`);
      }
    }
    context.log(`B13 run ${run + 1} of ${RUNS}`);
  }
  const results: BenchResult[] = [...samples].map(([engine, each]) => ({
    id: 'B13',
    engine,
    version: versions.get(engine) ?? '',
    firstLitMs: median(each),
    fastestMs: Math.min(...each),
    textureBytes: bytes.get(engine) ?? null,
  }));
  const figure = (name: LitEngine) =>
    results.find(({ engine }) => engine === name)?.firstLitMs as number | undefined;
  const [ours, three] = [figure('fencepost'), figure('three')];
  return {
    results,
    failures,
    targets: [
      atMost(
        'B13',
        'a 1k .hdr to the first frame lit by it ÷ three’s',
        ours !== undefined && three !== undefined ? ours / three : undefined,
        0.8,
      ),
    ],
    table: [
      'B13 · a 1,024 × 512 .hdr to the first frame lit by it, 1,280 × 720 pixels, 4× MSAA',
      formatTable(
        ['engine', 'version', 'ms', 'fastest ms', 'MB of textures'],
        results.map(({ engine, version, firstLitMs, fastestMs, textureBytes }) => [
          engine,
          version,
          formatNumber(firstLitMs),
          formatNumber(fastestMs),
          textureBytes === null ? '–' : formatNumber((textureBytes as number) / 1e6),
        ]),
      ),
    ].join('\n'),
  };
}
