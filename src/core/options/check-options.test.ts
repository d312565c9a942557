import { describe, expect, expectTypeOf, it } from 'vitest';
import { checkNames, checkOptions, fillOptions } from './check-options.js';
import { checkMember, type Filled, type Shaped } from './member.js';
import {
  anything,
  boolean,
  both,
  byDefault,
  countFrom,
  integer,
  numberFrom,
  oneOf,
  optional,
  options,
  optionsOr,
  property,
  radiansFrom,
  unchecked,
  whole,
} from './members.js';

const TABLE = {
  size: whole(),
  mode: byDefault(oneOf('fast|careful'), 'fast'),
  ratio: byDefault(numberFrom(0.1, 8), null),
  count: optional(countFrom(1, 4)),
  layers: property(whole()),
  limits: optional(options({ seconds: numberFrom(0, 10) })),
  recorder: byDefault(optionsOr(boolean(), { seconds: numberFrom(0, 10) }), false),
};

const fail = (options: object, table = TABLE) => {
  try {
    checkOptions('open', options, table);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
  return 'accepted';
};

describe('a table of options', () => {
  it('defines the types of options with and without defaults', () => {
    expectTypeOf<Shaped<typeof TABLE>>().toEqualTypeOf<{
      readonly size: number;
      readonly mode?: 'fast' | 'careful';
      readonly ratio?: number;
      readonly count?: number;
      readonly layers?: number;
      readonly limits?: { readonly seconds: number };
      readonly recorder?: boolean | { readonly seconds: number };
    }>();
    expectTypeOf<Filled<typeof TABLE>['ratio']>().toEqualTypeOf<number | null>();
    expectTypeOf<Filled<typeof TABLE>['mode']>().toEqualTypeOf<'fast' | 'careful'>();
    expectTypeOf<Filled<typeof TABLE>['count']>().toEqualTypeOf<number | undefined>();
  });

  it('fills in defaults of missing options, and keeps null', () => {
    const nothing = undefined;
    const defaults = { mode: 'fast', ratio: null, count: nothing, layers: nothing, limits: nothing };
    expect(fillOptions('open', { size: 1 }, TABLE)).toEqual({ size: 1, ...defaults, recorder: false });
    const table = { key: byDefault(anything<string | null>(), 'F8') };
    expect(fillOptions('open', { key: null }, table)).toEqual({ key: null });
    expect(fillOptions('open', { key: undefined }, table)).toEqual({ key: 'F8' });
  });

  it.each([
    [{ size: 1, layers: 'left to its setter' }, 'accepted'],
    [[], 'option-invalid: open takes its options by name, in one object, and was given a list.'],
    [{}, 'option-invalid: size of open is undefined; it has to be a whole number.'],
    [
      { size: 1, moed: 'fast' },
      'option-unknown: open has no option "moed". It takes size, mode, ratio, count, layers, limits, recorder.',
    ],
    [{ size: 1, mode: 'fats' }, 'option-invalid: mode of open is "fats"; it has to be one of fast, careful.'],
    [
      { size: 1, ratio: 9n },
      'option-out-of-range: ratio of open is 9n; it has to be a number from 0.1 to 8.',
    ],
    [{ size: 1, ratio: Symbol('r') }, "option-invalid: ratio of open is Symbol(r); it can't be a Symbol."],
    [{ size: 1, count: 5 }, 'option-out-of-range: count of open is 5; it has to be a number from 1 to 4.'],
    [{ size: 1, count: 1.5 }, 'option-out-of-range: count of open is 1.5, which is not a whole number.'],
    [
      { size: 1, limits: 5 },
      'option-invalid: limits of open takes its options by name, in one object, and was given 5.',
    ],
    [
      { size: 1, limits: { second: 5 } },
      'option-unknown: limits of open has no option "second". Did you mean "seconds"? It takes seconds.',
    ],
    [
      { size: 1, recorder: { seconds: 11 } },
      'option-out-of-range: recorder.seconds of open is 11; it has to be a number from 0 to 10.',
    ],
    [{ size: 1, recorder: true, limits: { seconds: 1 } }, 'accepted'],
  ])('checks %o with the result: %s', (given, expected) => {
    expect(fail(given)).toBe(expected);
  });

  it('accepts only its own members as names', () => {
    expect(() => checkNames('open', { toString: 1 }, unchecked('size'))).toThrow('no option "toString"');
  });
});

it('members report their first failed check, and suggest that a too large angle is in degrees', () => {
  const threads = both(integer('a whole number'), numberFrom(0, 64));
  expect(() => checkMember('open', 'threads', 1.5, threads)).toThrow('is 1.5; it has to be a whole number.');
  expect(() => checkMember('open', 'threads', 65, threads)).toThrow('it has to be a number from 0 to 64.');
  expect(checkMember('open', 'threads', 64, threads)).toBe(64);
  expect(() => checkMember('open', 'angle', 90, radiansFrom(0, Math.PI))).toThrow(
    '90 looks like degrees: write 90 * Math.PI / 180.',
  );
});
