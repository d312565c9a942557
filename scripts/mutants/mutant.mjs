// A mutant removes one mechanism from the code, by replacing a text that occurs once in a file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Mutant
 * @property {string} id its name, unique; docs/systems.md names it
 * @property {string} row the row of docs/systems.md whose mechanism is removed; `C draw` for a command
 * @property {string} file path from the project's root
 * @property {string} code text of the file that is replaced; it occurs once
 * @property {string} mutated the replacement
 * @property {string} spec the file of end-to-end tests that must fail
 * @property {string} [test] regular expression of the tests' names. Default: the tests that name the row
 */

/** Returns the file's text with the mutant. @throws Error when the code to replace does not occur exactly once */
export function mutate({ id, file, code, mutated }, text) {
  const parts = text.split(code);
  if (parts.length !== 2) {
    throw new Error(`The mutant ${id}: its code occurs ${parts.length - 1} times in ${file}, not once.`);
  }
  return parts.join(mutated);
}

/** Returns the mutated text of the file in a folder. */
export function mutatedFile(mutant, root) {
  return mutate(mutant, readFileSync(join(root, mutant.file), 'utf8'));
}

/** Returns the regular expression of the tests that must fail. */
export function testPattern({ row, test }) {
  if (test) return test;
  // A test of several commands has the title "C first, second: title".
  return row.startsWith('C ') ? `(?<!\\w)C [\\w, ]*(?<!\\w)${row.slice(2)}(?!\\w)` : `(?<!\\w)${row}(?!\\w)`;
}
