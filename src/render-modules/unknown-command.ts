import { StateError } from '../core/errors.js';

/** The error of a command that a render module has not defined; both threads find it. */
export function unknownCommand(module: string, command: string, known: readonly string[]): StateError {
  return new StateError(
    'render-command-unknown',
    `The render module "${module}" has defined no command "${command}". ${known.length ? `It has ${known.join(', ')}.` : 'It has none.'} Define it by defineCommand() during set-up.`,
  );
}
