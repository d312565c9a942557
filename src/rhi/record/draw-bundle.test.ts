import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RhiError } from '../../core/errors.js';
import { decodeRecord } from '../../core/records/record-codec.js';
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import { type BufferHandle, BufferUsage, type DrawBundleHandle } from '../commands/descriptors.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { CheckedImmediateContext, CheckedDeferredContext as DeferredContext } from './checked-contexts.js';
import { bundleAt, bundleFault, bundleRecord, type DrawRecorder } from './draw-bundle.js';
import { traceList } from './trace.js';

function setUp() {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const rhi = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
  const pipeline = 7 as never;
  return { writer, reader, rhi, pipeline };
}

/** Returns the code of the action's error; `nothing` if the action does not throw. */
function codeOf(action: () => void): string {
  try {
    action();
  } catch (error) {
    return (error as RhiError).code;
  }
  return 'nothing';
}

/** Type with all calls of a context, so that a test can record calls that the type of a bundle's recorder lacks. */
type Everything = DrawRecorder & CheckedImmediateContext;

describe('C createDrawBundle', () => {
  it('writes one record that contains the records of the draws, in order', () => {
    const { rhi, reader, pipeline } = setUp();
    const vertices = rhi.createBuffer({ label: 'vertices', byteLength: 96, usage: BufferUsage.vertex });
    const bundle = rhi.createDrawBundle({ label: 'trees' }, (draws) => {
      draws.pushDebugGroup('near');
      draws.setGraphicsPipeline(pipeline);
      draws.setBindGroup(1, 6 as never, [256]);
      draws.setVertexBuffer(0, vertices);
      draws.setIndexBuffer(vertices, 'uint16', 32);
      draws.drawIndexed(6, 2, 1, -3, 4);
      draws.popDebugGroup();
    });
    rhi.executeDrawBundle(bundle);
    rhi.destroy(bundle);
    rhi.publish();
    // A call without a byteLength records the length from the offset to the buffer's end.
    expect(traceList(reader)).toBe(
      [
        'createBuffer handle=<buffer 0.0 "vertices"> descriptor={"label":"vertices","byteLength":96,"usage":32}',
        'createDrawBundle handle=<draw bundle 0.0 "trees"> label="trees" commands=27 words',
        '  pushDebugGroup label="near"',
        '    setGraphicsPipeline pipeline=<graphics pipeline 0.0>',
        '    setBindGroup index=1 bindGroup=<bind group 0.0> dynamicOffsets=[256]',
        '    setVertexBuffer slot=0 buffer=<buffer 0.0 "vertices"> byteOffset=0 byteLength=96',
        '    setIndexBuffer buffer=<buffer 0.0 "vertices"> format=0 byteOffset=32 byteLength=64',
        '    drawIndexed indexCount=6 instanceCount=2 firstIndex=1 baseVertex=-3 firstInstance=4',
        '  popDebugGroup',
        'executeDrawBundle bundle=<draw bundle 0.0 "trees">',
        'destroyResource handle=<draw bundle 0.0 "trees">',
      ].join('\n'),
    );
  });

  it('writes the same record as the table’s own encoding', () => {
    const { rhi, reader, pipeline } = setUp();
    rhi.createDrawBundle({ label: 'ünï' }, (draws) => draws.setGraphicsPipeline(pipeline));
    rhi.publish();
    reader.next();
    const commands = Uint32Array.of(RhiOpcode.setGraphicsPipeline | (2 << HEADER_LENGTH_SHIFT), 7);
    expect(decodeRecord(rhiCommands, reader)).toEqual({
      name: 'createDrawBundle',
      values: { handle: 11, label: 'ünï', commands },
    });
    const { words, fields, fieldWords } = reader;
    expect(bundleRecord(11, 'ünï', commands)).toEqual(words.slice(fields - 1, fields + fieldWords));
    expect(bundleAt(words, fields, fieldWords)).toEqual({ label: 'ünï', commands });
  });

  it('writes a record that may be larger than a page', () => {
    const { rhi, reader } = setUp();
    rhi.createDrawBundle({ label: 'many' }, (draws) => {
      for (let i = 0; i < 20_000; i++) draws.draw(i);
    });
    rhi.publish();
    expect(reader.next()).toBe(true);
    const { commands } = bundleAt(reader.words, reader.fields, reader.fieldWords);
    expect(commands.length).toBe(100_000);
    expect(commands.at(-4)).toBe(19_999);
    expect(bundleFault(commands)).toBeNull();
  });

  it.each([
    ['setViewport', (draws: Everything) => draws.setViewport(0, 0, 1, 1, 0, 1)],
    ['writeBuffer', (draws: Everything) => draws.writeBuffer(1 as BufferHandle, 0, new Uint8Array(4))],
    ['beginRenderPass', (draws: Everything) => draws.beginRenderPass({ label: '', colorAttachments: [] })],
    ['dispatch', (draws: Everything) => draws.dispatch(1)],
    [
      'writeBufferFromAttachment',
      (draws: Everything) => draws.writeBufferFromAttachment(1 as BufferHandle, 0, new ArrayBuffer(4)),
    ],
  ])('refuses %s, with an error that names the command', (name, record) => {
    const { rhi, writer } = setUp();
    const create = () => rhi.createDrawBundle({ label: 'trees' }, (draws) => record(draws as Everything));
    expect(codeOf(create)).toBe('bundle-command');
    expect(create).toThrow(`The draw bundle "trees" holds ${name}, which`);
    expect(writer.bytesWritten).toBe(0);
    expect(rhi.handles.liveCount).toBe(0);
  });

  it('refuses unbalanced debug groups, and a bundle that is too large for a record', () => {
    const { rhi } = setUp();
    const create = (record: (draws: DrawRecorder) => void): string =>
      codeOf(() => rhi.createDrawBundle({ label: 'trees' }, record));
    expect(create((draws) => draws.popDebugGroup())).toBe('bundle-debug-group');
    expect(create((draws) => draws.pushDebugGroup('open'))).toBe('bundle-debug-group');
    expect(create((draws) => draws.insertDebugMarker('x'.repeat(2 ** 25)))).toBe('bundle-too-large');
    expect(codeOf(() => rhi.createDrawBundle({} as { label: string }, () => {}))).toBe('bad-descriptor');
  });

  it('records nothing if the callback throws, and its recorder records nothing later', () => {
    const { rhi, writer } = setUp();
    let kept: DrawRecorder | undefined;
    const create = (): void => {
      rhi.createDrawBundle({ label: 'trees' }, (draws) => {
        kept = draws;
        draws.draw(3);
        throw new Error('mine');
      });
    };
    expect(create).toThrow('mine');
    expect(writer.bytesWritten).toBe(0);
    expect(rhi.handles.liveCount).toBe(0);
    expect(codeOf(() => kept?.draw(3))).toBe('list-not-open');
  });

  it('creates bundles that deferred lists can execute too', () => {
    const { rhi, reader } = setUp();
    const deferred = new DeferredContext();
    rhi.beginFrame(1);
    deferred.begin(rhi.openSubList('list'));
    deferred.executeDrawBundle(11 as DrawBundleHandle);
    rhi.executeSubLists([deferred.finish()]);
    rhi.endFrame();
    rhi.publish();
    expect(traceList(reader).split('\n')[1]).toBe('  executeDrawBundle bundle=<draw bundle 0.0>');
  });
});

describe('bundleFault', () => {
  const header = (opcode: number, length: number): number => opcode | (length << HEADER_LENGTH_SHIFT);

  it.each([
    ['a record of length 0', [header(RhiOpcode.draw, 0)], 'bad-record'],
    ['a record beyond the end', [header(RhiOpcode.draw, 5), 3, 1, 0], 'bad-record'],
    ['a record too short', [header(RhiOpcode.draw, 4), 3, 1, 0], 'bad-record'],
    ['a record too long', [header(RhiOpcode.draw, 6), 3, 1, 0, 0, 0], 'bad-record'],
    ['more offsets than words', [header(RhiOpcode.setBindGroup, 4), 0, 6, 1], 'bad-record'],
    ['fewer offsets than words', [header(RhiOpcode.setBindGroup, 5), 0, 6, 0, 0], 'bad-record'],
    ['a text that wraps', [header(RhiOpcode.insertDebugMarker, 2), 0xfffffffd], 'bad-record'],
    ['no opcode', [header(0, 1)], 'bad-record'],
    ['an unknown opcode', [header(255, 1)], 'bad-record'],
    ['an attachment', [header(RhiOpcode.draw, 5) | 0x100, 3, 1, 0, 0], 'bundle-command'],
    ['a bundle in a bundle', [header(RhiOpcode.executeDrawBundle, 2), 11], 'bundle-command'],
    ['an open group', [header(RhiOpcode.pushDebugGroup, 2), 0], 'bundle-debug-group'],
  ])('reports %s', (_, words, code) => {
    expect(bundleFault(Uint32Array.from(words))?.code).toBe(code);
  });

  it('accepts only words that decode, for random words', () => {
    const opcodes = [RhiOpcode.draw, RhiOpcode.setBindGroup, RhiOpcode.setVertexBuffer, RhiOpcode.draw + 1];
    const word = fc.oneof(
      fc.integer({ min: 0, max: 0xffffffff }),
      fc.integer({ min: 0, max: 5 }),
      fc.tuple(fc.constantFrom(...opcodes), fc.integer({ min: 0, max: 8 })).map(([o, l]) => header(o, l)),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 24 }), (list) => {
        const words = Uint32Array.from(list, (value) => value >>> 0);
        if (bundleFault(words) !== null) return;
        for (const record of new RecordSequence(words)) decodeRecord(rhiCommands, record);
      }),
      { numRuns: 2000 },
    );
  });
});
