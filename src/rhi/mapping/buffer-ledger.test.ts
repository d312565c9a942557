import { describe, expect, it } from 'vitest';
import { type BufferHandle, BufferUsage, type DrawBundleHandle } from '../commands/descriptors.js';
import { CheckedDeferredContext as DeferredContext } from '../record/checked-contexts.js';
import { RecorderBench } from '../record/recorder.test-support.js';
import { BufferLedger } from './buffer-ledger.js';

const { copySource, copyTarget, storage } = BufferUsage;

function setUp() {
  const bench = new RecorderBench();
  const { context } = bench;
  const ledger = new BufferLedger(context.writer);
  const make = (label: string, usage = copySource | copyTarget) =>
    context.createBuffer({ label, byteLength: 64, usage });
  /** Returns whether the commands that `record` records use the buffer, and whether they change it. */
  const seen = (buffer: number, record: () => void) => {
    ledger.settle();
    const before = ledger.sequence;
    record();
    ledger.settle();
    return { used: ledger.entry(buffer).lastUse > before, changed: ledger.isChangedSince(buffer, before) };
  };
  return { bench, context, ledger, make, seen };
}

const nothing = { used: false, changed: false };
const used = { used: true, changed: false };
const changed = { used: true, changed: true };

describe('M7 the buffer ledger', () => {
  it('knows which commands use and change a buffer', () => {
    const { context, make, seen } = setUp();
    const [a, b] = [make('a'), make('b')];
    const texture = context.createTexture({
      label: 't',
      width: 1,
      height: 1,
      format: 'rgba8unorm',
      usage: 1,
    });
    const queries = context.createQuerySet({ label: 'q', type: 'occlusion', count: 1 });
    const one = { width: 1, height: 1 };
    const data = new Uint8Array(4);
    const cases: [() => void, object][] = [
      [() => context.setVertexBuffer(3, a, 0, 4), used],
      [() => context.setIndexBuffer(a, 'uint16', 0, 4), used],
      [() => context.drawIndirect(a, 0), used],
      [() => context.drawIndexedIndirect(a, 0), used],
      [() => context.dispatchIndirect(a, 0), used],
      [() => context.copyBufferToBuffer(a, 0, b, 0, 4), used],
      [() => context.copyBufferToTexture(a, texture, one), used],
      [() => context.readBuffer(7, a, 0, 4), used],
      [() => context.writeBuffer(a, 0, data), changed],
      [() => context.writeBufferUnordered(a, 0, data), changed],
      [() => context.renameBuffer(a), changed],
      [() => context.writeBufferFromAttachment(a, 0, new ArrayBuffer(4)), changed],
      [() => context.clearBuffer(a, 0, 4), changed],
      [() => context.copyBufferToBuffer(b, 0, a, 0, 4), changed],
      [() => context.copyTextureToBuffer(texture, a, one), changed],
      [() => context.resolveQuerySet(queries, 0, 1, a, 0), changed],
      [() => context.draw(a, b, a, b), nothing],
      [() => context.drawIndexed(a, b, a, b, a), nothing],
      [() => context.localCommand('anything'), { used: false, changed: true }],
    ];
    for (const [record, expected] of cases) expect(seen(a, record), String(record)).toEqual(expected);
  });

  it('assumes that a bind group changes only its writable storage, and that an unknown group changes every buffer', () => {
    const { context, ledger, make, seen } = setUp();
    const [read, written, other] = [make('read', storage), make('written', storage), make('other')];
    const layout = context.createBindGroupLayout({
      label: 'layout',
      entries: [
        { binding: 0, visibility: 4, buffer: { type: 'read-only-storage' } },
        { binding: 2, visibility: 4, buffer: { type: 'storage' } },
      ],
    });
    const entries = [
      { binding: 0, buffer: read },
      { binding: 2, buffer: written },
    ];
    const group = context.createBindGroup({ label: 'group', layout, entries });
    expect(seen(read, () => context.setBindGroup(0, group))).toEqual(used);
    expect(seen(written, () => context.setBindGroup(0, group))).toEqual(changed);
    expect(seen(other, () => context.setBindGroup(0, group))).toEqual(nothing);
    context.destroy(group);
    expect(seen(other, () => context.setBindGroup(0, group))).toEqual({ used: false, changed: true });
    ledger.settle();
  });

  it('continues after full pages, oversize records and publishing, and forgets destroyed buffers', () => {
    const { bench, context, ledger, make, seen } = setUp();
    const [a, b] = [make('a'), make('b')];
    ledger.settle();
    const before = ledger.sequence;
    const expected = 40_000;
    for (let i = 0; i < expected; i++) context.drawIndirect(i % 2 === 0 ? a : b, 0);
    context.writeBufferUnordered(b, 0, new Uint8Array(200_000));
    context.publish();
    context.drawIndirect(a, 0);
    ledger.settle();
    expect(ledger.sequence).toBe(before + expected + 2);
    expect([ledger.entry(a).lastUse, ledger.entry(b).lastChange]).toEqual([
      ledger.sequence,
      ledger.sequence - 1,
    ]);
    expect(bench.take().filter(({ name }) => name === 'drawIndirect')).toHaveLength(expected + 1);
    context.destroy(a);
    ledger.settle();
    expect(ledger.entry(a).lastUse).toBe(0);
    expect(seen(b, () => context.drawIndirect(b, 0))).toEqual(used);
  });

  it('sees the commands of deferred lists, whose records are appended many at a time', () => {
    const { bench, context, make, seen } = setUp();
    const [a, b] = [make('a'), make('b')];
    context.beginFrame(0);
    const record = (buffer: typeof a) => {
      const list = context.openSubList('list');
      const deferred = new DeferredContext();
      deferred.begin(list);
      deferred.insertDebugMarker('first');
      deferred.writeBuffer(buffer, 0, new Uint8Array(4));
      deferred.insertDebugMarker('last');
      deferred.finish();
      return list;
    };
    const lists = [record(a), record(a)];
    expect(seen(a, () => context.executeSubLists(lists))).toEqual(changed);
    const others = [record(b)];
    expect(seen(a, () => context.executeSubLists(others))).toEqual(nothing);
    context.endFrame();
    expect(bench.names().filter((name) => name === 'writeBuffer')).toHaveLength(3);
  });

  it('counts the uses and changes of a draw bundle at each execution, in deferred lists too', () => {
    const { context, make, seen } = setUp();
    const [vertices, indices, read, written, other] = ['vertices', 'indices', 'read', 'written', 'other'].map(
      (label) => make(label),
    ) as BufferHandle[];
    const layout = context.createBindGroupLayout({
      label: 'layout',
      entries: [
        { binding: 0, visibility: 2, buffer: { type: 'read-only-storage' } },
        { binding: 1, visibility: 2, buffer: { type: 'storage' } },
      ],
    });
    const entries = [
      { binding: 0, buffer: read as BufferHandle },
      { binding: 1, buffer: written as BufferHandle },
    ];
    const group = context.createBindGroup({ label: 'group', layout, entries });
    let bundle: DrawBundleHandle | undefined;
    const create = () => {
      bundle = context.createDrawBundle({ label: 'a bundle with a long name' }, (draws) => {
        draws.pushDebugGroup('draws');
        draws.setBindGroup(0, group);
        draws.setVertexBuffer(1, vertices as BufferHandle, 0, 4);
        draws.setIndexBuffer(indices as BufferHandle, 'uint16', 0, 4);
        draws.drawIndexed(1);
        draws.popDebugGroup();
      });
    };
    // The creation of a bundle has no effect on buffers.
    expect(seen(written as BufferHandle, create)).toEqual(nothing);
    const execute = () => context.executeDrawBundle(bundle as DrawBundleHandle);
    for (let time = 0; time < 2; time++) {
      expect(seen(vertices as BufferHandle, execute)).toEqual(used);
      expect(seen(indices as BufferHandle, execute)).toEqual(used);
      expect(seen(read as BufferHandle, execute)).toEqual(used);
      expect(seen(written as BufferHandle, execute)).toEqual(changed);
      expect(seen(other as BufferHandle, execute)).toEqual(nothing);
    }
    context.renameBuffer(written as BufferHandle);
    expect(seen(written as BufferHandle, execute)).toEqual(changed);
    context.beginFrame(0);
    const executeInList = () => {
      const list = context.openSubList('list');
      const deferred = new DeferredContext();
      deferred.begin(list);
      deferred.insertDebugMarker('before');
      deferred.executeDrawBundle(bundle as DrawBundleHandle);
      deferred.draw(3);
      deferred.finish();
      context.executeSubLists([list]);
    };
    expect(seen(written as BufferHandle, executeInList)).toEqual(changed);
    expect(seen(vertices as BufferHandle, executeInList)).toEqual(used);
    expect(seen(other as BufferHandle, executeInList)).toEqual(nothing);
    context.endFrame();
    // An unknown bundle may change every buffer.
    context.destroy(bundle);
    expect(seen(other as BufferHandle, execute)).toEqual({ used: false, changed: true });
  });

  it('knows the bytes that ordered commands of the list change, until the list ends or the buffer is renamed', () => {
    const { context, ledger, make } = setUp();
    const [a, b] = [make('a'), make('b')];
    const layout = context.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 4, buffer: { type: 'storage' } }],
    });
    const dynamicLayout = context.createBindGroupLayout({
      label: 'dynamic',
      entries: [{ binding: 0, visibility: 4, buffer: { type: 'storage', hasDynamicOffset: true } }],
    });
    const entries = [{ binding: 0, buffer: a, byteOffset: 16, byteLength: 16 }];
    const group = context.createBindGroup({ label: 'group', layout, entries });
    const dynamic = context.createBindGroup({ label: 'dynamic', layout: dynamicLayout, entries });
    const queries = context.createQuerySet({ label: 'q', type: 'occlusion', count: 1 });
    const texture = context.createTexture({
      label: 't',
      width: 1,
      height: 1,
      format: 'rgba8unorm',
      usage: 1,
    });
    /** Returns the indices of the words of `a` that the list changes, according to the ledger. */
    const changedWords = () => {
      ledger.settle();
      return Array.from({ length: 16 }, (_, word) => word).filter((word) =>
        ledger.isChangedInList(a, word * 4, 4),
      );
    };
    const range = (begin: number, end: number) => Array.from({ length: end - begin }, (_, i) => begin + i);
    const cases: [() => void, number[]][] = [
      [() => context.clearBuffer(a, 8, 8), [2, 3]],
      [() => context.writeBuffer(a, 4, new Uint32Array(2)), [1, 2]],
      [() => context.writeBufferFromAttachment(a, 8, new ArrayBuffer(16), 4, 8), [2, 3]],
      [() => context.copyBufferToBuffer(b, 0, a, 12, 4), [3]],
      [() => context.resolveQuerySet(queries, 0, 1, a, 0), range(0, 16)],
      [() => context.copyTextureToBuffer(texture, a, { width: 1, height: 1 }), range(0, 16)],
      [() => context.setBindGroup(0, group), range(4, 8)],
      [() => context.setBindGroup(0, dynamic, [0]), range(4, 16)],
      [() => context.writeBufferUnordered(a, 0, new Uint8Array(8)), []],
      [() => context.copyBufferToBuffer(a, 0, b, 0, 4), []],
      [() => context.localCommand('anything'), []],
    ];
    cases.forEach(([record, expected], frame) => {
      context.beginFrame(frame);
      record();
      expect(changedWords(), String(record)).toEqual(expected);
      context.endFrame();
      expect(changedWords(), `after ${record}`).toEqual([]);
    });
    // The ledger keeps one range per buffer, from the lowest changed byte to the highest. Commands between frames
    // belong to the next list.
    context.clearBuffer(a, 8, 4);
    context.clearBuffer(a, 24, 4);
    expect(changedWords()).toEqual(range(2, 7));
    context.beginFrame(100);
    context.setBindGroup(0, group);
    expect(changedWords()).toEqual(range(2, 8));
    context.renameBuffer(a);
    expect(changedWords()).toEqual([]);
    context.clearBuffer(a, 0, 4);
    expect(changedWords()).toEqual([0]);
    expect(ledger.isListUnknown).toBe(false);
    context.destroy(group);
    context.setBindGroup(0, group);
    ledger.settle();
    expect(ledger.isListUnknown).toBe(true);
    context.endFrame();
    ledger.settle();
    expect(ledger.isListUnknown).toBe(false);
  });

  it('knows whether a pass is open', () => {
    const { context, ledger } = setUp();
    const isInPass = () => {
      ledger.settle();
      return ledger.isInPass;
    };
    expect(isInPass()).toBe(false);
    context.beginFrame(0);
    context.beginRenderPass({ label: 'render', colorAttachments: [] });
    expect(isInPass()).toBe(true);
    context.endRenderPass();
    expect(isInPass()).toBe(false);
    context.beginComputePass({ label: 'compute' });
    expect(isInPass()).toBe(true);
    context.endComputePass();
    expect(isInPass()).toBe(false);
    context.beginComputePass({ label: 'forgotten' });
    context.endFrame();
    expect(isInPass()).toBe(false);
  });
});
