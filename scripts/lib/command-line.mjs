// Command lines of the project's scripts. For an invalid line, a script prints the reason and the usage, and ends with
// status 2.
import { parseArgs } from 'node:util';

/**
 * Parses the command line. Ends the process when it is invalid.
 *
 * @template {import('node:util').ParseArgsConfig} T
 * @param {string} usage printed below the reason
 * @param {T} config the parameter of `parseArgs`
 * @returns {ReturnType<typeof parseArgs<T>>}
 */
export function readCommandLine(usage, config) {
  try {
    return parseArgs(config);
  } catch (error) {
    return refuse(error.message, usage);
  }
}

/** Prints the reason and the usage, and ends the process with status 2. @returns {never} */
export function refuse(reason, usage) {
  console.error(`${reason}\n${usage}`);
  process.exit(2);
}
