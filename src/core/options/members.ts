/** Members for tables of `member.ts`: kinds of values, and modifiers of members. */
import type { Defaulted, Member, Optional, Shape, Shaped, ValueOf } from './member.js';
import { guessOf, isObject, shownValue } from './shown-value.js';

type Accepts = (value: unknown) => boolean;

/** Creates a member. @param remedy description of valid values, for errors */
export const member = <Value>(
  accepts: Accepts,
  remedy: string,
  more: Partial<Omit<Member, 'accepts' | 'remedy'>> = {},
): Member<Value> => ({ accepts: accepts as Member<Value>['accepts'], remedy, ...more });

const isText = (value: unknown): value is string => typeof value === 'string';
export const isWhole = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isNumbers = (value: unknown, length: number): boolean =>
  Array.isArray(value) && value.length === length && value.every(Number.isFinite);

/** Makes a member optional. */
export const optional = <M extends Member>(required: M): M & Optional => ({ ...required, isOptional: true });

/** Makes a member optional, with the default `value`. `null` means that the default depends on the environment. */
export const byDefault = <M extends Member, Default extends ValueOf<M> | null>(
  required: M,
  value: Default,
): M & Defaulted<Default> => ({ ...required, isOptional: true, default: value });

/** Makes a member optional, and leaves its check to the setter of the property with the same name. */
export const property = <M extends Member>(required: M): M & Optional => ({
  ...required,
  isOptional: true,
  isProperty: true,
});

/**
 * Lists a member as a setting that is fixed when its owner is created: see `Settings`.
 * @param description phrase for the meaning of the value
 */
export const fixed = <M extends Member>(description: string, row: M): M => ({ ...row, description });

/** Lists a member as a setting that can change at any time, by the property of the same name: see `Settings`. */
export const changeable = <M extends Member>(description: string, row: M): M => ({
  ...row,
  description,
  isChangeable: true,
});

/** Accepts any value. The code that uses the value checks it. */
export const anything = <Value = unknown>(): Member<Value> => member(() => true, 'anything');

/** Creates a table of optional options that accept any value (`anything`). @param names names separated by `|` */
export const unchecked = (names: string): Shape =>
  Object.fromEntries(names.split('|').map((name) => [name, optional(anything())]));

/** Combines two members. @param then checks values that `first` accepts, with errors of its own */
export const both = <Value>(first: Member<Value>, then: Member<Value>): Member<Value> => ({
  ...first,
  ...then,
  accepts: (value): value is Value => first.accepts(value) && then.accepts(value),
  first,
});

export const text = (remedy = 'a string'): Member<string> => member(isText, remedy);
export const boolean = (): Member<boolean> => member((value) => typeof value === 'boolean', 'true or false');
export const number = (): Member<number> => member(Number.isFinite, 'a number');
export const integer = (remedy = 'an integer'): Member<number> => member(Number.isInteger, remedy);
/** Accepts a whole number from 0. @param meaning description of the number, for errors */
export const whole = (meaning?: string): Member<number> =>
  member(isWhole, meaning ?? 'a whole number', { isExplained: meaning !== undefined });
/** Accepts a number above 0. */
export const amount = (unit: string): Member<number> =>
  member((value) => typeof value === 'number' && value > 0, `a number of ${unit} above 0`);
/** Accepts a whole number from `least` to `most`, both included. */
export const wholeFrom = (least: number, most: number): Member<number> =>
  member(
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
    `a whole number from ${least} to ${most}`,
    { range: [least, most] },
  );

/**
 * Accepts a number from `least` to `most`, both included. Its error has the code `option-out-of-range`.
 * @param hint sentence to append to the error
 */
export const numberFrom = (least: number, most = Infinity, hint = ''): Member<number> =>
  member(
    (value) => typeof value === 'number' && value >= least && value <= most,
    `a number from ${least} to ${most}`,
    { code: 'option-out-of-range', range: [least, most], ...(hint && { hint: () => ` ${hint}` }) },
  );

/** Accepts a whole number in the same way as `numberFrom`. */
export const countFrom = (least: number, most: number): Member<number> =>
  both(
    numberFrom(least, most),
    member(Number.isInteger, 'a whole number', {
      code: 'option-out-of-range',
      message: (subject, value) => `${subject} is ${value}, which is not a whole number.`,
    }),
  );

/**
 * Accepts an angle in the same way as `numberFrom`. The error of a value between 2π and 360 suggests that the value is
 * in degrees.
 */
export const radiansFrom = (least: number, most: number): Member<number> => ({
  ...numberFrom(least, most),
  hint: (value) =>
    typeof value === 'number' && value > 2 * Math.PI && value <= 360
      ? ` ${value} looks like degrees: write ${value} * Math.PI / 180.`
      : '',
});

export const threeNumbers = (remedy: string): Member<readonly [number, number, number]> =>
  member((value) => isNumbers(value, 3), remedy);
export const fourNumbers = (remedy: string): Member<readonly [number, number, number, number]> =>
  member((value) => isNumbers(value, 4), remedy);
export const numbersByName = (): Member<Readonly<Record<string, number>>> =>
  member(
    (value) => isObject(value) && isNumbers(Object.values(value), Object.keys(value).length),
    'numbers by name',
  );

type Words<List extends string> = List extends `${infer Word}|${infer Others}` ? Word | Words<Others> : List;

/** Accepts one of these words, which are separated by `|` or in a list. */
export function oneOf<List extends string>(words: List): Member<Words<List>>;
export function oneOf<Word extends string>(words: readonly Word[]): Member<Word>;
export function oneOf(words: string | readonly string[]): Member {
  const list = typeof words === 'string' ? words.split('|') : words;
  return member((value) => isText(value) && list.includes(value), `one of ${list.join(', ')}`, {
    words: list,
    hint: (value) => guessOf(String(value), list),
  });
}

export const matching = <Word extends string>(pattern: RegExp, remedy: string): Member<Word> =>
  member((value) => isText(value) && pattern.test(value), remedy);

export const func = <Value = (...args: never[]) => unknown>(remedy = 'a function'): Member<Value> =>
  member((value) => typeof value === 'function', remedy);
/**
 * Accepts an AbortSignal. It compares the object's tag, because signals of iframes are not instances of the page's
 * class.
 */
export const signal = (): Member<AbortSignal> =>
  member(
    (value) => Object.prototype.toString.call(value) === '[object AbortSignal]',
    'an AbortSignal: new AbortController().signal',
  );
/** Accepts a CSS colour (sRGB), or linear numbers. The parser of colours checks the text and the count of numbers. */
export const color = <Value extends string | readonly number[]>(): Member<Value> =>
  member(
    (value) => typeof value === 'string' || Array.isArray(value),
    'a CSS colour or an array of linear numbers',
  );
/** Accepts an object of any class that has this method. */
export const having = (method: string, remedy: string): Member<object> =>
  member((value) => isObject(value) && typeof value[method] === 'function', remedy);

export const object = <S extends Shape>(shape: S, remedy = 'an object'): Member<Shaped<S>> =>
  member(isObject, remedy, { shape });

const byName = (subject: string, value: unknown): string =>
  `${subject} takes its options by name, in one object, and was given ${shownValue(value)}.`;

/** Accepts an options object as the value of an option. */
export const options = <S extends Shape>(shape: S): Member<Shaped<S>> =>
  member(isObject, 'an object', { shape, message: byName });

/** Accepts an options object as the value of an option, or another value instead. */
export const optionsOr = <Value, S extends Shape>(
  other: Member<Value>,
  shape: S,
): Member<Value | Shaped<S>> =>
  member((value) => isObject(value) || other.accepts(value), `${other.remedy}, or an object`, {
    shape,
    message: byName,
  });

type Choice<Choices extends Readonly<Record<string, Shape>>> = {
  [Name in keyof Choices]: Shaped<Choices[Name]>;
}[keyof Choices];

/** Accepts an object of one of these shapes. Each shape is named after a member that only this shape has. */
export const either = <Choices extends Readonly<Record<string, Shape>>>(
  choices: Choices,
  remedy: string,
): Member<Choice<Choices>> => member(isObject, remedy, { choices });

export const list = <Value>(item: Member<Value>, remedy: string): Member<readonly Value[]> =>
  member(Array.isArray, remedy, { item });

/** Accepts a list that may contain `null`. */
export const listWithGaps = <Value>(
  item: Member<Value>,
  remedy: string,
): Member<readonly (Value | null)[]> => {
  const accepts = (value: unknown): value is Value | null => value === null || item.accepts(value);
  return list({ ...item, accepts }, remedy);
};
