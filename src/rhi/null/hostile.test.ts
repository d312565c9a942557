import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FencepostError } from '../../core/errors.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import type { Attachment } from '../../core/streams/stream.js';
import { rhiCommands } from '../commands/commands.js';
import { makeHandle, ResourceKind } from '../commands/handles.js';
import { ImmediateContext } from '../record/immediate-context.js';
import { NullExecutor } from './executor.js';

function setUp() {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const errors: unknown[] = [];
  const readbacks: number[] = [];
  const executor = new NullExecutor({
    reader,
    surface: null,
    maxFramesInFlight: 2,
    onError: (error) => errors.push(error),
    onReadback: (_, bytes) => readbacks.push(bytes.byteLength),
    localCommands: new Map([['known', () => {}]]),
  });
  return { writer, executor, errors, readbacks, rhi: new ImmediateContext(writer, { maxFramesInFlight: 2 }) };
}

const opcodeCount = rhiCommands.names.length - 1;
/** Words of forged records: handles of every kind, lengths, texts. */
const word = fc.oneof(
  fc.integer({ min: 0, max: 64 }),
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.constantFrom(0x7b, 0x6c6c756e, 0xffffffff, 0x80000000, 4),
);

describe('H8 null executor and hostile records', () => {
  it('throws nothing, and reports only typed errors', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: opcodeCount }), fc.array(word, { maxLength: 12 })), {
          maxLength: 40,
        }),
        (records) => {
          const { writer, executor, errors } = setUp();
          for (const [opcode, words] of records) {
            const at = writer.reserve(opcode, words.length);
            writer.words.set(words, at);
          }
          writer.publish();
          executor.pump();
          expect(errors.filter((error) => !(error instanceof FencepostError))).toEqual([]);
          executor.dispose();
        },
      ),
      { numRuns: 300 },
    );
  });

  it('frees the attachments of records that it refuses', () => {
    const { rhi, executor, errors } = setUp();
    let closed = 0;
    const image = { close: () => closed++ } as unknown as ImageBitmap;
    const texture = rhi.createTexture({ label: 't', width: 1, height: 1, format: 'r8unorm', usage: 2 });
    rhi.copyExternalImage(image, texture, { width: 1, height: 1 });
    rhi.destroy(texture);
    rhi.copyExternalImage(image, texture, { width: 1, height: 1 });
    rhi.writeTextureFromAttachment(
      texture,
      { width: 1, height: 1 },
      image as unknown as Attachment as ArrayBuffer,
    );
    rhi.publish();
    executor.pump();
    expect(closed).toBe(3);
    expect(errors.map((error) => (error as FencepostError).code)).toEqual(['stale-handle', 'stale-handle']);
  });

  it('allocates no memory for an impossible read, and answers it with no bytes', () => {
    const { rhi, executor, errors, readbacks } = setUp();
    const buffer = rhi.createBuffer({ label: 'small', byteLength: 16, usage: 4 });
    rhi.readBuffer(1, buffer, 0, 0xffffffff);
    rhi.readBuffer(2, buffer, 8, 8);
    rhi.readBuffer(3, buffer, 12, 8);
    rhi.publish();
    executor.pump();
    expect(readbacks).toEqual([0, 8, 0]);
    expect(errors.map((error) => (error as FencepostError).code)).toEqual(['out-of-range', 'out-of-range']);
  });

  it('reports a handle of another kind as wrong-handle-kind instead of stale-handle, in seven commands', () => {
    const { rhi, executor, errors } = setUp();
    const buffer = rhi.createBuffer({ label: 'b', byteLength: 16, usage: 4 });
    const texture = rhi.createTexture({ label: 't', width: 1, height: 1, format: 'r8unorm', usage: 2 });
    rhi.clearBuffer(texture as never, 0, 4);
    rhi.clearTexture(buffer as never);
    rhi.setGraphicsPipeline(buffer as never);
    rhi.setBindGroup(0, texture as never);
    rhi.resolveQuerySet(buffer as never, 0, 1, buffer, 0);
    rhi.signalFence(buffer as never, 1);
    // This record creates a fence with the handle of a buffer.
    const at = rhi.writer.reserve(rhiCommands.opcodes.createFence, 4);
    rhi.writer.words.set([makeHandle(ResourceKind.buffer, 0, 9), 0, 0, 0], at);
    rhi.publish();
    executor.pump();
    expect(errors.map((error) => (error as FencepostError).code)).toEqual(Array(7).fill('wrong-handle-kind'));
  });

  it('refuses a record that is too short, although more words follow it', () => {
    const { rhi, executor, errors } = setUp();
    const buffer = rhi.createBuffer({ label: 'b', byteLength: 16, usage: 4 });
    const at = rhi.writer.reserve(rhiCommands.opcodes.clearBuffer, 1);
    rhi.writer.words[at] = buffer;
    rhi.setQueue(0);
    rhi.publish();
    executor.pump();
    expect(errors.map((error) => (error as FencepostError).code)).toEqual(['bad-record']);
  });

  it('fails a fence that is destroyed, replaced, or live when the executor is disposed of', async () => {
    const { rhi, executor } = setUp();
    const replace = (handle: number): void => {
      const at = rhi.writer.reserve(rhiCommands.opcodes.createFence, 4);
      rhi.writer.words.set([handle, 0, 0, 0], at);
    };
    const handles = [rhi.createFence('destroyed'), rhi.createFence('replaced'), rhi.createFence('left')];
    rhi.publish();
    executor.pump();
    const [destroyed, replaced, left] = handles.map((handle) => executor.fence(handle));
    rhi.destroy(handles[0]!);
    replace(handles[1]!);
    rhi.publish();
    executor.pump();
    expect([destroyed, replaced, left].map((fence) => fence?.error?.code)).toEqual([
      'fence-destroyed',
      'fence-destroyed',
      undefined,
    ]);
    executor.dispose();
    expect(left?.error?.code).toBe('executor-disposed');
  });

  it('refuses a record whose attachment is missing or of another kind, and executes the next record', () => {
    const { rhi, executor, errors } = setUp();
    const texture = rhi.createTexture({ label: 'sky', width: 4, height: 4, format: 'r8unorm', usage: 2 });
    const buffer = rhi.createBuffer({ label: 'terrain', byteLength: 16, usage: 8 });
    const { writer } = rhi;
    const record = (opcode: number, words: readonly number[]): void => {
      const at = writer.reserve(opcode, words.length);
      writer.words.set(words, at);
    };
    record(rhiCommands.opcodes.writeBufferFromAttachment, [9, buffer, 0, 0, 0]);
    const wrong = 5 as unknown as ImageBitmap & ArrayBuffer;
    rhi.copyExternalImage(wrong, texture, { width: 1, height: 1 });
    rhi.writeTextureFromAttachment(texture, { width: 1, height: 1 }, wrong);
    rhi.copyExternalImage(wrong, 0 as never, { width: 1, height: 1 });
    const fence = rhi.createFence('behind');
    rhi.publish();
    executor.pump();
    expect(errors.map((error) => (error as FencepostError).code)).toEqual([
      ...Array(3).fill('bad-record'),
      'wrong-handle-kind',
    ]);
    expect((errors[0] as Error).message).toContain('"terrain" is not an ArrayBuffer');
    expect((errors[1] as Error).message).toContain('"sky" is not an ImageBitmap');
    expect(executor.fence(fence).error).toBe(null);
    const kept = executor.fence(fence);
    executor.dispose();
    expect(kept.error?.code).toBe('executor-disposed');
  });

  it('L9 counts fences as live resources and leaks, and signals at once', () => {
    const { rhi, executor } = setUp();
    const fence = rhi.createFence('kept', 2);
    rhi.signalFence(fence, 7);
    rhi.beginFrame(1);
    rhi.endFrame();
    rhi.publish();
    executor.pump();
    expect(executor.fence(fence).value).toBe(7);
    expect(executor.stats.liveResources).toBe(1);
    expect(executor.dispose().leaks).toEqual([{ kind: 'fence', label: 'kept', createdInFrame: 0 }]);
    expect(executor.dispose().leaks).toEqual([]);
  });
});
