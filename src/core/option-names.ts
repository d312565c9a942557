/**
 * Which names the options of a call may have, for the parts of the package that stand alone: a slip of the pen is an
 * error with the name in it, not an option that does nothing. Cold paths only.
 *
 * Names are listed with commas, and stand in quotes in messages, and options are taken as they are, not as any object:
 * the build takes texts of bare words for names of properties, and what is passed as anything for data, and would keep
 * such names in the engine's files, too, which have none of this.
 */
import { OptionError } from './errors.js';

/**
 * @param what the function the options were passed to, as the caller wrote it
 * @param names all there are: `surface, onFrame`
 * @throws OptionError `option-invalid` for what is no object, `option-unknown` for another name
 */
export function checkOptionNames<Options extends object>(
  what: string,
  options: Options,
  names: string,
): void {
  if (!isObject(options)) {
    throw new OptionError(
      'option-invalid',
      `${what} takes its options by name, in one object, and was given ${shownValue(options)}.`,
    );
  }
  for (const name in options) {
    if (hasName(names, name)) continue;
    const list = names.split(', ');
    const beginning = name.slice(0, 3).toLowerCase();
    const meant = list.find((each) => each.toLowerCase().startsWith(beginning));
    throw new OptionError(
      'option-unknown',
      `${what} has no option "${name}".${meant === undefined ? '' : ` Did you mean "${meant}"?`} It takes ${names}.`,
    );
  }
}

/** @param names separated by commas: `surface, onFrame` */
export function hasName(names: string, name: string): boolean {
  return `, ${names},`.includes(`, ${name},`);
}

/**
 * @param option with its function: `The option "surface" of createRhi`
 * @param expected what it has to be
 * @throws OptionError `option-invalid`
 */
export function checkOption<T>(option: string, value: T, isRight: boolean, expected: string): void {
  if (isRight) return;
  throw new OptionError('option-invalid', `${option} is ${shownValue(value)}; it has to be ${expected}.`);
}

/** An object with names, and no list. */
export function isObject<T>(value: T): value is T & Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a message shows it: short, with text in quotes. */
export function shownValue<T>(value: T): string {
  if (typeof value === 'string') return `"${value}"`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
