/** Errors of single records of a list. */
import { isTyped, messageOf, RhiError } from '../../core/errors.js';
import { rhiCommands } from '../commands/commands.js';
import type { CommandRecord } from '../commands/record-sequence.js';

/**
 * Returns the error to report for a record. A typed error is returned unchanged. Any other error becomes the cause of
 * an error that names the command.
 */
export function asReported({ opcode }: CommandRecord, cause: unknown): unknown {
  if (isTyped(cause)) return cause;
  // WebGPU throws at once for arguments that it can't convert.
  return new RhiError(
    'command-refused',
    `The command "${rhiCommands.names[opcode]}" was refused: ${messageOf(cause)} Correct its arguments.`,
    { cause },
  );
}

export function unknownCommand(opcode: number): RhiError {
  return new RhiError(
    'bad-record',
    `A record has the opcode ${opcode}, which no command has. Record it with a context of this version.`,
  );
}
