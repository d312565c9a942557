import { expect, it } from 'vitest';
import { checkColors, checkList } from './numbers.js';

it('accepts the given count of items, and any multiple of their size without a count', () => {
  expect(checkList('addLines', 'positions', [0, 1, 2, 3, 4, 5], 3)).toHaveLength(6);
  expect(checkList('addPoints', 'sizes', [1, 2], 1, 2)).toHaveLength(2);
  expect(checkColors('addLines', [1, 1, 1], 1)).toHaveLength(3);
});

it('says which lengths are valid', () => {
  const missing = undefined as never;
  expect(() => checkList('addLines', 'positions', [0, 1, 2, 3], 3)).toThrow(
    'positions of addLines has 4 numbers; it has to have a multiple of 3.',
  );
  expect(() => checkList('addLines', 'positions', missing, 6)).toThrow(
    'positions of addLines has no numbers; it has to have a multiple of 6.',
  );
  expect(() => checkColors('addLines', [1, 1], 0)).toThrow(
    'colors of addLines has 2 numbers; it has to have 0.',
  );
});
