/**
 * TASKS: what a task, a dependency and a wake-up take; from which size on `parallelFor` pays; and the speed-up of a loop for 1 to
 * 16 workers, as far as there are cores, beside what Amdahl's law says for the part of it that is parallel (SYSTEMS T10).
 *
 *   one worker   | serial: order, result | parallel: the work |          speed-up(n) = 1 ÷ (serial + parallel ÷ n)
 *
 * And beside what work and span say, with calls as short as for 16 workers: nobody is faster than serial part and longest call.
 *
 *   work         | serial | call | call | call … |                       speed-up(n) = work ÷ (span + (work − span) ÷ n)
 *   span         | serial | longest call |
 */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';
import type * as Tasks from '../../src/tasks.js';
import { type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { amdahl, byWorkAndSpan } from '../lib/speed-up.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

/** Above four only where each has a core. */
const WORKERS = [1, 2, 4, 8, 16];
const PREDICTED = [2, 4, 8, 16];

interface Figures {
  readonly cores: number;
  readonly isShared: boolean;
  readonly taskUs: number;
  readonly dependencyUs: number;
  readonly warmUs: number;
  readonly coldUs: number;
  readonly breakEven: number | null;
  /** Milliseconds of the same loop on the page, and with so many workers. */
  readonly inlineMs: number;
  readonly loopMs: readonly number[];
  /** Milliseconds of one worker: all of the loop, and what can't be shared out; NaN where the clock is too coarse for a call. */
  readonly workMs: number;
  readonly spanMs: number;
  /** Of the page's memory, per worker of a pool of four that has run the loop; NaN where the browser does not tell. */
  readonly workerBytes: number;
  /** The same loop with 2 workers, by ranges from one counter and by halving; with equal indices, and with a last tenth that costs ten times as much. */
  readonly linearMs: number;
  readonly recursiveMs: number;
  readonly unevenLinearMs: number;
  readonly unevenRecursiveMs: number;
}

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
      // All but the work itself is serial: what the loop takes with one worker beyond the loop alone.
      const [alone = Number.NaN] = figures.loopMs;
      const parallel = Math.min(1, figures.inlineMs / alone);
      const speedUps = WORKERS.map((_, index) => alone / (figures.loopMs[index] ?? Number.NaN));
      const predictions = PREDICTED.map((workers) => amdahl(parallel, workers));
      const { workMs, spanMs } = figures;
      const bounds = PREDICTED.map((workers) => byWorkAndSpan(workMs, spanMs, workers));
      context.log(`TASKS ${place}: ${figures.taskUs.toFixed(1)} µs per task`);
      const { cores, isShared, loopMs, breakEven, ...numbers } = figures;
      results.push({
        id: 'TASKS',
        engine: isShared ? 'shared memory' : 'messages',
        version: '',
        cores,
        ...numbers,
        breakEven: breakEven ?? Number.NaN,
        parallel,
        ...Object.fromEntries(
          WORKERS.map((workers, index) => [`speedUp${workers}`, speedUps[index] ?? Number.NaN]),
        ),
        ...Object.fromEntries(
          PREDICTED.map((workers, index) => [`amdahl${workers}`, predictions[index] ?? Number.NaN]),
        ),
        ...Object.fromEntries(
          PREDICTED.map((workers, index) => [`workSpan${workers}`, bounds[index] ?? Number.NaN]),
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
    'speedUp2',
    'speedUp4',
    'speedUp8',
    'speedUp16',
    'amdahl2',
    'amdahl4',
    'amdahl8',
    'amdahl16',
    'workMs',
    'spanMs',
    'workSpan2',
    'workSpan4',
    'workSpan8',
    'workSpan16',
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
      'TASKS · µs per task, per dependency, per task that is awaited alone (at once, after 50 ms of idleness); indices from which parallelFor pays; memory per worker; speed-up measured, predicted by Amdahl’s law, and by work and span; 64 ranges from one counter and by halving, 2 workers',
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
          '× 2 workers',
          '× 4',
          '× 8',
          '× 16',
          'Amdahl 2',
          '4',
          '8',
          '16',
          'work, ms',
          'span, ms',
          'by work and span 2',
          '4',
          '8',
          '16',
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
    // Where memory is copied with every part, a large array measures the copies alone.
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
    const inline: number[] = [];
    for (let round = 0; round < 5; round++)
      inline.push(await timed(() => inlineWork({ into }, 0, into.length)));
    const { measureUserAgentSpecificMemory } = performance as Performance & {
      measureUserAgentSpecificMemory?(): Promise<{ bytes: number }>;
    };
    const memory = async (): Promise<number> =>
      (await measureUserAgentSpecificMemory?.call(performance).catch(() => null))?.bytes ?? Number.NaN;
    const bytesBefore = await memory();
    let workerBytes = Number.NaN;
    let [workMs, spanMs] = [Number.NaN, Number.NaN];
    const loopMs: number[] = [];
    for (const workers of workerCounts) {
      if (workers > Math.max(4, navigator.hardwareConcurrency)) break;
      const pool = createTaskSystem({ workers });
      const module = await pool.load('./tasks-work.js');
      const loop = (): PromiseLike<unknown> => module.parallelFor('work', into.length, { into });
      const samples: number[] = [];
      for (let round = 0; round < 3; round++) await loop();
      for (let round = 0; round < 5; round++) samples.push(await timed(loop));
      loopMs.push(middle(samples));
      if (workers === 1 && isShared) {
        const batch = into.length / 128;
        const calls = sharedArray(Float64Array, 128);
        // What else the machine does only adds to each: the least of all rounds counts.
        const least = new Float64Array(128).fill(Number.POSITIVE_INFINITY);
        let serial = Number.POSITIVE_INFINITY;
        const sum = (all: Float64Array): number => all.reduce((total, each) => total + each, 0);
        for (let round = 0; round < 20; round++) {
          const all = await timed(() =>
            module.parallelFor('timed', into.length, { into, calls, batch }, { batch }),
          );
          for (const [call, took] of calls.entries()) least[call] = Math.min(least[call] as number, took);
          serial = Math.min(serial, all - sum(calls));
        }
        workMs = serial + sum(least);
        spanMs = serial + Math.max(...least);
      }
      if (workers === 4) workerBytes = ((await memory()) - bytesBefore) / workers;
      await pool.dispose();
    }
    const two = createTaskSystem({ workers: 2 });
    const module = await two.load('./tasks-work.js');
    const split: number[] = [];
    for (const name of ['work', 'uneven']) {
      // Turn by turn, so that what else the machine does meets both.
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
      workMs,
      spanMs,
      isShared,
      taskUs: (middle(bursts) * 1000) / 200,
      dependencyUs: (middle(chains) * 1000) / 200,
      warmUs: middle(warm) * 1000,
      coldUs: middle(cold) * 1000,
      breakEven,
      inlineMs: middle(inline),
      loopMs,
    };
  }, WORKERS);
}
