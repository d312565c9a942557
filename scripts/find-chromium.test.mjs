import { describe, expect, it } from 'vitest';
import { findChromium } from './find-chromium.mjs';

const worksIf = (good) => (path) => path === good;

describe('finding a Chromium', () => {
  it('prefers CHROMIUM_PATH', () => {
    const env = { CHROMIUM_PATH: '/mine' };
    expect(findChromium({ env, candidates: ['/other'], works: () => true })).toBe('/mine');
  });

  it('rejects a CHROMIUM_PATH that does not start instead of silently using another', () => {
    const env = { CHROMIUM_PATH: '/mine' };
    expect(() => findChromium({ env, candidates: ['/other'], works: worksIf('/other') })).toThrow(/"\/mine"/);
  });

  it('returns the first candidate that starts', () => {
    expect(findChromium({ env: {}, candidates: ['/a', '/b', '/c'], works: worksIf('/b') })).toBe('/b');
    expect(findChromium({ env: {}, candidates: ['/a'], works: () => false })).toBeUndefined();
  });
});
