import { OptionError } from '../index.js';

/**
 * Checks that options are an object with known names.
 * @param what name of the function that received the options
 * @throws OptionError `option-invalid`, `option-unknown`
 */
export function checkNames(what: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new OptionError(
      'option-invalid',
      `${what} takes its options by name, in one object, and was given ${JSON.stringify(options)}.`,
    );
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new OptionError(
        'option-unknown',
        `${what} has no option "${name}". It takes ${known.join(', ')}.`,
      );
}
