// Command lines of the project's scripts. An invalid one prints the reason and the usage, and ends with status 2.
import { parseArgs } from 'node:util';

/**
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

/** @returns {never} */
export function refuse(reason, usage) {
  console.error(`${reason}\n${usage}`);
  process.exit(2);
}
