import { describe, expect, it } from 'vitest';
import { BufferLedger } from './buffer-ledger.js';
import { DeferredContext } from './deferred-context.js';
import { BufferUsage } from './descriptors.js';
import { RecorderBench } from './recorder.test-support.js';

const { copySource, copyTarget, storage } = BufferUsage;

function setUp() {
  const bench = new RecorderBench();
  const { context } = bench;
  const ledger = new BufferLedger(context.writer);
  const make = (label: string, usage = copySource | copyTarget) =>
    context.createBuffer({ label, byteLength: 64, usage });
  /** Whether recording this uses and changes the buffer. */
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

describe('M7 what the recorder knows about buffers', () => {
  it('which commands use it and which change it', () => {
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

  it('a bind group changes only what its layout binds as writable storage; an unknown group anything', () => {
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

  it('goes on over full pages, oversize records and publishing, and forgets what is destroyed', () => {
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
    expect(ledger.has(a)).toBe(false);
    expect(seen(b, () => context.drawIndirect(b, 0))).toEqual(used);
  });

  it('sees the commands of deferred lists, which are appended in runs', () => {
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
});
