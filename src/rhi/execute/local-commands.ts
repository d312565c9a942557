/** Runs local commands on every backend. If a command throws an untyped error, the reported error names the command. */
import { isTyped, messageOf, RhiError } from '../../core/errors.js';
import { bytesAt, fieldWordsAt, stringAt } from '../../core/records/record-fields.js';
import type { LocalCommand } from './executor.js';

/**
 * Runs the local command of a record.
 * @throws RhiError `local-command-unknown`, `local-command-failed`; a typed error of the command, unchanged
 */
export function runLocalCommand(
  words: Uint32Array,
  fields: number,
  commands: ReadonlyMap<string, LocalCommand> | undefined,
  device: GPUDevice | null,
): void {
  const name = stringAt(words, fields);
  const command = commands?.get(name);
  if (command === undefined) {
    throw new RhiError(
      'local-command-unknown',
      `No local command "${name}" is registered. Pass it in the executor's option \`localCommands\`.`,
    );
  }
  const data = bytesAt(words, fields, fieldWordsAt(words, fields)).slice();
  try {
    command(data, device);
  } catch (cause) {
    if (isTyped(cause)) throw cause;
    throw new RhiError(
      'local-command-failed',
      `The local command "${name}" threw: ${messageOf(cause)} The rest of the list is executed.`,
      { cause },
    );
  }
}
