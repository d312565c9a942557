import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';
import { timeLimit } from '../../../scripts/lib/time-limits.mjs';
import { testTable, writeAttached, writeNumbers } from '../testing/stream-harness.js';
import { connectStreamWriter } from './page-stream.js';

/**
 * Number of records that one real thread sends to another. `src/sync/spsc-ring.schedule.test.ts` explores the
 * schedules of the ring.
 */
const RECORDS = 200_000;

const workerSource = buildSync({
  entryPoints: [fileURLToPath(new URL('../testing/stream-worker.ts', import.meta.url))],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  write: false,
  logLevel: 'silent',
}).outputFiles[0].text;

it.each([true, false])(
  'T3 carries 200,000 records of many sizes to another thread, waiting at the limit, shared: %s',
  { timeout: timeLimit(120_000) },
  async (shared) => {
    const channel = new MessageChannel();
    const port = channel.port2;
    const worker = new Worker(workerSource, {
      eval: true,
      workerData: { port, shared, records: RECORDS },
      transferList: [port as never],
    });
    const report = new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
    const writer = connectStreamWriter(channel.port1, { table: testTable, shared, limits: { hardPages: 4 } });
    for (let index = 0; index < RECORDS; index++) {
      if (index % 10_007 === 10_006) writeAttached(writer, 16, index);
      else writeNumbers(writer, (index * 7919) % (index % 5003 === 0 ? 40_000 : 29), index);
      if (index % 977 === 0) writer.publish();
      if (!writer.isWritable) await writer.whenWritable();
    }
    writer.publish();
    expect(await report).toEqual({ next: RECORDS, attachments: 19 });
    while (writer.pagesOutstanding > 0) await new Promise((resolve) => setImmediate(resolve));
    writer.close();
    await worker.terminate();
  },
);
