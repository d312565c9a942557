/** What goes wrong with one record of a list. */
import { isTyped, messageOf, RhiError } from '../../core/errors.js';
import { rhiCommands } from '../commands/commands.js';
import type { CommandRecord } from '../commands/record-sequence.js';

/** @returns what names its command, where the error does not say itself what is wrong */
export function asReported({ opcode }: CommandRecord, cause: unknown): unknown {
  if (isTyped(cause)) return cause;
  // What WebGPU throws at once: arguments that it can't even understand.
  return new RhiError(
    'command-refused',
    `The command "${rhiCommands.names[opcode]}" was refused: ${messageOf(cause)} Correct its arguments.`,
    { cause },
  );
}

export function unknownCommand(opcode: number): RhiError {
  return new RhiError(
    'bad-record',
    `A record has the opcode ${opcode}, which is no command's. Record it with a context of this version.`,
  );
}
