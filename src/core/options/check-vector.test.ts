import { describe, expect, it } from 'vitest';
import { checkVector } from './check-value.js';

describe('checkVector', () => {
  it.each([
    [[1, 2], 'a list of 2'],
    [1, '1'],
    ['1', '"1"'],
    [{ x: 1 }, 'a list of 1'],
    [undefined, 'undefined'],
    [null, 'null'],
  ])('rejects %o, and names the valid forms', (value, shown) => {
    expect(() => checkVector('boxGeometry', 'size', value as never, 3, 'a number or ')).toThrow(
      `size of boxGeometry is ${shown}; it has to be a number or 3 numbers.`,
    );
  });
});
