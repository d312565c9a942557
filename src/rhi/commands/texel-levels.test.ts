import { describe, expect, it } from 'vitest';
import { textureByteLength } from './texel-levels.js';

describe('bytes of a texture', () => {
  it('counts levels, layers, samples and whole blocks', () => {
    const size = { width: 10, height: 6 };
    expect(textureByteLength({ ...size, format: 'rgba8unorm' })).toBe(240);
    expect(textureByteLength({ ...size, format: 'rgba8unorm', mipLevelCount: 4 })).toBe(
      240 + 5 * 3 * 4 + 2 * 4 + 4,
    );
    expect(textureByteLength({ ...size, format: 'bc1-rgba-unorm', depthOrArrayLayers: 2 })).toBe(96);
    expect(textureByteLength({ ...size, format: 'depth24plus', sampleCount: 4 })).toBe(960);
  });

  // Counting each of the forged levels would take minutes.
  it('ends at once if a forged record asks for billions of levels', () => {
    const forged = { width: 1, height: 1, format: 'rgba8unorm', mipLevelCount: 0xffffffff } as const;
    expect(textureByteLength(forged)).toBe(128);
  });
});
