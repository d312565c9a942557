import { describe, expect, it } from 'vitest';
import { createTestWorld } from '../testing/test-world.js';

describe('messages about transforms', () => {
  const set = (value: unknown): string => {
    const camera = createTestWorld().world.addCamera({ name: 'eye' });
    try {
      camera.position = value as never;
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const takes = '3 finite numbers, one by one, as an array or as an object with x, y and z.';

  it('suggest a division by zero if arithmetic gave NaN', () => {
    expect(set([1, 0 / 0, 2])).toBe(
      `The position of "eye" can't be (1, NaN, 2): it takes ${takes} Look for a division by zero.`,
    );
  });

  it('do not suggest arithmetic if the argument has the wrong type', () => {
    expect(set(3)).toBe(`The position of "eye" can't be (3): it takes ${takes}`);
    expect(set([1, 2])).toBe(`The position of "eye" can't be (1, 2, undefined): it takes ${takes}`);
  });

  it('name all four numbers of a rotation', () => {
    const camera = createTestWorld().world.addCamera({ name: 'eye' });
    expect(() => {
      camera.rotation = [0, 0, 1] as never;
    }).toThrow('it takes 4 finite numbers, one by one, as an array or as an object with x, y, z and w.');
  });
});
