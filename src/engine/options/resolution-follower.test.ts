import { describe, expect, it } from 'vitest';
import { ResolutionFollower } from './resolution-follower.js';
import { checkResolutionScale } from './resolution-scale.js';

/** Runs frames whose GPU time grows with the number of pixels. @returns the scales that the frames had */
function run(follower: ResolutionFollower, setting: ReturnType<typeof checkResolutionScale>, fullMs: number) {
  const scales: number[] = [];
  let scale = follower.scale;
  for (let frame = 0; frame < 600; frame++) {
    const drawn = scale;
    scale = follower.next(setting, true, () => 1 + fullMs * drawn * drawn);
    scales.push(scale);
  }
  return scales;
}

describe('R18 the scale of the resolution', () => {
  it('is a number, or limits with defaults', () => {
    expect(checkResolutionScale('test', 0.7)).toBe(0.7);
    expect(checkResolutionScale('test', { targetMs: 8 })).toEqual({ targetMs: 8, minimum: 0.5, maximum: 1 });
    expect(checkResolutionScale('test', { targetMs: 8, maximum: 0.4 })).toEqual({
      targetMs: 8,
      minimum: 0.4,
      maximum: 0.4,
    });
    expect(checkResolutionScale('test', { targetMs: 8, minimum: 1.5 })).toMatchObject({ maximum: 1.5 });
    const outOfRange = expect.objectContaining({ name: 'OptionError', code: 'option-out-of-range' });
    for (const value of [
      0.2,
      2.1,
      Number.NaN,
      '1',
      null,
      undefined,
      { targetMs: 0 },
      { targetMs: 5, minimum: 0 },
    ])
      expect(() => checkResolutionScale('test', value as never), String(value)).toThrow(outOfRange);
    expect(() => checkResolutionScale('test', { targetMs: 5, minimum: 1, maximum: 0.5 })).toThrow(outOfRange);
    const unknown = expect.objectContaining({ code: 'option-unknown' });
    expect(() => checkResolutionScale('test', { targetMs: 5, least: 1 } as never)).toThrow(unknown);
    expect(() => checkResolutionScale('test', {} as never)).toThrow(outOfRange);
  });

  it('follows the GPU time down and up, and then rests', () => {
    const setting = checkResolutionScale('test', { targetMs: 5, minimum: 0.25, maximum: 1 });
    const follower = new ResolutionFollower();
    const scales = run(follower, setting, 16);
    expect(scales[0]).toBe(1);
    const last = scales.at(-1)!;
    expect(1 + 16 * last * last).toBeLessThanOrEqual(5);
    expect(1 + 16 * (last + 0.1) ** 2).toBeGreaterThan(5 * 0.8);
    expect(new Set(scales.slice(-200)).size).toBe(1);
    const risen = run(follower, setting, 1);
    expect(risen.at(-1)).toBe(1);
  });

  it('keeps its limits', () => {
    const follower = new ResolutionFollower();
    const low = checkResolutionScale('test', { targetMs: 1, minimum: 0.3, maximum: 0.8 });
    expect(run(follower, low, 100).at(-1)).toBe(0.3);
    const high = checkResolutionScale('test', { targetMs: 1000, minimum: 0.3, maximum: 0.8 });
    expect(run(follower, high, 1).at(-1)).toBe(0.8);
  });

  it('ignores the times of captures', () => {
    const follower = new ResolutionFollower();
    const setting = checkResolutionScale('test', { targetMs: 5 });
    for (let capture = 0; capture < 50; capture++) {
      for (let frame = 0; frame < 20; frame++) follower.next(setting, true, () => 4.5);
      follower.settle();
      for (let frame = 0; frame < 4; frame++) expect(follower.next(setting, true, () => 500)).toBe(1);
    }
  });

  it('has the largest scale in steps and at rest, and without measured times', () => {
    const follower = new ResolutionFollower();
    const setting = checkResolutionScale('test', { targetMs: 1, minimum: 0.3 });
    run(follower, setting, 100);
    expect(follower.next(setting, false, () => 50)).toBe(1);
    expect(follower.next(setting, true, () => 50)).toBe(0.3);
    const unknown = new ResolutionFollower();
    for (let frame = 0; frame < 100; frame++) expect(unknown.next(setting, true, () => Number.NaN)).toBe(1);
  });
});
