import { describe, expect, it } from 'vitest';
import { findChromium } from './find-chromium.mjs';

const worksIf = (good) => (path) => path === good;

describe('finding a Chromium', () => {
  it('prefers CHROMIUM_PATH', () => {
    const env = { CHROMIUM_PATH: '/mine' };
    expect(findChromium({ env, candidates: ['/other'], works: () => true })).toBe('/mine');
  });

  it('refuses a CHROMIUM_PATH that does not start instead of silently taking another', () => {
    const env = { CHROMIUM_PATH: '/mine' };
    expect(() => findChromium({ env, candidates: ['/other'], works: worksIf('/other') })).toThrow(/"\/mine"/);
  });

  it('takes the first candidate that starts', () => {
    expect(findChromium({ env: {}, candidates: ['/a', '/b', '/c'], works: worksIf('/b') })).toBe('/b');
    expect(findChromium({ env: {}, candidates: ['/a'], works: () => false })).toBeUndefined();
  });
});
