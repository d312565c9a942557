import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BufferUsage } from '../commands/descriptors.js';
import { RecorderBench } from '../record/recorder.test-support.js';
import { CpuShadow } from './cpu-shadow.js';

function setUp(byteLength = 128) {
  const bench = new RecorderBench();
  const { context } = bench;
  const buffer = context.createBuffer({ label: 'weather', byteLength, usage: BufferUsage.copyTarget });
  const shadow = new CpuShadow(context, buffer, byteLength);
  bench.take();
  const ranges = () =>
    shadow.dirtyRanges.map(({ byteOffset, byteLength }) => [byteOffset, byteOffset + byteLength]);
  /** Returns the writes since the last call, each as its offset and bytes. */
  const writes = () =>
    bench
      .take()
      .filter(({ name }) => name === 'writeBufferUnordered')
      .map(({ values }) => [values.byteOffset, ...(values.data as Uint8Array)]);
  return { bench, context, buffer, shadow, ranges, writes };
}

describe('M4 CPU shadow', () => {
  it('merges dirty ranges that touch or overlap', () => {
    const { shadow, ranges } = setUp();
    shadow.markDirty(16, 16);
    shadow.markDirty(48, 24);
    expect(ranges()).toEqual([
      [16, 32],
      [48, 72],
    ]);
    shadow.markDirty(0, 4);
    shadow.markDirty(100, 8);
    expect(ranges()).toEqual([
      [0, 4],
      [16, 32],
      [48, 72],
      [100, 108],
    ]);
    shadow.markDirty(32, 16); // Closes the gap between the second and the third range.
    expect(ranges()).toEqual([
      [0, 4],
      [16, 72],
      [100, 108],
    ]);
    shadow.markDirty(20, 4); // Lies inside a dirty range.
    shadow.markDirty(8, 4); // Lies between two dirty ranges.
    expect(ranges()).toEqual([
      [0, 4],
      [8, 12],
      [16, 72],
      [100, 108],
    ]);
    shadow.markDirty(2, 110); // Touches all dirty ranges. Byte 2 is rounded down to the word at 0.
    expect(ranges()).toEqual([[0, 112]]);
    shadow.markDirty(5, 0);
    expect(ranges()).toEqual([[0, 112]]);
  });

  it('uploads dirty ranges only, in whole words, just before the frame’s end, once', () => {
    const { bench, shadow, writes } = setUp();
    shadow.set(4, Uint8Array.of(1, 2, 3, 4));
    shadow.bytes[9] = 7;
    shadow.markDirty(9, 1);
    shadow.set(20, Uint8Array.of(5));
    bench.inFrame();
    expect(writes()).toEqual([
      [4, 1, 2, 3, 4, 0, 7, 0, 0],
      [20, 5, 0, 0, 0],
    ]);
    bench.inFrame();
    expect(writes()).toEqual([]);
    shadow.set(0, Uint8Array.of(9, 9, 9, 9));
    bench.inFrame();
    expect(bench.names()).toEqual(['beginFrame', 'writeBufferUnordered', 'endFrame']);
  });

  it('uploads writes made between frames, or after the draws of a frame, with the next submission', () => {
    const { bench, shadow, writes } = setUp();
    shadow.set(0, Uint8Array.of(1, 0, 0, 0));
    bench.inFrame(() => shadow.set(0, Uint8Array.of(2, 0, 0, 0)));
    expect(writes()).toEqual([[0, 2, 0, 0, 0]]);
  });

  it('uploads before a signal that splits the list if flush is called before the signal', () => {
    const { bench, context, shadow } = setUp();
    const fence = context.createFence('fence');
    bench.take();
    bench.inFrame(() => {
      shadow.markDirty(0, 4);
      shadow.flush();
      context.signalFence(fence, 1);
    });
    expect(bench.names()).toEqual(['beginFrame', 'writeBufferUnordered', 'signalFence', 'endFrame']);
  });

  it('refuses ranges outside the buffer, in an error with its label', () => {
    const { context, buffer, shadow } = setUp();
    for (const [byteOffset, byteLength] of [
      [-1, 4],
      [124, 8],
      [0, Number.NaN],
    ]) {
      expect(() => shadow.markDirty(byteOffset, byteLength)).toThrow(/"weather" of 128 bytes/);
    }
    expect(() => shadow.set(126, new Uint8Array(4))).toThrow(
      expect.objectContaining({ code: 'out-of-range' }),
    );
    expect(() => new CpuShadow(context, buffer, 6)).toThrow(expect.objectContaining({ code: 'bad-shadow' }));
  });

  it('ends with its buffer, and at dispose', () => {
    const { bench, context, buffer, shadow } = setUp();
    shadow.markDirty(0, 4);
    context.destroy(buffer);
    bench.inFrame();
    expect(bench.names()).toEqual(['destroyResource', 'beginFrame', 'endFrame']);
    const other = setUp();
    other.shadow.markDirty(0, 4);
    other.shadow.dispose();
    other.bench.inFrame();
    expect(other.writes()).toEqual([]);
  });

  it('agrees with a model that keeps one flag per word', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 127 }), fc.nat({ max: 40 }))), (marks) => {
        const { shadow, ranges } = setUp();
        const isDirty = new Array<boolean>(33).fill(false);
        for (const [byteOffset, length] of marks) {
          const byteLength = Math.min(length, 128 - byteOffset);
          shadow.markDirty(byteOffset, byteLength);
          if (byteLength > 0) isDirty.fill(true, byteOffset >> 2, (byteOffset + byteLength + 3) >> 2);
        }
        const expected: number[][] = [];
        isDirty.forEach((dirty, word) => {
          if (dirty && !isDirty[word - 1]) expected.push([word * 4, 0]);
          if (!dirty && isDirty[word - 1]) expected[expected.length - 1][1] = word * 4;
        });
        expect(ranges()).toEqual(expected);
      }),
    );
  });
});
