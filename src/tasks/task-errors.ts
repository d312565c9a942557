import { messageOf, StateError, TaskError } from '../core/errors.js';
import { shownValue } from '../core/options/shown-value.js';

/** A task, an event, or both in one, by name. */
interface Named {
  readonly name: string;
}

/** Also of what can't be read. */
export function isRefused(error: unknown): boolean {
  try {
    return error instanceof DOMException && error.name === 'DataCloneError';
  } catch {
    return false;
  }
}

function wordsOf(cause: unknown): string {
  try {
    return messageOf(cause);
  } catch {
    return 'what was thrown can’t be read.';
  }
}

/** As a sentence, behind which another one can stand. */
function sentenceOf(cause: unknown): string {
  const words = wordsOf(cause).trimEnd();
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

/** What went wrong first, in its words: a chain of tasks does not repeat what each of them needs. */
function firstWordsOf(cause: unknown): string {
  try {
    if (cause instanceof TaskError && cause.details?.first !== undefined) return cause.details.first;
  } catch {
    // It can't be read, which `wordsOf` says.
  }
  return wordsOf(cause);
}

export function argumentsRefused({ name }: Named, cause: unknown, whose = 'task'): TaskError {
  return new TaskError(
    'task-arguments-refused',
    `The arguments of the ${whose} ${name} can't be sent to another thread: ${sentenceOf(cause)} Give plain data and shared arrays.`,
    { cause },
  );
}

/**
 * What is told of a task that nobody waits for: an error as it was thrown, anything else within one that names the task.
 * @param name undefined: it was no task
 */
export function untrackedError(name: string | undefined, thrown: unknown): unknown {
  if (thrown instanceof Error || name === undefined) return thrown;
  return new TaskError(
    'task-threw',
    `The task ${name}, which nobody waits for, threw ${shownValue(thrown)}. Throw an Error, or \`run\` the task and await it.`,
    { cause: thrown },
  );
}

export function prerequisiteFailed(future: Named, cause: unknown): TaskError {
  const first = firstWordsOf(cause);
  return new TaskError(
    'prerequisite-failed',
    `Something that ${future.name} needs did not succeed, so it won't either: ${first}`,
    { cause, details: { first } },
  );
}

export function triggerFailed(event: Named, cause: unknown): TaskError {
  const first = firstWordsOf(cause);
  return new TaskError('prerequisite-failed', `What was to trigger ${event.name} did not succeed: ${first}`, {
    cause,
    details: { first },
  });
}

/** Why a worker died: the event of a script that can't be loaded says nothing. */
export const reasonOfDeath = ({ message }: Partial<ErrorEvent>): string =>
  message || 'its script could not be loaded';

export function loadFailed(url: string, where: string, cause: unknown): TaskError {
  // Bundlers make data: addresses of small files: all of the file, and no word that helps.
  const name = url.startsWith('data:') ? 'at a data: address' : url;
  const what = sentenceOf(cause).replace(url, name);
  const remedy = /data: address|specifier/.test(what)
    ? ' Where a bundler has copied it with its imports, build it as an entry of its own.'
    : '';
  return new TaskError(
    'task-module-failed',
    `The task module ${name} can't be loaded in ${where}: ${what} Check its address, and what it imports.${remedy}`,
    { cause },
  );
}

/** Once for each task, however many jobs it is made of. */
export function tellSlow(
  task: Named & { isToldSlow: boolean },
  seconds: number,
  where: string,
  onError: (error: unknown) => void,
): void {
  if (task.isToldSlow) return;
  task.isToldSlow = true;
  onError(
    new TaskError(
      'task-slow',
      `The task ${task.name} has run for ${seconds} s in ${where}. Split it, or cancel what it waits for.`,
    ),
  );
}

export const disposed = (): StateError =>
  new StateError('tasks-disposed', 'The task system was disposed of. Create another one.');

/** @param whose the task or the thread, as messages name it */
export function resultRefused(whose: string, cause: unknown): TaskError {
  return new TaskError(
    'task-result-refused',
    `What ${whose} gave can't be sent to another thread: ${sentenceOf(cause)} Return plain data.`,
    { cause },
  );
}
