import { describe, expect, it } from 'vitest';
import { unpackCapture } from '../../proxy/unpack-capture.js';

describe('unpackCapture', () => {
  const bytes = new Uint8Array(2 * 256);
  bytes.set([1, 2, 3, 255, 5, 6, 7, 255], 0);
  bytes.set([9, 10, 11, 255, 13, 14, 15, 255], 256);

  it('drops the padding of rows', () => {
    const { width, height, data } = unpackCapture(bytes.buffer, 2, 2, 'rgba8unorm');
    expect([width, height]).toEqual([2, 2]);
    expect([...data]).toEqual([1, 2, 3, 255, 5, 6, 7, 255, 9, 10, 11, 255, 13, 14, 15, 255]);
    // The types of ImageData accept only unshared memory.
    const memory: ArrayBuffer = data.buffer;
    expect(memory.byteLength).toBe(16);
  });

  it('swizzles BGRA', () => {
    const { data } = unpackCapture(bytes.buffer, 2, 2, 'bgra8unorm');
    expect([...data.slice(0, 8)]).toEqual([3, 2, 1, 255, 7, 6, 5, 255]);
  });

  it('divides colours by alpha, because a canvas holds premultiplied alpha', () => {
    const row = new Uint8Array(256);
    row.set([64, 0, 128, 128, 0, 0, 0, 0]);
    const { data } = unpackCapture(row.buffer, 2, 1, 'rgba8unorm');
    expect([...data]).toEqual([128, 0, 255, 128, 0, 0, 0, 0]);
  });

  it('rejects bytes of the wrong length, and accepts an empty picture', () => {
    expect(() => unpackCapture(new ArrayBuffer(0), 2, 2, 'rgba8unorm')).toThrowError(
      expect.objectContaining({ code: 'capture-failed' }),
    );
    expect(unpackCapture(new ArrayBuffer(4), 0, 5, 'rgba8unorm').data.length).toBe(0);
  });
});
