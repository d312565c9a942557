/**
 * Checks of options objects. Unknown names, wrong kinds and values out of range throw an `OptionError`. The error
 * names the option, guesses the mistake, and lists what is allowed.
 */
import { OptionError } from '../errors.js';
import { type Filled, type Member, refuse, type Shape } from './member.js';
import { guessOf, isObject, shownValue } from './shown-value.js';

/**
 * Checks the names of options, and that no value is a symbol. It checks nothing else about the values.
 * @param what name of the function that received the options, as the caller wrote it
 * @throws OptionError `option-invalid` unless `options` is an object without symbols, `option-unknown` for a name that
 *   the table lacks
 */
export function checkNames(what: string, options: object, table: Shape): void {
  if (!isObject(options)) {
    throw new OptionError(
      'option-invalid',
      `${what} takes its options by name, in one object, and was given ${shownValue(options)}.`,
    );
  }
  for (const name in options) {
    const value = options[name];
    // A symbol would fail later, in the middle of a frame, when it is converted to text.
    if (typeof value === 'symbol') {
      throw new OptionError(
        'option-invalid',
        `${name} of ${what} is ${String(value)}; it can't be a Symbol.`,
      );
    }
    if (Object.hasOwn(table, name)) continue;
    const known = Object.keys(table);
    const guess = guessOf(name, known);
    const names = known.join(', ');
    throw new OptionError('option-unknown', `${what} has no option "${name}".${guess} It takes ${names}.`);
  }
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the beginning of a message about an option. */
type Subject = (name: string, what: string) => string;
const subjectOf: Subject = (name, what) => `${name} of ${what}`;

/**
 * Checks names and values.
 * @param subject returns the beginning of a message about an option
 * @throws OptionError as `checkNames`, and for values that the members of the table reject
 */
export function checkOptions(
  what: string,
  options: object,
  table: Shape,
  subject: Subject = subjectOf,
): void {
  if (areRight(options, table)) return;
  checkNames(what, options, table);
  for (const name in table) {
    const value = (options as Values)[name];
    const member = table[name] as Member;
    if (member.isProperty || (value === undefined && member.isOptional)) continue;
    if (member.shape && isObject(value))
      checkOptions(`${name} of ${what}`, value, member.shape, (inner) => subject(`${name}.${inner}`, what));
    if (!member.accepts(value)) refuse(subject(name, what), value, member);
  }
}

/**
 * Returns true if the options are certainly valid. It visits only the options that are present and those that are
 * required, because it must be fast: a scene may create many meshes.
 */
function areRight(options: object, table: Shape): boolean {
  if (!isObject(options)) return false;
  for (const name in options) {
    const member = table[name];
    const value = options[name];
    // Members that the table inherits, such as `toString`, describe no options.
    if (typeof member?.accepts !== 'function' || typeof value === 'symbol') return false;
    if (member.isProperty || (value === undefined && member.isOptional)) continue;
    if (member.shape || !member.accepts(value)) return false;
  }
  for (const name of requiredOf(table)) if (options[name] === undefined) return false;
  return true;
}

const required = /* @__PURE__ */ new WeakMap<Shape, readonly string[]>();

/** Returns the names of a table's required members. */
function requiredOf(table: Shape): readonly string[] {
  const known = required.get(table);
  if (known) return known;
  const names = Object.keys(table).filter((name) => !table[name]?.isOptional);
  required.set(table, names);
  return names;
}

/** Checks options and fills in their defaults. @throws OptionError as `checkOptions` */
export function fillOptions<S extends Shape>(what: string, options: object, table: S): Filled<S> {
  checkOptions(what, options, table);
  const filled: Record<string, unknown> = {};
  for (const name in table) {
    const value = (options as Values)[name];
    filled[name] = value === undefined ? table[name]?.default : value;
  }
  return filled as Filled<S>;
}

/**
 * Throws unless `isRight`.
 * @param option the option with its function: `The option "surface" of createRhi`
 * @param expected description of valid values
 * @throws OptionError `option-invalid`
 */
export function checkOption<T>(option: string, value: T, isRight: boolean, expected: string): void {
  if (!isRight) refuse(option, value, { remedy: expected });
}
