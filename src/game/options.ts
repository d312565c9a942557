/**
 * Checks of what a caller passes by name: unknown names, wrong kinds and values out of range become an
 * `OptionError` that names the option, guesses the slip and says what is allowed. Cold path only.
 */
import { OptionError } from '../core/errors.js';

/** Edits (insert, remove, replace) that turn `a` into `b`; letter case is free. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1]?.toLowerCase() === b[j - 1]?.toLowerCase();
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The entry of `candidates` nearest to `name` in spelling. */
function nearestName(name: string, candidates: readonly string[]): string {
  let best = '';
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

/** Lists of names, split once: meshes are made by the ten thousand. */
const splitNames = new Map<string, readonly string[]>();

/**
 * Throws `option-unknown` for a name that is not in `allowed`, a list separated by spaces.
 * @param what the function the options were passed to, as the caller wrote it
 */
export function checkOptions(what: string, options: object, allowed: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new OptionError('option-invalid', `${what} takes its options by name, in one object.`);
  }
  let names = splitNames.get(allowed);
  if (!names) {
    names = allowed.split(' ');
    splitNames.set(allowed, names);
  }
  for (const name in options) {
    if (!names.includes(name)) {
      throw new OptionError(
        'option-unknown',
        `${what} has no option "${name}". Did you mean "${nearestName(name, names)}"? It takes ${names.join(', ')}.`,
      );
    }
  }
}

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
    `${name} of ${what} is ${String(value)}; it has to be a number from ${minimum} to ${maximum}.${guess && ` ${guess}`}`,
  );
}

/** Like `checkNumber` for an angle; a value that looks like degrees is named as such. */
export function checkRadians(
  what: string,
  name: string,
  value: unknown,
  minimum: number,
  maximum: number,
): number {
  const isDegreeLike = typeof value === 'number' && value > maximum && value <= 360;
  return checkNumber(
    what,
    name,
    value,
    minimum,
    maximum,
    isDegreeLike
      ? `${name} is in radians; ${value} looks like degrees, which would be ${((value * Math.PI) / 180).toFixed(4)}.`
      : '',
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
  const guess = typeof value === 'string' ? ` Did you mean '${nearestName(value, allowed)}'?` : '';
  throw new OptionError(
    'option-invalid',
    `${name} of ${what} is ${String(value)}; it has to be one of ${allowed.join(', ')}.${guess}`,
  );
}

/** Throws `option-invalid` unless `value` holds `length` numbers; whether they are finite is the user's check. */
export function checkVector(
  what: string,
  name: string,
  value: ArrayLike<number> | undefined,
  length: number,
): ArrayLike<number> {
  if (typeof value === 'object' && value?.length === length) return value;
  const guess =
    length === 4 && value?.length === 3
      ? ' A rotation is a quaternion [x, y, z, w]; three numbers look like Euler angles.'
      : '';
  throw new OptionError('option-invalid', `${name} of ${what} has to be ${length} numbers.${guess}`);
}
