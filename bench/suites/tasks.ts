/**
 * TASKS: the cost of a task, of a dependency and of a wake-up, and the least size at which `parallelFor` pays. It also
 * measures the speed-up of a loop for 1 to 16 workers, as far as there are cores. Two laws predict the speed-up from
 * one run with one worker (SYSTEMS T10, `speed-up.ts`).
 *
 * Systems of 1, 2, 4 … workers exist at the same time. In each round they run the same loop one after the other, split
 * into the same calls. So other programs slow all systems in the same way. For each system, the shortest time of all
 * rounds counts.
 */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';
import type * as Tasks from '../../src/tasks.js';
import { type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { amdahl, byWorkAndSpan, type LoopRun, leastOf, partsOf } from '../lib/speed-up.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

/** Numbers of workers to measure. Numbers above the machine's core count are skipped. */
const WORKERS = [1, 2, 4, 8, 16];
const PREDICTED = [2, 4, 8, 16];
/**
 * Tolerance beyond the largest possible speed-up. A larger speed-up means that the run with one worker was disturbed.
 */
const TOLERANCE = 1.1;

interface Figures {
  readonly cores: number;
  readonly isShared: boolean;
  readonly taskUs: number;
  readonly dependencyUs: number;
  readonly warmUs: number;
  readonly coldUs: number;
  readonly breakEven: number | null;
  /** Milliseconds of the loop by the number of workers, the least of all rounds. */
  readonly loopMs: readonly number[];
  /** Rounds with one worker; null when the clock is too coarse for a call. */
  readonly runs: readonly LoopRun[] | null;
  /**
   * Bytes of the page's memory per worker, for a pool of four that has run the loop; NaN when the browser does not
   * report it.
   */
  readonly workerBytes: number;
  /** Milliseconds of the same loop with 2 workers, which take ranges from one counter. */
  readonly linearMs: number;
  /** Milliseconds of the same loop with 2 workers, which halve its range. */
  readonly recursiveMs: number;
  /** `linearMs` of a loop whose last tenth costs ten times as much. */
  readonly unevenLinearMs: number;
  /** `recursiveMs` of that loop. */
  readonly unevenRecursiveMs: number;
}

const UNKNOWN = { work: Number.NaN, span: Number.NaN, parallel: Number.NaN };

export async function runTasks(context: SuiteContext): Promise<SuiteOutcome> {
  const folder = join(context.outFolder, 'tasks');
  await mkdir(folder, { recursive: true });
  await cp(await context.builtLibrary(), join(folder, 'library'), { recursive: true });
  await cp(join(context.root, 'bench/pages/tasks-work.js'), join(folder, 'tasks-work.js'));
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">\n',
  );
  const results: BenchResult[] = [];
  const failures: string[] = [];
  for (const place of ['isolated', 'plain']) {
    const browserContext = await context.browser.newContext();
    try {
      const tab = await browserContext.newPage();
      await tab.goto(`${context.server.origin}/${place}/tasks/index.html`);
      const figures = await measure(tab);
      const [alone = Number.NaN] = figures.loopMs;
      const speedUps = WORKERS.map((_, index) => alone / (figures.loopMs[index] ?? Number.NaN));
      const parts = figures.runs && partsOf(leastOf(figures.runs));
      const { work: workMs, span: spanMs, parallel } = parts ?? UNKNOWN;
      const most = PREDICTED.map((workers) => amdahl(parallel, workers));
      const least = PREDICTED.map((workers) => byWorkAndSpan(workMs, spanMs, workers));
      for (const [index, workers] of PREDICTED.entries()) {
        const [speedUp = 0, bound = 0] = [speedUps[index + 1], most[index]];
        if (speedUp > bound * TOLERANCE)
          failures.push(
            `TASKS ${place}: the speed-up of ${workers} workers is ${speedUp.toFixed(2)}, but ${bound.toFixed(2)} is the largest possible one`,
          );
      }
      context.log(`TASKS ${place}: ${figures.taskUs.toFixed(1)} µs per task`);
      const { cores, isShared, loopMs, runs, breakEven, ...numbers } = figures;
      results.push({
        id: 'TASKS',
        engine: isShared ? 'shared memory' : 'messages',
        version: '',
        cores,
        ...numbers,
        breakEven: breakEven ?? Number.NaN,
        parallel,
        workMs,
        spanMs,
        ...Object.fromEntries(
          WORKERS.map((workers, index) => [`speedUp${workers}`, speedUps[index] ?? Number.NaN]),
        ),
        ...Object.fromEntries(
          PREDICTED.map((workers, index) => [`most${workers}`, most[index] ?? Number.NaN]),
        ),
        ...Object.fromEntries(
          PREDICTED.map((workers, index) => [`least${workers}`, least[index] ?? Number.NaN]),
        ),
      });
    } catch (error) {
      failures.push(`TASKS ${place}: ${String(error)}`);
    } finally {
      await browserContext.close();
    }
  }
  const columns = [
    'taskUs',
    'dependencyUs',
    'warmUs',
    'coldUs',
    'breakEven',
    'workerBytes',
    'parallel',
    'workMs',
    'spanMs',
    ...PREDICTED.flatMap((workers) => [`least${workers}`, `speedUp${workers}`, `most${workers}`]),
    'linearMs',
    'recursiveMs',
    'unevenLinearMs',
    'unevenRecursiveMs',
  ];
  return {
    results,
    failures,
    targets: [],
    table: [
      'TASKS · µs per task, per dependency, and per task awaited alone (at once; after 50 ms of idleness); break-even of parallelFor in indices; bytes per worker; parallel share, work and span of the loop; speed-up per number of workers (lower bound by work and span; measured; upper bound by Amdahl’s law); loops of 64 ranges on 2 workers (ranges from one counter; by halving)',
      formatTable(
        [
          '',
          '',
          'task',
          'dependency',
          'awaited',
          'after idleness',
          'break-even',
          'bytes per worker',
          'parallel part',
          'work, ms',
          'span, ms',
          ...PREDICTED.flatMap((workers) => [`${workers} workers: least`, 'measured', 'most']),
          'from a counter, ms',
          'by halves',
          'uneven: counter',
          'halves',
        ],
        results.map((result) => [
          String(result.engine),
          '',
          ...columns.map((column) => formatNumber(Number(result[column as keyof BenchResult]))),
        ]),
      ),
    ].join('\n'),
  };
}

function measure(tab: Page): Promise<Figures> {
  return tab.evaluate(async (workerCounts) => {
    const library = './library/tasks.js';
    const { createTaskSystem, sharedArray } = (await import(
      new URL(library, location.href).href
    )) as typeof Tasks;
    const middle = (samples: number[]): number =>
      samples.sort((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;
    const timed = async (work: () => PromiseLike<unknown> | unknown): Promise<number> => {
      const began = performance.now();
      await work();
      return performance.now() - began;
    };
    const tasks = createTaskSystem({ workers: 2 });
    const work = await tasks.load('./tasks-work.js');
    const burst = (): Promise<unknown> => Promise.all(Array.from({ length: 200 }, () => work.run('nothing')));
    for (let warm = 0; warm < 5; warm++) await burst();
    const bursts: number[] = [];
    for (let round = 0; round < 15; round++) bursts.push(await timed(burst));
    const chain = (): PromiseLike<unknown> => {
      let last = work.run('nothing');
      for (let index = 1; index < 200; index++) last = work.run('nothing', null, { prerequisites: [last] });
      return last;
    };
    const chains: number[] = [];
    for (let round = 0; round < 7; round++) chains.push(await timed(chain));
    const warm: number[] = [];
    for (let round = 0; round < 100; round++) warm.push(await timed(() => work.run('nothing')));
    const cold: number[] = [];
    for (let round = 0; round < 15; round++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      cold.push(await timed(() => work.run('nothing')));
    }
    // When memory is copied with every part, a large array would measure only the copies.
    const into = sharedArray(Float64Array, crossOriginIsolated ? 2 ** 17 : 2 ** 13);
    const inlineWork = (await import(new URL('./tasks-work.js', location.href).href)).default.work as (
      args: unknown,
      begin: number,
      end: number,
    ) => void;
    let breakEven: number | null = null;
    for (let count = 64; count <= into.length && breakEven === null; count *= 2) {
      const [here, there]: number[][] = [[], []];
      for (let round = 0; round < 5; round++) {
        here?.push(await timed(() => inlineWork({ into }, 0, count)));
        there?.push(await timed(() => work.parallelFor('work', count, { into })));
      }
      if (middle(there ?? []) <= middle(here ?? [])) breakEven = count;
    }
    const { isShared } = tasks.stats();
    await tasks.dispose();
    const { measureUserAgentSpecificMemory } = performance as Performance & {
      measureUserAgentSpecificMemory?(): Promise<{ bytes: number }>;
    };
    const memory = async (): Promise<number> =>
      (await measureUserAgentSpecificMemory?.call(performance).catch(() => null))?.bytes ?? Number.NaN;
    const bytesBefore = await memory();
    const four = createTaskSystem({ workers: 4 });
    const measured = await four.load('./tasks-work.js');
    for (let round = 0; round < 8; round++) await measured.parallelFor('work', into.length, { into });
    const workerBytes = ((await memory()) - bytesBefore) / 4;
    await four.dispose();
    // Each call of the loop is timed separately. The number of calls does not depend on the number of workers, so that
    // all workers compile the same code.
    const batch = into.length / 128;
    const calls = sharedArray(Float64Array, 128);
    const pools = workerCounts
      .filter((workers) => workers === 1 || workers <= navigator.hardwareConcurrency)
      .map((workers) => createTaskSystem({ workers }));
    const modules = await Promise.all(pools.map((pool) => pool.load('./tasks-work.js')));
    const loopMs = modules.map(() => Number.POSITIVE_INFINITY);
    const runs: { all: number; calls: number[] }[] = [];
    for (let round = 0; round < 40; round++) {
      for (const [index, module] of modules.entries()) {
        const all = await timed(() =>
          module.parallelFor('timed', into.length, { into, calls, batch }, { batch }),
        );
        // In the first ten rounds workers start, and their code is compiled.
        if (round < 10) continue;
        loopMs[index] = Math.min(loopMs[index] as number, all);
        if (index === 0) runs.push({ all, calls: [...calls] });
      }
    }
    for (const pool of pools) await pool.dispose();
    const two = createTaskSystem({ workers: 2 });
    const module = await two.load('./tasks-work.js');
    const split: number[] = [];
    for (const name of ['work', 'uneven']) {
      // The loops run in turns, so that other load of the machine affects both.
      const [linear, recursive]: [number[], number[]] = [[], []];
      const batch = Math.ceil(into.length / 64);
      for (let round = 0; round < 12; round++) {
        linear.push(await timed(() => module.parallelFor(name, into.length, { into }, { batch })));
        recursive.push(
          await timed(() => module.parallelFor(name, into.length, { into }, { batch, flags: 'recursive' })),
        );
      }
      split.push(middle(linear), middle(recursive));
    }
    await two.dispose();
    const [linearMs, recursiveMs, unevenLinearMs, unevenRecursiveMs] = split as [
      number,
      number,
      number,
      number,
    ];
    return {
      ...{ linearMs, recursiveMs, unevenLinearMs, unevenRecursiveMs },
      cores: navigator.hardwareConcurrency,
      workerBytes,
      runs: isShared ? runs : null,
      isShared,
      taskUs: (middle(bursts) * 1000) / 200,
      dependencyUs: (middle(chains) * 1000) / 200,
      warmUs: middle(warm) * 1000,
      coldUs: middle(cold) * 1000,
      breakEven,
      loopMs,
    };
  }, WORKERS);
}
