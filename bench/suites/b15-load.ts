/**
 * B15: a load of a file of 16 MiB, with Draco and Basis Universal, until the end of the first frame that shows the
 * file. The suite measures the time, the longest task of the page's thread, and the peak memory of the page's process,
 * including its workers.
 */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPage } from '../lib/build-pages.js';
import { heavyScene } from '../lib/heavy-scene.js';
import { traceLoad } from '../lib/page-trace.js';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { median } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const ENGINES = ['fencepost', 'three'] as const;
const RUNS = 3;
const MEBIBYTE = 2 ** 20;

interface LoadFigures {
  readonly version: string;
  readonly loadMs: number;
  readonly longestTaskMs: number;
  /** Memory of the page's process after the load, in MiB; NaN when the system does not report it. */
  readonly heldMiB: number;
  /** Peak memory of the page's process, in MiB; NaN when the system does not report it. */
  readonly peakMiB: number;
}

export async function runLoad(context: SuiteContext): Promise<SuiteOutcome> {
  const failures: string[] = [];
  const file = await heavyScene();
  await writeFile(join(context.outFolder, 'heavy.glb'), file);
  const libraries = join(context.root, 'node_modules/three/examples/jsm/libs');
  await cp(join(libraries, 'draco/gltf'), join(context.outFolder, 'draco'), { recursive: true });
  await cp(join(libraries, 'basis'), join(context.outFolder, 'basis'), { recursive: true });
  const figures = new Map<string, LoadFigures[]>();
  const engines = ENGINES.filter((name) => context.isWanted(name));
  for (const engine of engines) {
    const page = `load-${engine}`;
    const code = `import { serve } from './pages/load.ts'; import { scene } from './scenes/${page}.ts'; serve(scene);`;
    await buildPage(context, { page, entry: { code } });
    figures.set(engine, []);
  }
  for (let run = 0; run < RUNS; run++) {
    for (const engine of engines) {
      try {
        const measured = await measure(context, `load-${engine}`, run === 0);
        figures.get(engine)?.push(measured);
        context.log(
          `B15 ${engine}: ${formatNumber(measured.loadMs)} ms, longest task ${formatNumber(measured.longestTaskMs)} ms`,
        );
      } catch (error) {
        failures.push(`B15 ${engine}: ${String(error)}`);
      }
    }
  }
  const results: BenchResult[] = [...figures].map(([engine, runs]) => ({
    id: 'B15',
    engine,
    version: runs[0]?.version ?? '',
    fileBytes: file.byteLength,
    loadMs: median(runs.map(({ loadMs }) => loadMs)),
    longestTaskMs: median(runs.map(({ longestTaskMs }) => longestTaskMs)),
    peakMiB: median(runs.map(({ peakMiB }) => peakMiB)),
    heldMiB: median(runs.map(({ heldMiB }) => heldMiB)),
  }));
  const ours = results.find(({ engine }) => engine === 'fencepost');
  return {
    results,
    failures,
    targets: [
      atMost('B15', 'longest main-thread task of a load, ms', ours?.longestTaskMs as number | undefined, 8),
    ],
    table: [
      `B15 · a file of ${(file.byteLength / MEBIBYTE).toFixed(1)} MiB, Draco and Basis Universal, to its first frame · medians of ${RUNS} runs`,
      formatTable(
        ['engine', 'version', 'ms', 'longest task, ms', 'peak, MiB', 'held after, MiB'],
        results.map(({ engine, version, loadMs, longestTaskMs, peakMiB, heldMiB }) => [
          engine,
          version,
          ...[loadMs, longestTaskMs, peakMiB, heldMiB].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}

async function measure(context: SuiteContext, page: string, isPictured: boolean): Promise<LoadFigures> {
  const browserContext = await context.browser.newContext({ viewport: { width: 256, height: 256 } });
  try {
    const tab = await browserContext.newPage();
    await tab.goto(`${context.server.origin}/isolated/${page}/index.html`);
    await tab.waitForFunction(() => window.loading !== undefined, undefined, { timeout: 20_000 });
    await tab.evaluate(() => window.loading.start());
    const trace = await traceLoad(context.browser, tab, () => tab.evaluate(() => window.loading.load()));
    if (context.pictures && isPictured)
      await tab.screenshot({ path: join(context.pictures, `b15-${page}.png`) });
    const errors = await tab.evaluate(() => [...window.loading.errors]);
    if (errors.length > 0) throw new Error(errors.slice(0, 3).join(' | '));
    const version = await tab.evaluate(() => window.loading.version);
    const { held, peak } = await memoryOf(trace.process);
    return {
      version,
      loadMs: trace.result,
      longestTaskMs: trace.longestTaskMs,
      heldMiB: held,
      peakMiB: peak,
    };
  } finally {
    await browserContext.close();
  }
}

/** Returns the current and the peak memory of a process on Linux. */
async function memoryOf(process: number): Promise<{ readonly held: number; readonly peak: number }> {
  const status = await readFile(`/proc/${process}/status`, 'utf8').catch(() => '');
  const mebibytes = (name: string): number =>
    Number(new RegExp(`${name}:\\s*(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1024;
  return { held: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}
