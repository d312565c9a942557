import { describe, expect, it } from 'vitest';
import type { BindGroupLayoutHandle } from '../commands/descriptors.js';
import { RecorderBench } from '../record/recorder.test-support.js';
import { DynamicBuffers } from './dynamic-buffers.js';

function setUp(pageBytes = 1024) {
  const bench = new RecorderBench();
  const { context } = bench;
  const dynamic = new DynamicBuffers(context, { pageBytes });
  /** Allocates and commits a range. Returns its buffer and offset. */
  const put = (byteLength: number, alignment?: number): [buffer: number, byteOffset: number] => {
    const allocation = dynamic.allocate(byteLength, alignment);
    allocation.commit();
    return [allocation.buffer, allocation.byteOffset];
  };
  const take = () => bench.take();
  const names = () => bench.names();
  const inFrame = (work: () => void) => bench.inFrame(work);
  return { context, dynamic, take, names, inFrame, put };
}

const memory = ({ pageCount, totalBytes, peakBytes }: DynamicBuffers) => [pageCount, totalBytes, peakBytes];

describe('L5 dynamic buffers', () => {
  it('fills a page from its start, at aligned offsets', () => {
    const { dynamic, inFrame, put } = setUp();
    inFrame(() => {
      const [page, first] = put(64);
      expect(first).toBe(0);
      expect(put(64)).toEqual([page, 256]);
      expect(put(5, 4)).toEqual([page, 320]);
      expect(put(4, 4)).toEqual([page, 328]);
      expect(put(4, 48)).toEqual([page, 336]);
      expect(put(512)).toEqual([page, 512]);
    });
    expect(memory(dynamic)).toEqual([1, 1024, 1024]);
  });

  it('records only the allocated bytes at commit, rounded up to whole words, also inside a pass', () => {
    const { context, dynamic, inFrame, take } = setUp();
    inFrame(() => {
      context.beginComputePass({ label: 'pass' });
      const first = dynamic.allocate(8);
      const second = dynamic.allocate(7, 4);
      first.floats.set([1, 2], first.firstWord);
      second.ints.set([-1, -2], second.firstWord);
      second.commit();
      first.commit();
      context.dispatch(1);
      context.endComputePass();
    });
    const records = take();
    expect(records.map(({ name }) => name)).toEqual([
      'beginFrame',
      'beginComputePass',
      'createBuffer',
      'writeBufferUnordered',
      'writeBufferUnordered',
      'dispatch',
      'endComputePass',
      'endFrame',
    ]);
    const writes = records.filter(({ name }) => name === 'writeBufferUnordered').map(({ values }) => values);
    expect(writes.map(({ byteOffset }) => byteOffset)).toEqual([8, 0]);
    expect(writes.map(({ data }) => [...new Int32Array((data as Uint8Array).slice().buffer)])).toEqual([
      [-1, -2],
      [0x3f800000, 0x40000000],
    ]);
  });

  it('grows in the frame that needs it', () => {
    const { dynamic, inFrame, put } = setUp();
    inFrame(() => {
      const [a] = put(1000, 4);
      const [b, offset] = put(1000, 4);
      expect([a === b, offset]).toEqual([false, 0]);
      expect(put(24, 4)).toEqual([b, 1000]);
      expect(put(4, 4)[1]).toBe(0);
    });
    expect(memory(dynamic)).toEqual([3, 3072, 3072]);
  });

  it('gives a large allocation a page of its own, and continues to fill the earlier page', () => {
    const { dynamic, inFrame, put, take } = setUp();
    inFrame(() => {
      const [page] = put(8);
      const [big, offset] = put(2500);
      expect([page === big, offset]).toEqual([false, 0]);
      expect(put(8)).toEqual([page, 256]);
    });
    expect(memory(dynamic)).toEqual([2, 1024 + 4096, 5120]);
    // The next frame uses both pages again: the large page for large data, the ordinary page for small data.
    take();
    inFrame(() => {
      put(4096);
      put(8);
    });
    expect(take().filter(({ name }) => name === 'createBuffer')).toEqual([]);
  });

  it('splits a large commit into records of at most 32,752 bytes, so that two records fill a page of the stream', () => {
    const { inFrame, put, take } = setUp();
    inFrame(() => put(70_000));
    const writes = take().filter(({ name }) => name === 'writeBufferUnordered');
    expect(writes.map(({ values }) => [values.byteOffset, (values.data as Uint8Array).length])).toEqual([
      [0, 32752],
      [32752, 32752],
      [65504, 4496],
    ]);
  });

  it('gives frames with equal allocations the same pages and offsets', () => {
    const { dynamic, inFrame, put } = setUp();
    const places: number[][][] = [[], [], []];
    for (const frame of places) {
      inFrame(() => {
        for (const byteLength of [700, 700, 3000, 200]) frame.push(put(byteLength));
      });
    }
    expect(places[1]).toEqual(places[0]);
    expect(places[2]).toEqual(places[0]);
    expect(memory(dynamic)).toEqual([3, 6144, 6144]);
  });

  it('destroys a page that is unused for 120 frames, keeps a page in use, and remembers the peak', () => {
    const { dynamic, inFrame, put } = setUp();
    inFrame(() => {
      put(1024);
      put(1024);
    });
    for (let frame = 1; frame <= 121; frame++) {
      inFrame(() => put(4));
      expect(dynamic.pageCount, `frame ${frame}`).toBe(frame <= 119 ? 2 : 1);
    }
    expect(memory(dynamic)).toEqual([1, 1024, 2048]);
  });

  it('refuses the use of an allocation after its frame, in an error with its label', () => {
    const { dynamic, inFrame, put } = setUp();
    let stale = dynamic.allocate(4, 4, 'camera');
    inFrame(() => stale.commit());
    const uses: (() => unknown)[] = [
      () => stale.buffer,
      () => stale.byteOffset,
      () => stale.words,
      () => stale.floats,
      () => stale.ints,
      () => stale.commit(),
    ];
    for (const use of uses) {
      expect(use).toThrow(expect.objectContaining({ code: 'dynamic-expired' }));
      expect(use).toThrow(/"camera"/);
    }
    // The error is the same many frames later, when another allocation has the same range.
    for (let frame = 0; frame < 300; frame++) inFrame(() => put(4));
    expect(uses[0]).toThrow(/"camera"/);
    stale = dynamic.allocate(4, 4, 'between frames');
    inFrame(() => {
      stale.commit();
      expect(stale.byteOffset).toBe(0);
    });
    expect(uses[0]).toThrow(/"between frames"/);
  });

  it('reports an allocation that was not committed, and still ends the frame', () => {
    const { context, dynamic, names } = setUp();
    context.beginFrame(0);
    dynamic.allocate(4, 4, 'first').commit();
    dynamic.allocate(4, 4, 'bones');
    expect(() => context.endFrame()).toThrow(/"bones" was not committed/);
    expect(names().at(-1)).toBe('endFrame');
    context.beginFrame(1);
    context.endFrame();
  });

  it('refuses a second commit, an empty request and a bad alignment', () => {
    const { context, dynamic } = setUp();
    const allocation = dynamic.allocate(4, 4, 'twice');
    allocation.commit();
    expect(() => allocation.commit()).toThrow(expect.objectContaining({ code: 'dynamic-committed' }));
    for (const [byteLength, alignment] of [
      [0, 4],
      [Number.NaN, 4],
      [4, 0],
      [4, 6],
    ]) {
      expect(() => dynamic.allocate(byteLength, alignment, 'light')).toThrow(/"light" asks for/);
    }
    expect(() => new DynamicBuffers(context, { pageBytes: 1000 })).toThrow(/multiple of 256/);
  });
});

describe('L5 transient bind groups', () => {
  it('L2 are destroyed before the end of their frame, so that they are paired with the list that used them', () => {
    const { context, dynamic, inFrame, take, names } = setUp();
    const layout = context.createBindGroupLayout({ label: 'none', entries: [] }) as BindGroupLayoutHandle;
    take();
    let group = 0;
    inFrame(() => {
      group = dynamic.bindGroup({ label: 'per draw', layout, entries: [] });
    });
    const records = take();
    expect(records.map(({ name }) => name)).toEqual([
      'beginFrame',
      'createBindGroup',
      'destroyResource',
      'endFrame',
    ]);
    expect(records[2].values.handle).toBe(group >>> 0);
    expect(context.handles.isLive(group)).toBe(false);
    inFrame(() => {});
    expect(names()).toEqual(['beginFrame', 'endFrame']);
  });

  it('are destroyed at dispose with all pages, and allocations expire', () => {
    const { context, dynamic, names } = setUp();
    const live = context.handles.liveCount;
    context.beginFrame(0);
    const layout = context.createBindGroupLayout({ label: 'none', entries: [] });
    dynamic.bindGroup({ label: 'group', layout, entries: [] });
    const allocation = dynamic.allocate(4);
    dynamic.dispose();
    expect(() => allocation.buffer).toThrow(expect.objectContaining({ code: 'dynamic-expired' }));
    expect(memory(dynamic)).toEqual([0, 0, 1024]);
    context.destroy(layout);
    context.endFrame();
    expect(context.handles.liveCount).toBe(live);
    expect(names().filter((name) => name === 'destroyResource')).toHaveLength(3);
  });
});

describe('M6 a bound on dynamic pages', () => {
  it('destroys pages that the frame has not used, and then refuses the allocation in an error with its label', () => {
    const { context } = new RecorderBench();
    const dynamic = new DynamicBuffers(context, { pageBytes: 1024, maximumBytes: 4096 });
    const put = (byteLength: number, label?: string) => dynamic.allocate(byteLength, 256, label).commit();
    context.beginFrame(0);
    put(2048);
    put(1024);
    put(1024);
    expect(memory(dynamic)).toEqual([3, 4096, 4096]);
    expect(() => put(4, 'one more')).toThrow(
      expect.objectContaining({
        code: 'dynamic-exhausted',
        message: expect.stringMatching(/"one more" needs a page of 1024 bytes.*4096 of 4096/),
      }),
    );
    context.endFrame();
    context.beginFrame(1);
    put(4096);
    expect(memory(dynamic)).toEqual([1, 4096, 4096]);
    context.endFrame();
  });
});
