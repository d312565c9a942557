/**
 * Checks of single values, for arguments and setters whose limits are known only at the call. `members.ts` has the
 * same checks for tables of options.
 */
import { OptionError } from '../errors.js';
import type { QuaternionLike, VectorLike } from '../math/vectors.js';
import { checkMember, refuse } from './member.js';
import { boolean, countFrom, numberFrom, oneOf, radiansFrom, signal } from './members.js';
import { shownValue } from './shown-value.js';

/** Throws `option-invalid` unless `value` is text or undefined. */
export function checkName(what: string, value: unknown): void {
  if (typeof value !== 'string' && value !== undefined) refuse(`name of ${what}`, value, { remedy: 'text' });
}

/** Throws `option-out-of-range` unless `value` is a number from `minimum` to `maximum`, and returns it. */
export function checkNumber(
  what: string,
  name: string,
  value: unknown,
  minimum: number,
  maximum = Infinity,
  hint = '',
): number {
  if (typeof value === 'number' && value >= minimum && value <= maximum) return value;
  refuse(`${name} of ${what}`, value, numberFrom(minimum, maximum, hint));
}

/** Checks a whole number in the same way as `checkNumber`. */
export function checkWhole(
  what: string,
  name: string,
  value: unknown,
  minimum: number,
  maximum: number,
): number {
  if (Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum)
    return value as number;
  refuse(`${name} of ${what}`, value, countFrom(minimum, maximum));
}

/**
 * Checks an angle in the same way as `checkNumber`. The error of a value between 2π and 360 suggests that the value is
 * in degrees.
 */
export function checkRadians(
  what: string,
  name: string,
  value: unknown,
  minimum: number,
  maximum: number,
): number {
  if (typeof value === 'number' && value >= minimum && value <= maximum) return value;
  refuse(`${name} of ${what}`, value, radiansFrom(minimum, maximum));
}

/** Throws `option-invalid` unless `value` is one of `allowed`, and returns it. */
export function checkChoice<T extends string>(
  what: string,
  name: string,
  value: unknown,
  allowed: readonly T[],
): T {
  if (allowed.includes(value as T)) return value as T;
  refuse(`${name} of ${what}`, value, oneOf(allowed));
}

/** Throws `option-invalid` unless `value` is true or false, and returns it. */
export function checkBoolean(what: string, name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  refuse(`${name} of ${what}`, value, boolean());
}

/** Types of tuples by length. */
interface Vectors {
  2: [number, number];
  3: [number, number, number];
  4: [number, number, number, number];
}

/**
 * Returns the numbers of an array, a vector of an actor, or an object with x, y and so on. The caller must check that
 * they are finite.
 * @param alternative another form that the option accepts, for the message: `a number or `
 * @throws OptionError `option-invalid` unless there are `length` numbers
 */
export function checkVector<Length extends keyof Vectors>(
  what: string,
  name: string,
  value: VectorLike | QuaternionLike | undefined,
  length: Length,
  alternative = '',
): Vectors[Length] {
  const { x, y, z, w } = (value ?? {}) as Partial<Record<'x' | 'y' | 'z' | 'w', number>>;
  const isObject = x !== undefined;
  const numbers = isObject
    ? [x, y, z, w].slice(0, length).filter((number) => number !== undefined)
    : (value as ArrayLike<number> | undefined);
  if (typeof value === 'object' && numbers?.length === length) return Array.from(numbers) as Vectors[Length];
  const guess =
    length === 4 && numbers?.length === 3
      ? ' A rotation is a quaternion [x, y, z, w]; three numbers look like Euler angles.'
      : '';
  const given =
    typeof value === 'object' && numbers?.length !== undefined
      ? `a list of ${numbers.length}`
      : shownValue(value);
  throw new OptionError(
    'option-invalid',
    `${name} of ${what} is ${given}; it has to be ${alternative}${length} numbers.${guess}`,
  );
}

/** Returns `value`, an AbortSignal of any realm, or undefined. Throws `option-invalid` for other values. */
export function checkSignal(what: string, value: unknown): AbortSignal | undefined {
  return value === undefined ? value : checkMember(what, 'signal', value, signal());
}
