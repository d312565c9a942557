import { describe, expect, it } from 'vitest';
import { catcherSize } from './catcher-size.js';

describe('R11 the size of the textures of a shadow catcher', () => {
  it('has enough texels for the softness, and square ones', () => {
    expect(catcherSize(4, 2, 0.5)).toMatchObject({ width: 256, height: 128, reachX: 32, reachZ: 32 });
    expect(catcherSize(4, 4, 0.01)).toMatchObject({ width: 512, height: 512, reachX: 2 });
    expect(catcherSize(4, 4, 0)).toMatchObject({ width: 512, height: 512, reachX: 0, reachZ: 0 });
  });

  it('stays small for soft shadows and narrow grounds', () => {
    expect(catcherSize(4, 4, 4)).toMatchObject({ width: 64, height: 64, reachX: 64 });
    expect(catcherSize(4, 4, 1e5)).toMatchObject({ width: 64, height: 64, reachX: 64 });
    expect(catcherSize(1e5, 1e-4, 0.1)).toMatchObject({ width: 512, height: 1 });
    for (const value of Object.values(catcherSize(1e5, 1e-4, 0))) expect(Number.isFinite(value)).toBe(true);
  });
});
