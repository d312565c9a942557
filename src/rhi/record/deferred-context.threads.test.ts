import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { HEADER_ATTACHMENT_BIT } from '../../core/records/record-table.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../commands/commands.js';
import { CheckedImmediateContext } from './checked-contexts.js';
import { type CommandList, transferablesOf } from './command-list.js';
import { recordCalls } from './record-calls.test-support.js';

/**
 * Number of steps per frame (`recordCalls`). This file uses real worker threads, because it tests the transfer of
 * lists. `deferred-context.test.ts` tests equal bytes on one thread.
 */
const CALLS = 4000;

const workerSource = buildSync({
  entryPoints: [fileURLToPath(new URL('./record-worker.test-support.ts', import.meta.url))],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  write: false,
  logLevel: 'silent',
}).outputFiles[0].text;

interface Recorded {
  readonly list: CommandList;
  readonly pages: { readonly made: number; readonly free: number };
}

const workers = [0, 1].map(() => new Worker(workerSource, { eval: true }));
afterAll(() => Promise.all(workers.map((worker) => worker.terminate())));

/** Records the steps [from, to) of `recordCalls` into the list on a worker. */
function recordOn(worker: Worker, list: CommandList, from: number, to: number): Promise<Recorded> {
  return new Promise((resolve, reject) => {
    const listen = (answer: Recorded): void => {
      if (answer.list.id !== list.id) return;
      worker.off('message', listen).off('error', reject);
      resolve(answer);
    };
    worker.on('message', listen).on('error', reject);
    worker.postMessage({ record: list, from, to });
  });
}

function setUp() {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
  /** Publishes and returns the bytes of all records, each attachment behind its record. */
  const take = (): Buffer => {
    writer.publish();
    const words: number[] = [];
    while (reader.next()) {
      const record = reader.words.subarray(reader.fields - 1, reader.fields + reader.fieldWords);
      words.push(...record);
      if ((record[0] & HEADER_ATTACHMENT_BIT) !== 0) {
        words.push(...new Uint32Array(reader.attachment(record[1]) as ArrayBuffer));
      }
    }
    return Buffer.from(new Uint32Array(words).buffer);
  };
  return { context, take };
}

it('H4 H5 lists recorded by two threads have the bytes of one thread, and L7 their pages are reused', async () => {
  const whole = setUp();
  whole.context.beginFrame(0);
  recordCalls(whole.context, 0, CALLS);
  whole.context.endFrame();
  const expected = whole.take();

  const pagesMade: number[][] = [];
  for (const parts of [1, 2, 5]) {
    for (let frame = 0; frame < 3; frame++) {
      const { context, take } = setUp();
      context.beginFrame(0);
      const lists = Array.from({ length: parts }, (_, index) => context.openSubList(`part ${index}`));
      const edge = (index: number): number => Math.round((index * CALLS) / parts);
      const recorded = await Promise.all(
        lists.map((list, index) => recordOn(workers[index % 2], list, edge(index), edge(index + 1))),
      );
      context.executeSubLists(recorded.map(({ list }) => list));
      context.endFrame();
      expect(take().equals(expected)).toBe(true);
      for (const [index, { list }] of recorded.entries()) {
        workers[index % 2].postMessage({ recycle: list }, transferablesOf(list) as never);
      }
      pagesMade.push(recorded.slice(-2).map(({ pages }) => pages.made));
    }
  }
  // Each number of parts has three frames. The second and the third must create no page.
  for (const frames of [pagesMade.slice(0, 3), pagesMade.slice(3, 6), pagesMade.slice(6)]) {
    expect(frames[2]).toEqual(frames[0]);
  }
});
