/**
 * Checks of what a caller passes by name: unknown names, wrong kinds and values out of range become an
 * `OptionError` that names the option, guesses the slip and says what is allowed. Cold path only.
 */
import { OptionError } from '../../core/errors.js';
import type { QuaternionLike, VectorLike } from '../../core/math/vectors.js';

/** The entry of `candidates` that begins like `name`, or ends with it, as a question; nothing where that would be a wild guess. */
function guess(name: string, candidates: readonly string[]): string {
  const lower = name.toLowerCase();
  const beginning = lower.slice(0, 3);
  const found =
    candidates.find((candidate) => candidate.toLowerCase().startsWith(beginning)) ??
    candidates.find((candidate) => lower.length > 2 && candidate.toLowerCase().endsWith(lower));
  return found === undefined ? '' : ` Did you mean "${found}"?`;
}

/**
 * Throws `option-unknown` for a name that is not in `allowed`, a list separated by spaces.
 * @param what the function the options were passed to, as the caller wrote it
 */
export function checkOptions(what: string, options: object, allowed: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new OptionError('option-invalid', `${what} takes its options by name, in one object.`);
  }
  for (const name in options) {
    const value = (options as Record<string, unknown>)[name];
    if (name === 'name') checkName(what, value);
    else refuseSymbol(what, name, value);
    // Not split into a list unless something is wrong: meshes are made by the ten thousand.
    if (` ${allowed} `.includes(` ${name} `)) continue;
    const names = allowed.split(' ');
    throw new OptionError(
      'option-unknown',
      `${what} has no option "${name}".${guess(name, names)} It takes ${names.join(', ')}.`,
    );
  }
}

/** Throws `option-invalid` unless `value` is text, or not given. */
export function checkName(what: string, value: unknown): void {
  if (typeof value === 'string' || value === undefined) return;
  throw new OptionError('option-invalid', `name of ${what} is ${String(value)}; it has to be text.`);
}

/** No option is a Symbol: it would fail in the middle of a frame, where it becomes text. */
function refuseSymbol(what: string, name: string, value: unknown): void {
  if (typeof value !== 'symbol') return;
  throw new OptionError('option-invalid', `${name} of ${what} is ${String(value)}; it can't be a Symbol.`);
}

/** Text is quoted, and BigInts end with n: "1" and 1n read otherwise like the number that they aren't. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? `"${value}"` : String(value) + (typeof value === 'bigint' ? 'n' : '');

/** Throws `option-out-of-range` unless `value` is a number from `minimum` to `maximum`, and returns it. */
export function checkNumber(
  what: string,
  name: string,
  value: unknown,
  minimum: number,
  maximum = Infinity,
  guess = '',
): number {
  if (typeof value === 'number' && value >= minimum && value <= maximum) return value;
  throw new OptionError(
    'option-out-of-range',
    `${name} of ${what} is ${shown(value)}; it has to be a number from ${minimum} to ${maximum}.${guess && ` ${guess}`}`,
  );
}

/** Like `checkNumber` for what is counted in whole ones. */
export function checkWhole(
  what: string,
  name: string,
  value: unknown,
  minimum: number,
  maximum: number,
): number {
  const number = checkNumber(what, name, value, minimum, maximum);
  if (Number.isInteger(number)) return number;
  throw new OptionError('option-out-of-range', `${name} of ${what} is ${number}, which is no whole number.`);
}

/** Like `checkNumber` for an angle; a value beyond a full turn is taken for degrees. */
export function checkRadians(
  what: string,
  name: string,
  value: unknown,
  minimum: number,
  maximum: number,
): number {
  const isDegreeLike = typeof value === 'number' && value > 2 * Math.PI && value <= 360;
  return checkNumber(
    what,
    name,
    value,
    minimum,
    maximum,
    isDegreeLike ? `${value} looks like degrees: write ${value} * Math.PI / 180.` : '',
  );
}

/** Throws `option-invalid` unless `value` is one of `allowed`, and returns it. */
export function checkChoice<T extends string>(
  what: string,
  name: string,
  value: unknown,
  allowed: readonly T[],
): T {
  if (allowed.includes(value as T)) return value as T;
  throw new OptionError(
    'option-invalid',
    `${name} of ${what} is ${shown(value)}; it has to be one of ${allowed.join(', ')}.${guess(String(value), allowed)}`,
  );
}

/** Throws `option-invalid` unless `value` is true or false, and returns it. */
export function checkBoolean(what: string, name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new OptionError(
    'option-invalid',
    `${name} of ${what} is ${shown(value)}; it has to be true or false.`,
  );
}

/** Throws `option-invalid` when a rotation is given next to the option `name`, which stands in for it. */
export function checkNoRotation(what: string, name: string, rotation: unknown): void {
  if (rotation) {
    throw new OptionError('option-invalid', `${what} takes ${name} or rotation, not both.`);
  }
}

/** Tuples by length. */
interface Vectors {
  2: [number, number];
  3: [number, number, number];
  4: [number, number, number, number];
}

/**
 * The numbers of an array, a vector of an actor, or an object with x, y and so on; whether they are finite is the user's check.
 * @throws OptionError `option-invalid` unless there are `length`
 */
export function checkVector<Length extends keyof Vectors>(
  what: string,
  name: string,
  value: VectorLike | QuaternionLike | undefined,
  length: Length,
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
  throw new OptionError('option-invalid', `${name} of ${what} has to be ${length} numbers.${guess}`);
}
