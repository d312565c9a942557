import { describe, expect, it } from 'vitest';
import { type BufferHandle, BufferUsage } from '../commands/descriptors.js';
import { createRhi } from '../host/create-rhi.js';
import type { CheckedImmediateContext } from '../record/checked-contexts.js';
import { CheckedDeferredContext as DeferredContext } from '../record/checked-contexts.js';
import { RecorderBench } from '../record/recorder.test-support.js';
import { BufferMapping } from './buffer-mapping.js';
import type { MappedBuffer } from './mapped-buffer.js';

const { copySource, copyTarget, vertex, storage } = BufferUsage;

/** Creates a mapping. Its read-backs resolve when the test calls `answer`, oldest first. */
function setUp(stagingBytes?: number) {
  const bench = new RecorderBench();
  const { context } = bench;
  const reads: { resolve: (bytes: ArrayBuffer) => void; reject: (error: Error) => void }[] = [];
  const read = (buffer: BufferHandle, byteOffset: number, byteLength: number) => {
    context.handles.check(buffer, 'be read');
    context.readBuffer(reads.length, buffer, byteOffset, byteLength);
    return new Promise<ArrayBuffer>((resolve, reject) => reads.push({ resolve, reject }));
  };
  const mapping = new BufferMapping({ context, read }, { stagingBytes });
  const make = (label: string, byteLength = 16, usage = copySource | copyTarget | vertex) =>
    context.createBuffer({ label, byteLength, usage });
  const buffer = make('data');
  bench.take();
  const answer = async (...words: number[]) => {
    reads.shift()?.resolve(Uint32Array.from(words).buffer);
    for (let i = 0; i < 8; i++) await Promise.resolve();
  };
  /** Returns the records since the last call; writes have their offset and words. */
  const records = () =>
    bench.take().map(({ name, values: { byteOffset, data } }) => {
      if (data === undefined) return name;
      return [name, byteOffset, ...new Uint32Array((data as Uint8Array).slice().buffer)];
    });
  return { bench, context, mapping, make, buffer, reads, answer, records };
}

const hasCode = (code: string) => expect.objectContaining({ code });

describe('M1 map modes', () => {
  it('write-discard renames and writes at unmap, also inside a pass', () => {
    const { context, mapping, buffer, records } = setUp();
    context.beginComputePass({ label: 'pass' });
    const mapped = mapping.map(buffer, 'write-discard');
    expect([mapped.byteLength, ...mapped.words]).toEqual([16, 0, 0, 0, 0]);
    mapped.words.set([1, 2, 3, 4]);
    expect(records()).toEqual(['beginComputePass']);
    mapped.unmap();
    expect(records()).toEqual(['renameBuffer', ['writeBufferUnordered', 0, 1, 2, 3, 4]]);
  });

  it('write-no-overwrite writes the range without renaming', () => {
    const { mapping, buffer, records } = setUp();
    const mapped = mapping.map(buffer, 'write-no-overwrite', { byteOffset: 8, byteLength: 4 });
    mapped.floats[0] = 1;
    mapped.unmap();
    expect(records()).toEqual([['writeBufferUnordered', 8, 0x3f800000]]);
  });

  /** Commands that change, or may change, the buffer's second word in list order. */
  const orderedChanges: readonly [
    string,
    (context: CheckedImmediateContext, buffer: BufferHandle) => void,
  ][] = [
    ['clear', (context, buffer) => context.clearBuffer(buffer, 0, 8)],
    ['write', (context, buffer) => context.writeBuffer(buffer, 4, new Uint32Array(1))],
    [
      'copy',
      (context, buffer) => {
        const source = context.createBuffer({ label: 's', byteLength: 16, usage: copySource });
        context.copyBufferToBuffer(source, 0, buffer, 0, 16);
      },
    ],
    [
      'dispatch',
      (context, buffer) => {
        const entry = { binding: 0, visibility: 4, buffer: { type: 'storage' } } as const;
        const layout = context.createBindGroupLayout({ label: 'l', entries: [entry] });
        const group = context.createBindGroup({ label: 'g', layout, entries: [{ binding: 0, buffer }] });
        context.beginComputePass({ label: 'pass' });
        context.setBindGroup(0, group);
        context.dispatch(1);
        context.endComputePass();
      },
    ],
    [
      'draw bundle',
      (context, buffer) => {
        const entry = { binding: 0, visibility: 2, buffer: { type: 'storage' } } as const;
        const layout = context.createBindGroupLayout({ label: 'l', entries: [entry] });
        const group = context.createBindGroup({ label: 'g', layout, entries: [{ binding: 0, buffer }] });
        const bundle = context.createDrawBundle({ label: 'b' }, (draws) => draws.setBindGroup(0, group));
        context.beginRenderPass({ label: 'pass', colorAttachments: [] });
        context.executeDrawBundle(bundle);
        context.endRenderPass();
      },
    ],
    [
      'unknown bind group',
      (context) => {
        const layout = context.createBindGroupLayout({ label: 'l', entries: [] });
        const group = context.createBindGroup({ label: 'g', layout, entries: [] });
        context.destroy(group);
        context.beginComputePass({ label: 'pass' });
        context.setBindGroup(0, group);
        context.endComputePass();
      },
    ],
  ];

  it.each(orderedChanges)(
    'M7 write-no-overwrite is ordered in the list if an earlier command of the list would overwrite it: %s',
    (_, change) => {
      const { context, mapping, buffer, records } = setUp();
      const write = () => {
        const mapped = mapping.map(buffer, 'write-no-overwrite', { byteOffset: 4, byteLength: 4 });
        mapped.words[0] = 9;
        mapped.unmap();
        return records().at(-1);
      };
      context.beginFrame(0);
      expect(write()).toEqual(['writeBufferUnordered', 4, 9]);
      change(context, buffer);
      expect(write()).toEqual(['writeBuffer', 4, 9]);
      // The ordered write is itself an ordered change of these bytes, so the next write is ordered too.
      expect(write()).toEqual(['writeBuffer', 4, 9]);
      context.endFrame();
      expect(write()).toEqual(['writeBufferUnordered', 4, 9]);
    },
  );

  it('M7 changes of other bytes, or of the buffer’s earlier memory, leave write-no-overwrite unordered', () => {
    const { context, mapping, make, buffer, records } = setUp();
    const other = make('other');
    context.beginFrame(0);
    context.clearBuffer(buffer, 8, 8);
    context.clearBuffer(other, 0, 16);
    mapping.map(buffer, 'write-no-overwrite', { byteLength: 8 }).unmap();
    expect(records().at(-1)).toEqual(['writeBufferUnordered', 0, 0, 0]);
    mapping.map(buffer, 'write-discard').unmap();
    mapping.map(buffer, 'write-no-overwrite', { byteOffset: 8, byteLength: 4 }).unmap();
    expect(records().at(-1)).toEqual(['writeBufferUnordered', 8, 0]);
  });

  it('M7 unmap refuses an ordered write-no-overwrite inside a pass, in an error with the label, and the buffer stays mapped', () => {
    const { context, mapping, buffer, records } = setUp();
    context.beginFrame(0);
    context.clearBuffer(buffer, 0, 8);
    context.beginRenderPass({ label: 'pass', colorAttachments: [] });
    const mapped = mapping.map(buffer, 'write-no-overwrite', { byteLength: 4 });
    mapped.words[0] = 9;
    expect(() => mapped.unmap()).toThrow(
      /"data", mapped for write-no-overwrite, .* Earlier commands of the list change/,
    );
    expect(mapping.stagingBytes.now).toBe(4);
    context.endRenderPass();
    mapped.unmap();
    expect(mapping.stagingBytes.now).toBe(0);
    context.endFrame();
    expect(records().slice(-3)).toEqual(['endRenderPass', ['writeBuffer', 0, 9], 'endFrame']);
  });

  it('unmap of read-write is refused inside a pass', async () => {
    const { context, mapping, buffer, answer } = setUp();
    const mapping1 = mapping.map(buffer, 'read-write');
    await answer(1, 2, 3, 4);
    const mapped = await mapping1;
    context.beginFrame(0);
    context.beginComputePass({ label: 'pass' });
    expect(() => mapped.unmap()).toThrow(hasCode('unmap-inside-pass'));
    context.endComputePass();
    mapped.unmap();
    context.endFrame();
  });

  it('read resolves when the bytes have arrived, and records nothing at unmap', async () => {
    const { mapping, buffer, answer, records } = setUp();
    const mapping1 = mapping.map(buffer, 'read', { byteOffset: 4, byteLength: 8 });
    expect(records()).toEqual(['readBuffer']);
    let isThere = false;
    mapping1.then(() => {
      isThere = true;
    });
    await Promise.resolve();
    expect(isThere).toBe(false);
    await answer(7, 8);
    const mapped = await mapping1;
    expect([...mapped.words]).toEqual([7, 8]);
    mapped.unmap();
    expect(records()).toEqual([]);
  });

  it('read-write writes back, in order', async () => {
    const { mapping, buffer, answer, records } = setUp();
    const mapping1 = mapping.map(buffer, 'read-write', { byteLength: 8 });
    await answer(7, 8);
    const mapped = await mapping1;
    mapped.words[1] += 1;
    mapped.unmap();
    expect(records()).toEqual(['readBuffer', ['writeBuffer', 0, 7, 9]]);
  });

  it('a large write is split into records of at most 32,752 bytes', () => {
    const { bench, mapping, make } = setUp();
    mapping.map(make('large', 40_000), 'write-discard').unmap();
    const writes = bench.take().filter(({ name }) => name === 'writeBufferUnordered');
    expect(writes.map(({ values }) => [values.byteOffset, (values.data as Uint8Array).length])).toEqual([
      [0, 32752],
      [32752, 7248],
    ]);
  });

  it('a refused read rejects, and the buffer can be mapped again', async () => {
    const { mapping, buffer, reads } = setUp();
    const refused = mapping.map(buffer, 'read');
    reads.shift()?.reject(new Error('refused'));
    await expect(refused).rejects.toThrow('refused');
    expect(mapping.stagingBytes.now).toBe(0);
    mapping.map(buffer, 'write-discard').unmap();
  });
});

describe('M2 do not wait', () => {
  const tryMap = (mapping: BufferMapping, buffer: BufferHandle, byteLength = 16): MappedBuffer =>
    mapping.map(buffer, 'read', { doNotWait: true, byteLength });

  it('throws was-still-drawing at once, begins the read once, and maps when the bytes have arrived', async () => {
    const { mapping, buffer, answer, records } = setUp();
    expect(() => tryMap(mapping, buffer)).toThrow(hasCode('was-still-drawing'));
    expect(() => tryMap(mapping, buffer)).toThrow(/"data" have not arrived yet/);
    expect(records()).toEqual(['readBuffer']);
    await answer(1, 2, 3, 4);
    const mapped = tryMap(mapping, buffer);
    expect([...mapped.words]).toEqual([1, 2, 3, 4]);
    mapped.unmap();
    expect(records()).toEqual([]);
    expect(() => tryMap(mapping, buffer)).toThrow(hasCode('was-still-drawing'));
  });

  it('M7 discards arrived bytes if the buffer may have changed since', async () => {
    const { bench, context, mapping, make, buffer, answer, records } = setUp();
    const other = make('other');
    expect(() => tryMap(mapping, buffer)).toThrow(hasCode('was-still-drawing'));
    await answer(1, 1, 1, 1);
    context.writeBuffer(buffer, 0, new Uint8Array(4));
    expect(() => tryMap(mapping, buffer)).toThrow(hasCode('was-still-drawing'));
    expect(records()).toEqual(['createBuffer', 'readBuffer', ['writeBuffer', 0, 0], 'readBuffer']);
    // Reads of the buffer, changes of another buffer and later frames do not count as changes of the buffer.
    for (let frame = 0; frame < 3; frame++) {
      bench.inFrame(() => {
        context.setVertexBuffer(0, buffer, 0, 16);
        context.draw(3);
        context.writeBuffer(other, 0, new Uint8Array(4));
      });
    }
    await answer(2, 2, 2, 2);
    expect([...tryMap(mapping, buffer).words]).toEqual([2, 2, 2, 2]);
    expect(mapping.stagingBytes.now).toBe(16);
  });

  it('M7 counts a draw bundle that writes the buffer as a change, in deferred lists and after a rename too', async () => {
    const { context, mapping, make, answer } = setUp();
    const written = make('written', 16, copySource | copyTarget | storage);
    const layout = context.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 2, buffer: { type: 'storage' } }],
    });
    const group = context.createBindGroup({
      label: 'group',
      layout,
      entries: [{ binding: 0, buffer: written }],
    });
    const bundle = context.createDrawBundle({ label: 'bundle' }, (draws) => {
      draws.setBindGroup(0, group);
      draws.draw(3);
    });
    const inList = () => {
      const list = context.openSubList('list');
      const deferred = new DeferredContext();
      deferred.begin(list);
      deferred.executeDrawBundle(bundle);
      deferred.finish();
      context.executeSubLists([list]);
    };
    let frame = 0;
    for (const execute of [() => context.executeDrawBundle(bundle), inList]) {
      for (const rename of [false, true]) {
        if (rename) context.renameBuffer(written);
        expect(() => tryMap(mapping, written)).toThrow(hasCode('was-still-drawing'));
        await answer(1, 1, 1, 1);
        context.beginFrame(frame++);
        execute();
        expect(() => tryMap(mapping, written)).toThrow(hasCode('was-still-drawing'));
        context.endFrame();
        await answer(2, 2, 2, 2);
        const mapped = tryMap(mapping, written);
        expect(mapped.words[0]).toBe(2);
        mapped.unmap();
      }
    }
  });

  it('returns the bytes of an earlier call with allowOlder, although the buffer changes every frame', async () => {
    const { bench, context, mapping, buffer, answer, records } = setUp();
    const tryOlder = () => mapping.map(buffer, 'read', { doNotWait: true, allowOlder: true });
    const change = () => bench.inFrame(() => context.writeBuffer(buffer, 0, new Uint8Array(4)));
    for (let round = 1; round < 4; round++) {
      change();
      expect(tryOlder).toThrow(hasCode('was-still-drawing'));
      change();
      expect(tryOlder).toThrow(hasCode('was-still-drawing'));
      await answer(round, 0, 0, 0);
      change();
      const mapped = tryOlder();
      expect(mapped.words[0]).toBe(round);
      mapped.unmap();
      expect(records().filter((name) => name === 'readBuffer')).toHaveLength(1);
    }
    expect(tryOlder).toThrow(hasCode('was-still-drawing'));
    await answer(9, 9, 9, 9);
    change();
    // Without `allowOlder`, callers get no outdated bytes.
    expect(() => tryMap(mapping, buffer)).toThrow(hasCode('was-still-drawing'));
  });

  it('begins a new read for another range, and drops the bytes of the first read', async () => {
    const { mapping, buffer, answer } = setUp();
    expect(() => tryMap(mapping, buffer)).toThrow(hasCode('was-still-drawing'));
    expect(() => tryMap(mapping, buffer, 4)).toThrow(hasCode('was-still-drawing'));
    expect(mapping.stagingBytes.now).toBe(20);
    await answer(1, 2, 3, 4);
    expect(mapping.stagingBytes.now).toBe(4);
    expect(() => tryMap(mapping, buffer, 4)).toThrow(hasCode('was-still-drawing'));
    await answer(5);
    const mapped = tryMap(mapping, buffer, 4);
    expect([...mapped.words]).toEqual([5]);
    mapped.unmap();
    expect(mapping.stagingBytes.now).toBe(0);
  });

  it('throws the error of a refused read, once', async () => {
    const { mapping, buffer, reads } = setUp();
    expect(() => tryMap(mapping, buffer)).toThrow(hasCode('was-still-drawing'));
    reads.shift()?.reject(new Error('refused'));
    for (let i = 0; i < 4; i++) await Promise.resolve();
    expect(() => tryMap(mapping, buffer)).toThrow('refused');
    expect(() => tryMap(mapping, buffer)).toThrow(hasCode('was-still-drawing'));
  });

  it('drops the bytes of a destroyed buffer', async () => {
    const { bench, context, mapping, buffer, answer } = setUp();
    expect(() => tryMap(mapping, buffer)).toThrow(hasCode('was-still-drawing'));
    await answer(1, 2, 3, 4);
    context.destroy(buffer);
    expect(mapping.stagingBytes.now).toBe(16);
    bench.inFrame();
    expect(mapping.stagingBytes.now).toBe(0);
    expect(() => tryMap(mapping, buffer)).toThrow(hasCode('stale-handle'));
  });
});

describe('M6 bounds', () => {
  it('refuses to map a buffer a second time between map and unmap, in an error with the label', async () => {
    const { mapping, buffer, answer } = setUp();
    const written = mapping.map(buffer, 'write-discard');
    expect(() => mapping.map(buffer, 'write-no-overwrite')).toThrow(/"data" is mapped for write-discard/);
    written.unmap();
    const reading = mapping.map(buffer, 'read');
    await expect(mapping.map(buffer, 'read')).rejects.toThrow(hasCode('already-mapped'));
    await answer(0, 0, 0, 0);
    (await reading).unmap();
    mapping.map(buffer, 'write-discard').unmap();
  });

  it('refuses to submit a list that uses a mapped buffer, and keeps the frame open until the buffer is unmapped', () => {
    const { context, mapping, buffer, records } = setUp();
    const fence = context.createFence('fence');
    records();
    let framesEnded = 0;
    context.onFrameFinished(() => framesEnded++);
    context.beginFrame(0);
    const mapped = mapping.map(buffer, 'write-no-overwrite', { byteLength: 4 });
    context.setVertexBuffer(0, buffer, 0, 16);
    const refused =
      /"data" is used by commands while it is mapped for write-no-overwrite. The list was not submitted/;
    // Commands that split the list submit its first part.
    const submissions = [
      () => context.endFrame(),
      () => context.signalFence(fence, 1),
      () => context.waitFence(fence, 1),
      () => context.localCommand('work'),
      () => context.endFrame(),
    ];
    for (const submit of submissions) expect(submit, String(submit)).toThrow(refused);
    expect(() => context.beginFrame(1)).toThrow(hasCode('frame-not-ended'));
    expect([framesEnded, records()]).toEqual([0, ['beginFrame', 'setVertexBuffer']]);
    mapped.unmap(); // Does not throw, because `endFrame` has reported the use.
    context.signalFence(fence, 1);
    context.endFrame();
    expect([framesEnded, records()]).toEqual([
      1,
      [['writeBufferUnordered', 0, 0], 'signalFence', 'endFrame'],
    ]);
  });

  it('reports uses of the buffer at unmap if no submission was refused before, and unmaps the buffer', () => {
    const { context, mapping, buffer, records } = setUp();
    context.beginFrame(0);
    const mapped = mapping.map(buffer, 'write-no-overwrite', { byteLength: 4 });
    context.setVertexBuffer(0, buffer, 0, 16);
    expect(() => mapped.unmap()).toThrow(/"data" is used .* Unmap the buffer before recording its use/);
    context.endFrame();
    mapping.map(buffer, 'write-discard').unmap();
    expect(records()).toEqual([
      ...['beginFrame', 'setVertexBuffer', ['writeBufferUnordered', 0, 0], 'endFrame'],
      ...['renameBuffer', ['writeBufferUnordered', 0, 0, 0, 0, 0]],
    ]);
  });

  it('counts a draw bundle with a mapped buffer as a use: executed directly, in a deferred list, and after a rename', () => {
    const { context, mapping, make } = setUp();
    const used = make('used');
    const bundle = context.createDrawBundle({ label: 'bundle' }, (draws) => {
      draws.setVertexBuffer(0, used, 0, 16);
      draws.draw(3);
    });
    const executions = [
      () => context.executeDrawBundle(bundle),
      () => {
        const list = context.openSubList('list');
        const deferred = new DeferredContext();
        deferred.begin(list);
        deferred.executeDrawBundle(bundle);
        deferred.finish();
        context.executeSubLists([list]);
      },
    ];
    let frame = 0;
    for (const execute of [...executions, ...executions]) {
      context.beginFrame(frame++);
      const mapped = mapping.map(used, 'write-discard');
      execute();
      expect(() => context.endFrame(), String(execute)).toThrow(
        /"used" is used by commands while it is mapped/,
      );
      mapped.unmap(); // Renames the buffer.
      context.endFrame();
    }
  });

  it('counts uses before the mapping if they are in the same frame, but not uses in earlier frames', () => {
    const { bench, context, mapping, make, buffer } = setUp();
    bench.inFrame(() => context.setVertexBuffer(0, buffer, 0, 16));
    const mapped = mapping.map(buffer, 'write-no-overwrite');
    bench.inFrame();
    mapped.unmap();
    const other = make('other');
    context.beginFrame(7);
    context.setVertexBuffer(0, other, 0, 16);
    const second = mapping.map(other, 'write-discard');
    expect(() => context.endFrame()).toThrow(/"other"/);
    second.unmap();
    context.endFrame();
  });

  it('lets the frame end after the error if the buffer is destroyed, or the mapping disposed of', () => {
    const { context, mapping, make, buffer } = setUp();
    const other = make('other');
    context.beginFrame(0);
    mapping.map(buffer, 'write-discard');
    context.setVertexBuffer(0, buffer, 0, 16);
    expect(() => context.endFrame()).toThrow(/"data"/);
    context.destroy(buffer);
    context.endFrame();
    context.beginFrame(1);
    mapping.map(other, 'write-discard');
    context.setVertexBuffer(0, other, 0, 16);
    expect(() => context.endFrame()).toThrow(/"other"/);
    mapping.dispose();
    context.endFrame();
  });

  it('submits the frame of a pending read-write, but reports uses of the buffer', async () => {
    const { bench, context, mapping, buffer, answer } = setUp();
    let mapping1: Promise<MappedBuffer> | undefined;
    bench.inFrame(() => {
      context.setVertexBuffer(0, buffer, 0, 16);
      mapping1 = mapping.map(buffer, 'read-write');
    });
    context.beginFrame(5);
    context.setVertexBuffer(0, buffer, 0, 16);
    expect(() => context.endFrame()).toThrow(/mapped for read-write/);
    await answer(1, 2, 3, 4);
    context.beginFrame(6);
    const mapped = await mapping1;
    expect(() => mapped?.unmap()).toThrow(hasCode('buffer-mapped'));
    context.endFrame();
  });

  it('allows uses of the buffer during a pending read, and refuses them once the buffer is mapped', async () => {
    const { bench, context, mapping, buffer, answer } = setUp();
    const reading = mapping.map(buffer, 'read');
    const useIt = () => bench.inFrame(() => context.writeBuffer(buffer, 0, new Uint8Array(4)));
    useIt();
    await answer(1, 2, 3, 4);
    const mapped = await reading;
    expect(useIt).toThrow(hasCode('buffer-mapped'));
    mapped.unmap();
    context.endFrame();
  });

  it('does not count the read itself as a use, although its frame is still open', async () => {
    const { context, mapping, make, buffer, answer } = setUp();
    const fence = context.createFence('fence');
    const doNotWait = true;
    context.beginFrame(0);
    const reading = mapping.map(buffer, 'read');
    const other = make('other');
    expect(() => mapping.map(other, 'read', { doNotWait })).toThrow(hasCode('was-still-drawing'));
    context.signalFence(fence, 1); // Submits the reads.
    await answer(1, 2, 3, 4);
    await answer(5, 6, 7, 8);
    const [mapped, mappedOther] = [await reading, mapping.map(other, 'read', { doNotWait })];
    context.signalFence(fence, 2);
    context.setVertexBuffer(0, other, 0, 16);
    expect(() => context.endFrame()).toThrow(/"other" is used/);
    mappedOther.unmap();
    context.endFrame();
    mapped.unmap();
  });

  it('fills staging memory to exactly the budget; then a write throws, and a read waits for its turn', async () => {
    const { mapping, make, buffer, answer, records } = setUp(32);
    const [second, third] = [make('second'), make('third')];
    records();
    const first = mapping.map(buffer, 'write-discard');
    const other = mapping.map(second, 'write-discard');
    expect(mapping.stagingBytes).toEqual({ now: 32, peak: 32 });
    expect(() => mapping.map(third, 'write-discard')).toThrow(/"third" exceeds.*32 of 32 bytes are in use/);
    const reading = mapping.map(third, 'read');
    await Promise.resolve();
    expect(records()).toEqual([]);
    first.unmap();
    await Promise.resolve();
    await Promise.resolve();
    expect(records().slice(-1)).toEqual(['readBuffer']);
    await answer(1, 2, 3, 4);
    (await reading).unmap();
    other.unmap();
    expect(mapping.stagingBytes).toEqual({ now: 0, peak: 32 });
  });

  it('refuses a range that is larger than the whole budget at once, for writes and for reads', async () => {
    const { mapping, buffer } = setUp(12);
    expect(() => mapping.map(buffer, 'write-discard')).toThrow(hasCode('staging-exhausted'));
    await expect(mapping.map(buffer, 'read')).rejects.toThrow(hasCode('staging-exhausted'));
  });

  it('drops uncollected bytes to make room', async () => {
    const { mapping, make, buffer, answer } = setUp(16);
    const other = make('other');
    const doNotWait = true;
    expect(() => mapping.map(buffer, 'read', { doNotWait })).toThrow(hasCode('was-still-drawing'));
    expect(() => mapping.map(other, 'write-discard')).toThrow(hasCode('staging-exhausted'));
    const waiting = mapping.map(other, 'read');
    await answer(1, 2, 3, 4); // The bytes of the first read are dropped, because another read waits.
    await answer(5, 6, 7, 8);
    const mapped = await waiting;
    expect([...mapped.words]).toEqual([5, 6, 7, 8]);
    mapped.unmap();
    expect(() => mapping.map(buffer, 'read', { doNotWait })).toThrow(hasCode('was-still-drawing'));
    await answer(1, 2, 3, 4);
    mapping.map(other, 'write-discard').unmap();
    expect(mapping.stagingBytes.now).toBe(0);
  });

  it('refuses bad ranges, a missing usage, destroyed buffers and views after unmap', async () => {
    const { context, mapping, make, buffer } = setUp();
    for (const range of [
      { byteOffset: 2 },
      { byteLength: 6 },
      { byteOffset: 12, byteLength: 8 },
      { byteOffset: 16 },
      { byteLength: 0 },
      { byteOffset: -4 },
    ]) {
      expect(() => mapping.map(buffer, 'write-no-overwrite', range)).toThrow(/"data" of 16 bytes was mapped/);
    }
    const target = make('fixed', 16, vertex);
    expect(() => mapping.map(target, 'write-discard')).toThrow(/"fixed" can't be mapped/);
    const mapped = mapping.map(buffer, 'write-discard');
    mapped.unmap();
    expect(() => mapped.words).toThrow(hasCode('not-mapped'));
    expect(() => mapped.unmap()).toThrow(/"data" was unmapped/);
    const last = mapping.map(buffer, 'write-discard');
    context.destroy(buffer);
    last.unmap();
    expect(() => mapping.map(buffer, 'write-discard')).toThrow(hasCode('stale-handle'));
  });

  it('maps a buffer made before the mapping like any other', () => {
    const bench = new RecorderBench();
    const { context } = bench;
    const buffer = context.createBuffer({ label: 'old', byteLength: 16, usage: copyTarget });
    const mapping = new BufferMapping({ context, read: () => Promise.reject(new Error('none')) });
    bench.take();
    expect(() => mapping.map(buffer, 'write-discard', { byteLength: 20 })).toThrow(/"old" of 16 bytes/);
    const mapped = mapping.map(buffer, 'write-discard');
    expect(mapped.byteLength).toBe(16);
    mapped.unmap();
    expect(bench.names()).toEqual(['renameBuffer', 'writeBufferUnordered']);
  });

  it('refuses an unknown mode, in an error with the buffer’s label', () => {
    const { mapping, buffer } = setUp();
    expect(() => mapping.map(buffer, 'write' as 'read')).toThrow(hasCode('map-mode'));
    expect(() => mapping.map(buffer, 'write' as 'read')).toThrow(/"data" can't be mapped for "write"/);
  });

  it('H3 maps in bypass mode too, where every call is executed at once', async () => {
    const errors: unknown[] = [];
    const rhi = createRhi({ device: null, bypass: true, onError: (error) => errors.push(error) });
    const mapping = new BufferMapping(rhi);
    const buffer = rhi.context.createBuffer({ label: 'data', byteLength: 16, usage: copyTarget });
    rhi.context.beginFrame(0);
    const mapped = mapping.map(buffer, 'write-discard');
    rhi.context.setVertexBuffer(0, buffer, 0, 16);
    expect(() => rhi.context.endFrame()).toThrow(hasCode('buffer-mapped'));
    mapped.unmap();
    const reading = mapping.map(buffer, 'read');
    rhi.context.endFrame();
    await rhi.flush();
    (await reading).unmap();
    expect(errors).toEqual([]);
    mapping.dispose();
    rhi.context.destroy(buffer);
    expect(rhi.dispose()).toEqual({ leaks: [] });
  });

  it('refuses unknown options and invalid values', async () => {
    const { context, mapping, buffer } = setUp();
    const read = () => Promise.reject(new Error('none'));
    const make = (...args: unknown[]) =>
      new BufferMapping(...(args as [{ context: typeof context; read: typeof read }]));
    const wrong: [() => unknown, string, RegExp][] = [
      [
        () => make(),
        'option-invalid',
        /The RHI of new BufferMapping is undefined; it has to be an RHI that createRhi/,
      ],
      [() => make({ context }), 'option-invalid', /new BufferMapping/],
      [() => make({ context, read }, { stagingByte: 4 }), 'option-unknown', /Did you mean "stagingBytes"\?/],
      [
        () => make({ context, read }, { stagingBytes: Number.NaN }),
        'option-invalid',
        /"stagingBytes" .* is NaN/,
      ],
      [() => make({ context, read }, null), 'option-invalid', /given null/],
      [() => mapping.map(undefined as never, 'read'), 'bad-argument', /map was given the buffer = undefined/],
      [() => mapping.map(5n as never, 'x' as never), 'bad-argument', /the buffer = 5/],
      [
        () => mapping.map(buffer, 'read', { donotwait: true } as object),
        'option-unknown',
        /mean "doNotWait"\?/,
      ],
      [() => mapping.map(buffer, 'write-discard', { offset: 4 } as object), 'option-unknown', /byteOffset/],
      [() => mapping.map(buffer, 'write-discard', null as never), 'option-invalid', /given null/],
      [() => mapping.map(buffer, 'read', { doNotWait: 1 as never }), 'option-invalid', /"doNotWait"/],
      [() => mapping.map(buffer, 'read', { allowOlder: true }), 'option-invalid', /with doNotWait/],
      [
        () => mapping.map(buffer, 'read-write', { doNotWait: true, allowOlder: true }),
        'option-invalid',
        /read-write/,
      ],
      [() => mapping.map(buffer, 'write-discard', { byteLength: '8' as never }), 'out-of-range', /"data"/],
      [() => mapping.map(buffer, 'write-discard', { byteOffset: Number.NaN }), 'out-of-range', /"data"/],
    ];
    for (const [act, code, message] of wrong) {
      const error = await new Promise((resolve) => resolve(act())).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error, String(act)).toMatchObject({ code, message: expect.stringMatching(message) });
    }
    expect(mapping.stagingBytes.now).toBe(0);
    mapping.map(buffer, 'write-discard').unmap();
  });

  it('rejects waiting reads at dispose', async () => {
    const { mapping, make, buffer } = setUp(16);
    mapping.map(buffer, 'write-discard');
    const waiting = mapping.map(make('other'), 'read');
    await Promise.resolve();
    mapping.dispose();
    await expect(waiting).rejects.toThrow(hasCode('mapping-disposed'));
  });
});
