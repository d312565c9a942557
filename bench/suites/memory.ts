/**
 * MEMORY: 10,000 create/use/destroy cycles over 1,000 frames of the RHI in a real browser. Afterwards no count of
 * resources or bytes may have grown. Then 1,000,000 random operations of the suballocator are timed at three sizes.
 * Another 1,000,000 operations are compared with a simple model.
 */
import type { CDPSession } from 'playwright';
import { reportSuballocator, Suballocator } from '../../src/rhi/memory/suballocator.js';
import { freeRangesOf, RangeModel, xorshift } from '../../src/rhi/memory/suballocator.test-support.js';
import { buildPage } from '../lib/build-pages.js';
import { atMost, type BenchResult, type BenchTarget, formatNumber, formatTable } from '../lib/report.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const FRAMES = 1000;
/** Frames until pools are full and the code is compiled. */
const WARMUP_FRAMES = 1000;
const CYCLES_PER_FRAME = 10;
const OPERATIONS = 1_000_000;
/** Heap growth that the browser itself may cause in 1,000 frames, in bytes. One object per cycle would exceed it. */
const HEAP_NOISE = 64 * 1024;

export async function runMemory(context: SuiteContext): Promise<SuiteOutcome> {
  const failures: string[] = [];
  const cycles = await measureCycles(context).catch((error: unknown) => {
    failures.push(`MEMORY cycles: ${String(error)}`);
    return null;
  });
  const allocations = [1000, 10_000, 100_000].map((ranges) => measureSuballocator(ranges, context.log));
  const disagreements = checkAgainstModel();
  failures.push(...disagreements);
  return {
    results: [...(cycles?.results ?? []), ...allocations],
    failures,
    targets: cycles?.targets ?? [],
    table: [cycles?.table, suballocatorTable(allocations, disagreements.length === 0)]
      .filter(Boolean)
      .join('\n\n'),
  };
}

async function measureCycles(context: SuiteContext) {
  const page = 'memory';
  await buildPage(context, { page, entry: { file: 'pages/memory.ts' } });
  const browserContext = await context.browser.newContext();
  try {
    const tab = await browserContext.newPage();
    await tab.goto(`${context.server.origin}/isolated/${page}/index.html`);
    await tab.evaluate(() => window.openMemory());
    const session = await browserContext.newCDPSession(tab);
    const run = async (frames: number) => {
      const outcome = await tab.evaluate((count) => window.runMemory(count), frames);
      if (outcome.errors.length > 0) throw new Error(outcome.errors.join(' | '));
      return { ...outcome, heapBytes: await usedHeap(session) };
    };
    const before = await run(WARMUP_FRAMES);
    const after = await run(FRAMES);
    const leaks = await tab.evaluate(() => window.closeMemory());
    if (leaks.length > 0) throw new Error(`never destroyed: ${leaks.join(', ')}`);
    const growth = (figure: 'liveResources' | 'gpuBytes' | 'handleCount') =>
      after.end[figure] - before.end[figure];
    const result: BenchResult = {
      id: 'MEMORY',
      engine: 'fencepost/rhi',
      version: '',
      cycles: FRAMES * CYCLES_PER_FRAME,
      liveResources: after.end.liveResources,
      liveResourcesGrowth: growth('liveResources'),
      handleGrowth: growth('handleCount'),
      gpuBytes: after.end.gpuBytes,
      gpuBytesGrowth: growth('gpuBytes'),
      gpuBytesPeak: after.peak.gpuBytes,
      heapBytes: after.heapBytes,
      heapBytesGrowth: after.heapBytes - before.heapBytes,
      pendingReleasesPeak: after.peak.pendingReleases,
    };
    const flat = (id: string, what: string, measured: number, limit = 0): BenchTarget =>
      atMost(`MEMORY.${id}`, `growth over ${FRAMES} frames: ${what}`, measured, limit);
    const rows = [
      ['live resources', 'liveResources', 'liveResourcesGrowth'],
      ['GPU memory, counted, bytes', 'gpuBytes', 'gpuBytesGrowth'],
      ['JavaScript heap, bytes', 'heapBytes', 'heapBytesGrowth'],
    ].map(([name = '', at = '', grown = '']) => [
      name,
      '',
      formatNumber(result[at]),
      formatNumber(result[grown]),
    ]);
    return {
      results: [result],
      targets: [
        flat('live', 'live resources', growth('liveResources')),
        flat('gpu', 'GPU memory, bytes', growth('gpuBytes')),
        flat('heap', 'JavaScript heap, bytes', after.heapBytes - before.heapBytes, HEAP_NOISE),
      ],
      table: [
        `MEMORY · ${FRAMES * CYCLES_PER_FRAME} create/use/destroy cycles over ${FRAMES} frames, after ${WARMUP_FRAMES} others`,
        formatTable(['', '', 'at the end', 'growth'], rows),
        `pending releases, at most: ${result.pendingReleasesPeak} · GPU memory, at most: ${result.gpuBytesPeak} bytes`,
      ].join('\n'),
    };
  } finally {
    await browserContext.close();
  }
}

async function usedHeap(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize;
}

/** Returns random operations, made before the clock starts. Each allocates or frees one of the slots. */
function operations(slots: number, count: number) {
  const random = xorshift(0x5eed + slots);
  const slot = Uint32Array.from({ length: count }, () => Math.floor(random() * slots));
  const size = Uint32Array.from({ length: count }, () => 1 + Math.floor(random() ** 3 * 2000));
  const alignment = Uint16Array.from({ length: count }, () => [1, 1, 1, 4][Math.floor(random() * 4)] ?? 1);
  return { slot, size, alignment };
}

/** Returns a capacity with room: half of the slots are in use on average, with an average size of 500. */
const capacityFor = (ranges: number): number => ranges * 600;

function measureSuballocator(ranges: number, log: (message: string) => void): BenchResult {
  const { slot, size, alignment } = operations(ranges * 2, OPERATIONS);
  const allocator = new Suballocator(capacityFor(ranges));
  const offsets = new Int32Array(ranges * 2).fill(-1);
  let refused = 0;
  const began = process.cpuUsage().user;
  for (let i = 0; i < OPERATIONS; i++) {
    const at = slot[i] as number;
    const offset = offsets[at] as number;
    if (offset >= 0) {
      allocator.free(offset);
      offsets[at] = -1;
    } else {
      const placed = allocator.allocate(size[i] as number, alignment[i] as number);
      if (placed === undefined) refused++;
      else offsets[at] = placed;
    }
  }
  // Time of this process, which excludes other programs.
  const nanoseconds = ((process.cpuUsage().user - began) * 1000) / OPERATIONS;
  log(`MEMORY suballocator, ${ranges} ranges: ${nanoseconds.toFixed(0)} ns per operation`);
  return {
    id: 'MEMORY',
    engine: 'suballocator',
    version: '',
    operations: OPERATIONS,
    nanoseconds,
    refused,
    ...reportSuballocator(allocator),
  };
}

/** Checks that every operation returns the model's result, and that the free ranges equal the model's in the end. */
function checkAgainstModel(): string[] {
  const ranges = 500;
  const { slot, size, alignment } = operations(ranges * 2, OPERATIONS);
  const allocator = new Suballocator(capacityFor(ranges));
  const model = new RangeModel(capacityFor(ranges));
  const offsets = new Map<number, number>();
  for (let i = 0; i < OPERATIONS; i++) {
    const at = slot[i] as number;
    const offset = offsets.get(at);
    if (offset !== undefined) {
      allocator.free(offset);
      model.free(offset);
      offsets.delete(at);
      continue;
    }
    const placed = allocator.allocate(size[i] as number, alignment[i] as number);
    const expected = model.allocate(size[i] as number, alignment[i] as number);
    if (placed !== expected) {
      return [`MEMORY suballocator: operation ${i} answered ${placed}, the model ${expected}`];
    }
    if (placed !== undefined) offsets.set(at, placed);
  }
  const isEqual = JSON.stringify(freeRangesOf(allocator)) === JSON.stringify(model.freeRanges());
  return isEqual ? [] : ['MEMORY suballocator: in the end the free ranges differ from the model’s'];
}

function suballocatorTable(results: readonly BenchResult[], isConfirmed: boolean): string {
  return [
    `MEMORY · suballocator · ${OPERATIONS} random operations per row${isConfirmed ? `; another ${OPERATIONS} agreed with the model` : ''}`,
    formatTable(
      ['', '', 'ranges in use', 'free ranges', 'fragmentation', 'refused', 'ns per operation'],
      results.map((result) => [
        '',
        '',
        ...['allocationCount', 'freeRangeCount', 'fragmentation', 'refused', 'nanoseconds'].map((figure) =>
          formatNumber(result[figure]),
        ),
      ]),
    ),
  ].join('\n');
}
