import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RhiError } from '../../core/errors.js';
import { decodeRecord, encodeRecord } from '../../core/records/record-codec.js';
import type { FieldType } from '../../core/records/record-table.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../commands/commands.js';
import { assumeNotInUse } from '../mapping/assume-not-in-use.js';
import { ImmediateContext } from './immediate-context.js';

type Values = Record<string, never>;
/**
 * Functions by command. Each calls the context's method with the values of a record. `creates` has the commands that
 * create a resource from a descriptor.
 */
const record: Record<string, (context: ImmediateContext, v: Values) => void> = {
  beginFrame: (c, v) => c.beginFrame(v.frame, v.flags),
  endFrame: (c, v) => {
    (c as unknown as { beginFrame: (frame: number) => void }).beginFrame(v.frame);
    c.endFrame();
  },
  beginDrawingViewport: (c, v) => c.beginDrawingViewport(v.target, v.width, v.height),
  endDrawingViewport: (c, v) => c.endDrawingViewport(v.target),
  writeBuffer: (c, v) => c.writeBuffer(v.buffer, v.byteOffset, v.data),
  writeBufferFromAttachment: (c, v) =>
    c.writeBufferFromAttachment(v.buffer, v.byteOffset, new ArrayBuffer(8), v.dataByteOffset, v.byteLength),
  writeTexture: (c, v) => c.writeTexture(v.texture, v.region, v.data),
  writeTextureFromAttachment: (c, v) => c.writeTextureFromAttachment(v.texture, v.region, new ArrayBuffer(8)),
  copyExternalImage: (c, v) => c.copyExternalImage(new ArrayBuffer(8) as never, v.texture, v.region),
  clearBuffer: (c, v) => c.clearBuffer(v.buffer, v.byteOffset, v.byteLength),
  copyBufferToBuffer: (c, v) =>
    c.copyBufferToBuffer(v.source, v.sourceByteOffset, v.target, v.targetByteOffset, v.byteLength),
  copyBufferToTexture: (c, v) => c.copyBufferToTexture(v.source, v.target, v.region),
  copyTextureToBuffer: (c, v) => c.copyTextureToBuffer(v.source, v.target, v.region),
  copyTextureToTexture: (c, v) => c.copyTextureToTexture(v.source, v.target, v.region),
  readBuffer: (c, v) => c.readBuffer(v.request, v.buffer, v.byteOffset, v.byteLength),
  beginRenderPass: (c, v) => c.beginRenderPass(v.descriptor),
  endRenderPass: (c) => c.endRenderPass(),
  beginComputePass: (c, v) => c.beginComputePass(v.descriptor),
  endComputePass: (c) => c.endComputePass(),
  setGraphicsPipeline: (c, v) => c.setGraphicsPipeline(v.pipeline),
  setComputePipeline: (c, v) => c.setComputePipeline(v.pipeline),
  setBindGroup: (c, v) => c.setBindGroup(v.index, v.bindGroup, v.dynamicOffsets),
  setVertexBuffer: (c, v) => c.setVertexBuffer(v.slot, v.buffer, v.byteOffset, v.byteLength),
  setIndexBuffer: (c, v) =>
    c.setIndexBuffer(v.buffer, v.format === 1 ? 'uint32' : 'uint16', v.byteOffset, v.byteLength),
  setViewport: (c, v) => c.setViewport(v.x, v.y, v.width, v.height, v.minDepth, v.maxDepth),
  setScissorRect: (c, v) => c.setScissorRect(v.x, v.y, v.width, v.height),
  setStencilRef: (c, v) => c.setStencilRef(v.reference),
  setBlendFactor: (c, v) => c.setBlendFactor(v.red, v.green, v.blue, v.alpha),
  draw: (c, v) => c.draw(v.vertexCount, v.instanceCount, v.firstVertex, v.firstInstance),
  drawIndexed: (c, v) =>
    c.drawIndexed(v.indexCount, v.instanceCount, v.firstIndex, v.baseVertex, v.firstInstance),
  drawIndirect: (c, v) => c.drawIndirect(v.buffer, v.byteOffset),
  drawIndexedIndirect: (c, v) => c.drawIndexedIndirect(v.buffer, v.byteOffset),
  dispatch: (c, v) => c.dispatch(v.x, v.y, v.z),
  dispatchIndirect: (c, v) => c.dispatchIndirect(v.buffer, v.byteOffset),
  beginOcclusionQuery: (c, v) => c.beginOcclusionQuery(v.index),
  endOcclusionQuery: (c) => c.endOcclusionQuery(),
  resolveQuerySet: (c, v) =>
    c.resolveQuerySet(v.querySet, v.firstQuery, v.queryCount, v.target, v.targetByteOffset),
  pushDebugGroup: (c, v) => c.pushDebugGroup(v.label),
  popDebugGroup: (c) => c.popDebugGroup(),
  insertDebugMarker: (c, v) => c.insertDebugMarker(v.label),
  debugBreak: (c) => c.debugBreak(),
  invalidateCachedState: (c) => c.invalidateCachedState(),
  beginScene: (c, v) => c.beginScene(v.label),
  endScene: (c) => c.endScene(),
  outputVideoFrame: (c, v) => c.outputVideoFrame(v.request, v.timestamp),
  useSurface: (c, v) => c.useSurface(v.surface),
  setQueue: (c, v) => c.setQueue(v.queue),
  clearTexture: (c, v) => c.clearTexture(v.texture, v.clear),
  writeBufferUnordered: (c, v) => c.writeBufferUnordered(v.buffer, v.byteOffset, v.data),
  renameBuffer: (c, v) => c.renameBuffer(v.buffer),
  transition: (c, v) => c.transition(v.resource, v.before, v.after),
  signalFence: (c, v) => c.signalFence(v.fence, v.value),
  waitFence: (c, v) => c.waitFence(v.fence, v.value),
  assumeNotInUse: (c, v) => assumeNotInUse(c, v.handle),
  localCommand: (c, v) => c.localCommand(v.name, v.data),
};

const creates: Record<string, (context: ImmediateContext, descriptor: never) => number> = {
  createBuffer: (c, d) => c.createBuffer(d),
  createTexture: (c, d) => c.createTexture(d),
  createSampler: (c, d) => c.createSampler(d),
  createShaderModule: (c, d) => c.createShaderModule(d),
  createBindGroupLayout: (c, d) => c.createBindGroupLayout(d),
  createBindGroup: (c, d) => c.createBindGroup(d),
  createGraphicsPipeline: (c, d) => c.createGraphicsPipeline(d),
  createComputePipeline: (c, d) => c.createComputePipeline(d),
  createQuerySet: (c, d) => c.createQuerySet(d),
};

const word = fc.integer({ min: 0, max: 0xffffffff });
/** Values that JSON represents exactly. The label has characters of one to four UTF-8 bytes. */
const json = fc.record({ label: fc.string({ unit: 'grapheme' }), size: fc.nat(), list: fc.array(fc.nat()) });

function arbitraryValue(type: FieldType, name: string): fc.Arbitrary<unknown> {
  // An index format is 0 or 1. Offsets and lengths of writes are multiples of 4.
  if (name === 'format') return fc.integer({ min: 0, max: 1 });
  if (name === 'byteOffset' || name === 'byteLength') return word.map((value) => (value & 0x7ffffffc) >>> 0);
  switch (type) {
    case 'u64':
      return fc.oneof(fc.maxSafeNat(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 2n }));
    case 'f64':
      return fc.nat();
    case 'i32':
      return fc.integer({ min: -0x80000000, max: 0x7fffffff });
    case 'f32':
      return fc.float({ noNaN: true });
    case 'u32[]':
      return fc.array(word, { maxLength: 12 }).map((values) => Uint32Array.from(values));
    case 'bytes':
      return fc.uint8Array({ maxLength: 64 }).map((bytes) => bytes.slice(0, bytes.length & ~3));
    case 'string':
      return fc.string({ unit: 'grapheme' });
    case 'json':
      return json;
    default:
      return word;
  }
}

function arbitraryValues(fields: Readonly<Record<string, FieldType>>): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, arbitraryValue(type, name)])),
  );
}

function setUp() {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  return { writer, reader, context: new ImmediateContext(writer, { maxFramesInFlight: 2 }) };
}

describe('H1 the methods of the context encode as the table does', () => {
  it('cover every command', () => {
    const covered = [
      ...Object.keys(record),
      ...Object.keys(creates),
      'createFence',
      'destroyResource',
      // Covered by `draw-bundle.test.ts`.
      'createDrawBundle',
      'executeDrawBundle',
    ].sort();
    expect(covered).toEqual(Object.keys(rhiCommands.fields).sort());
  });

  for (const name of Object.keys(record) as (keyof typeof rhiCommands.fields)[]) {
    it(name, () => {
      fc.assert(
        fc.property(arbitraryValues(rhiCommands.fields[name]), (values) => {
          const { writer, reader, context } = setUp();
          const expected: Record<string, unknown> = { ...values };
          if (name === 'endFrame') expected.frame = values.frame;
          record[name](context, values as Values);
          writer.publish();
          // A write of no bytes records nothing.
          if (name === 'writeBuffer' && (values.data as Uint8Array).length === 0) {
            expect(reader.next()).toBe(false);
            return;
          }
          expect(reader.next()).toBe(true);
          if (name === 'endFrame') expect(reader.next()).toBe(true);
          const decoded = decodeRecord(rhiCommands, reader) as { name: string; values: Values };
          expect(decoded.name).toBe(name);
          for (const [field, type] of Object.entries(rhiCommands.fields[name])) {
            if (type === 'attachment') reader.attachment(decoded.values[field]);
            else expect(decoded.values[field], field).toEqual(expected[field]);
          }
          const handWritten = reader.words.slice(reader.fields, reader.fields + reader.fieldWords);
          if (Object.values(rhiCommands.fields[name] as object).includes('attachment')) return;
          encodeRecord(writer, rhiCommands, name, values as never);
          writer.publish();
          expect(reader.next()).toBe(true);
          expect(reader.words.slice(reader.fields, reader.fields + reader.fieldWords)).toEqual(handWritten);
        }),
        { numRuns: 40 },
      );
    });
  }

  for (const name of Object.keys(creates) as (keyof typeof rhiCommands.fields)[]) {
    it(name, () => {
      const { writer, reader, context } = setUp();
      const descriptor = { label: 'thing é', code: 'fn main() {}', byteLength: 16 };
      const handle = creates[name](context, descriptor as never);
      context.destroy(handle as never);
      writer.publish();
      expect(reader.next()).toBe(true);
      const { name: decodedName, values } = decodeRecord(rhiCommands, reader) as {
        name: string;
        values: Record<string, unknown>;
      };
      expect(decodedName).toBe(name);
      expect(values.handle).toBe(handle);
      if (name === 'createShaderModule') {
        expect([values.label, values.code]).toEqual(['thing é', 'fn main() {}']);
      } else expect(values.descriptor).toEqual(descriptor);
      expect(reader.next()).toBe(true);
      expect(decodeRecord(rhiCommands, reader)).toEqual({ name: 'destroyResource', values: { handle } });
    });
  }
});

describe('frames', () => {
  it('the engine’s context accepts several lists of one frame, and none of an earlier frame', () => {
    const { context } = setUp();
    for (const frame of [7, 7, 8]) {
      context.beginFrame(frame);
      context.endFrame();
    }
    expect(() => context.beginFrame(7)).toThrow(expect.objectContaining({ code: 'frame-number' }));
  });
});

describe('writes', () => {
  it('splits data larger than 32752 bytes, in order and without loss, into records that fill a page', () => {
    const { writer, reader, context } = setUp();
    const data = Uint32Array.from({ length: 20000 }, (_, i) => i * 7);
    context.writeBuffer(1 as never, 400, data);
    writer.publish();
    const parts: { byteOffset: number; byteLength: number }[] = [];
    const received: number[] = [];
    const pages = new Set<ArrayBufferLike>();
    while (reader.next()) {
      pages.add(reader.words.buffer);
      const [, byteOffset, byteLength] = reader.words.subarray(reader.fields, reader.fields + 3);
      parts.push({ byteOffset, byteLength });
      received.push(...reader.words.subarray(reader.fields + 3, reader.fields + reader.fieldWords));
    }
    expect(parts).toEqual([
      { byteOffset: 400, byteLength: 32752 },
      { byteOffset: 400 + 32752, byteLength: 32752 },
      { byteOffset: 400 + 65504, byteLength: 80000 - 65504 },
    ]);
    expect(pages.size).toBe(2);
    expect(received).toEqual([...data]);
  });

  it('copies a view that does not begin at a multiple of 4', () => {
    const { writer, reader, context } = setUp();
    context.writeBuffer(1 as never, 0, new Uint8Array([9, 1, 2, 3, 4, 9]).subarray(1, 5));
    writer.publish();
    reader.next();
    expect(reader.words[reader.fields + 3]).toBe(0x04030201);
  });

  it('copies an ArrayBuffer', () => {
    const { writer, reader, context } = setUp();
    context.writeBuffer(1 as never, 8, new Uint32Array([7, 8]).buffer);
    writer.publish();
    reader.next();
    expect([...reader.words.subarray(reader.fields, reader.fields + 5)]).toEqual([1, 8, 8, 7, 8]);
  });

  it('reserves a write whose data the caller fills in', () => {
    const { writer, reader, context } = setUp();
    const index = context.reserveBufferWrite(5 as never, 16, 8);
    writer.floats[index] = 1.5;
    writer.floats[index + 1] = -2;
    writer.publish();
    reader.next();
    expect([...reader.words.subarray(reader.fields, reader.fields + 3)]).toEqual([5, 16, 8]);
    expect([...reader.floats.subarray(reader.fields + 3, reader.fields + 5)]).toEqual([1.5, -2]);
  });

  it('refuses lists and text as data, offsets and lengths that are not multiples of 4, and reserved writes beyond a page', () => {
    const { context } = setUp();
    expect(() => context.writeBuffer(1 as never, 2, new Uint8Array(4))).toThrow(RhiError);
    expect(() => context.writeBuffer(1 as never, 0, new Uint8Array(3))).toThrow(/multiples of 4/);
    for (const data of [[1, 2], 'text', undefined, {}]) {
      expect(() => context.writeBuffer(1 as never, 0, data as never)).toThrow(
        expect.objectContaining({
          code: 'bad-write',
          message: expect.stringContaining('Give an ArrayBuffer'),
        }),
      );
    }
    for (const byteOffset of [-4, Number.NaN, '4' as never]) {
      expect(() => context.writeBuffer(1 as never, byteOffset, new Uint8Array(0))).toThrow(RhiError);
    }
    expect(() => context.reserveBufferWrite(1 as never, 0, 65536)).toThrow(/at most 65472/);
  });
});
