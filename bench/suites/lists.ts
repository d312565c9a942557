/**
 * LISTS: recording of draws that cannot merge, in Node. The render thread records them alone, or in deferred lists. It
 * shares the lists with 0 to 4 helper threads, and executes them. Times are nanoseconds of the render thread per draw.
 */
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import { EventRing } from '../../src/core/events/event-ring.js';
import { createLocalStream } from '../../src/core/streams/page-stream.js';
import type { DrawRanks } from '../../src/render/draws/draw-ranks.js';
import {
  RANK_WORDS,
  RankWord,
  RUN_WORDS,
  type RunCommands,
  recordRuns,
} from '../../src/render/draws/record-runs.js';
import type { LoopHelpers } from '../../src/render/helper-threads/helper-loops.js';
import { RangeLoop } from '../../src/render/helper-threads/range-loop.js';
import { RANGE_MEMORY_BYTES } from '../../src/render/helper-threads/range-memory.js';
import { SubLists } from '../../src/render/helper-threads/sub-lists.js';
import { rhiCommands } from '../../src/rhi/commands/commands.js';
import { ImmediateContext } from '../../src/rhi/record/immediate-context.js';
import type { ListHelperData } from '../lib/list-helper.js';
import { type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import { quantile } from '../lib/statistics.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const DRAWS = [6144, 24_576];
const HELPERS = [0, 1, 2, 3, 4];
const BINDINGS = { frameGroup: 1, attributes: 2 };
const NAMES = ['inListsNs', 'oneHelperNs', 'twoHelpersNs', 'threeHelpersNs', 'fourHelpersNs'] as const;

export async function runLists({ root, frames, warmup, log }: SuiteContext): Promise<SuiteOutcome> {
  const results: BenchResult[] = [];
  const source = helperSource(root);
  for (const draws of DRAWS) {
    const pass = makePass(draws);
    const measure = async (record: (rhi: ImmediateContext) => void): Promise<number> => {
      const { rhi, drain } = openStream();
      const samples: number[] = [];
      for (let frame = 0; frame < warmup + frames; frame++) {
        rhi.beginFrame(frame);
        const began = performance.now();
        record(rhi);
        if (frame >= warmup) samples.push(performance.now() - began);
        rhi.endFrame();
        drain();
        // Helpers fall asleep between frames, as in the engine.
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return (quantile(samples, 0.25) * 1e6) / draws;
    };
    const figures: Record<string, number> = {
      aloneNs: await measure((rhi) =>
        recordRuns(rhi as RunCommands, pass.ranks.words, pass.runs, 0, draws, BINDINGS),
      ),
    };
    for (const count of HELPERS) {
      const { lists, end } = startHelpers(source, count);
      figures[NAMES[count] as string] = await measure((rhi) => {
        lists.record(rhi, pass.ranks, pass.runs, draws, BINDINGS);
      });
      await end();
    }
    log(`LISTS ${draws} draws: ${Object.values(figures).map((ns) => ns.toFixed(1))} ns`);
    results.push({ id: 'LISTS', engine: `${draws} draws`, version: '', ...figures });
  }
  return {
    results,
    targets: [],
    failures: [],
    table: [
      'LISTS · draws that cannot merge: ns of the render thread per draw, fastest quarter',
      formatTable(
        ['pass', '', 'alone', 'in lists', '1 helper', '2', '3', '4'],
        results.map(({ engine, aloneNs, ...others }) => [
          engine,
          '',
          formatNumber(aloneNs),
          ...NAMES.map((name) => formatNumber(others[name])),
        ]),
      ),
    ].join('\n'),
  };
}

function openStream() {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });
  const drain = (): void => {
    rhi.publish();
    while (reader.next());
  };
  return { rhi, drain };
}

/** Makes the words of a pass: three pipelines in turn, and a buffer of vertices for every 512 draws. */
function makePass(draws: number): { readonly ranks: DrawRanks; readonly runs: Uint32Array } {
  const words = new Uint32Array(draws * RANK_WORDS);
  const runs = new Uint32Array(draws * RUN_WORDS);
  for (let draw = 0; draw < draws; draw++) {
    const rank = words.subarray(draw * RANK_WORDS, (draw + 1) * RANK_WORDS);
    rank[RankWord.key] = draw % 3;
    rank[RankWord.pipeline] = 10 + (draw % 3);
    rank[RankWord.page] = draw >>> 9;
    rank[RankWord.buffer] = 100 + (draw >>> 9);
    rank[RankWord.byteLength] = 1 << 20;
    rank[RankWord.indexCount] = 36;
    rank[RankWord.firstIndex] = draw * 36;
    runs.set([draw, draw, 1], draw * RUN_WORDS);
  }
  const ranks: Pick<DrawRanks, 'words' | 'count' | 'version'> = { words, count: draws, version: 1 };
  return { ranks: ranks as DrawRanks, runs };
}

function helperSource(root: string): string {
  const [file] = buildSync({
    entryPoints: [join(root, 'bench/lib/list-helper.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    logLevel: 'warning',
  }).outputFiles;
  return file?.text ?? '';
}

function startHelpers(source: string, count: number) {
  const memory = new SharedArrayBuffer(RANGE_MEMORY_BYTES);
  const wakes = new SharedArrayBuffer(4);
  const wake = new Int32Array(wakes);
  const threads = Array.from({ length: count }, (_, index) => {
    const { port1, port2 } = new MessageChannel();
    const data: ListHelperData = { memory, wakes, number: index + 1, port: port2 };
    const worker = new Worker(source, { eval: true, workerData: data, transferList: [port2] });
    return { worker, port: port1 };
  });
  const helpers: LoopHelpers = {
    memory,
    count,
    takers: count,
    // This gives lists of at most 512 draws, for any number of draws.
    recordingTasks: 1,
    wake: () => {
      Atomics.add(wake, 0, 1);
      Atomics.notify(wake, 0);
    },
    share: (message) => {
      for (const { port } of threads) port.postMessage(message);
    },
  };
  const loop = new RangeLoop(new Int32Array(memory), helpers.wake);
  const end = async (): Promise<void> => {
    for (const { worker, port } of threads) {
      port.close();
      await worker.terminate();
    }
  };
  return { lists: new SubLists(helpers, loop, new EventRing()), end };
}
