import { describe, expect, it } from 'vitest';
import { unpackCapture } from './capture.js';

describe('unpackCapture', () => {
  const bytes = new Uint8Array(2 * 256);
  bytes.set([1, 2, 3, 4, 5, 6, 7, 8], 0);
  bytes.set([9, 10, 11, 12, 13, 14, 15, 16], 256);

  it('drops the padding of rows', () => {
    const { width, height, data } = unpackCapture(bytes.buffer, 2, 2, 'rgba8unorm');
    expect([width, height]).toEqual([2, 2]);
    expect([...data]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  });

  it('swizzles BGRA', () => {
    const { data } = unpackCapture(bytes.buffer, 2, 2, 'bgra8unorm');
    expect([...data.slice(0, 8)]).toEqual([3, 2, 1, 4, 7, 6, 5, 8]);
  });

  it('refuses bytes that are not the whole picture, and takes an empty one as it is', () => {
    expect(() => unpackCapture(new ArrayBuffer(0), 2, 2, 'rgba8unorm')).toThrowError(
      expect.objectContaining({ code: 'capture-failed' }),
    );
    expect(unpackCapture(new ArrayBuffer(4), 0, 5, 'rgba8unorm').data.length).toBe(0);
  });
});
