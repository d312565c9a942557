import {
  type ErrorData,
  errorFromData,
  errorToData,
  messageOf,
  StateError,
  TaskError,
} from '../core/errors.js';
import { shownValue } from '../core/options/shown-value.js';

/** A task, an event or a thread. */
interface Named {
  readonly name: string;
}

/**
 * Returns whether the error reports a failed structured clone. `error` may be a value whose properties can't be read.
 */
export function isRefused(error: unknown): boolean {
  try {
    return error instanceof DOMException && error.name === 'DataCloneError';
  } catch {
    return false;
  }
}

function readableMessageOf(cause: unknown): string {
  try {
    return messageOf(cause);
  } catch {
    return 'the thrown value can’t be read.';
  }
}

/** Returns the error's message as a complete sentence. */
function sentenceOf(cause: unknown): string {
  const message = readableMessageOf(cause).trimEnd();
  return /[.!?…]$/.test(message) ? message : `${message}.`;
}

/**
 * Returns the message of the first error in a chain of failed prerequisites, without the messages of the errors in
 * between.
 */
function firstMessageOf(cause: unknown): string {
  try {
    if (cause instanceof TaskError && cause.details?.first !== undefined) return cause.details.first;
  } catch {
    // The value can't be read. `readableMessageOf` reports that.
  }
  return readableMessageOf(cause);
}

export function argumentsRefused({ name }: Named, cause: unknown, whose = 'task'): TaskError {
  return new TaskError(
    'task-arguments-refused',
    `The arguments of the ${whose} ${name} can't be sent to another thread: ${sentenceOf(cause)} Give plain data and shared arrays.`,
    { cause },
  );
}

/**
 * Returns the error to report for a failed task that no code awaits. A thrown `Error` is returned as it is. Any other
 * value becomes the cause of an error that names the task.
 * @param name name of the task; undefined for an error of a clean-up, which is returned as it is
 */
export function untrackedError(name: string | undefined, thrown: unknown): unknown {
  if (thrown instanceof Error || name === undefined) return thrown;
  return new TaskError(
    'task-threw',
    `The task ${name}, which no code awaits, threw ${shownValue(thrown)}. Throw an Error, or \`run\` the task and await it.`,
    { cause: thrown },
  );
}

export function prerequisiteFailed(future: Named, cause: unknown): TaskError {
  const first = firstMessageOf(cause);
  return new TaskError(
    'prerequisite-failed',
    `A prerequisite of ${future.name} did not succeed, so ${future.name} can't succeed: ${first}`,
    { cause, details: { first } },
  );
}

export function triggerFailed(event: Named, cause: unknown): TaskError {
  const first = firstMessageOf(cause);
  return new TaskError(
    'prerequisite-failed',
    `The task that triggers ${event.name} did not succeed: ${first}`,
    {
      cause,
      details: { first },
    },
  );
}

/** Returns why a worker died. The event of a script that can't be loaded has no message. */
export const reasonOfDeath = ({ message }: Partial<ErrorEvent>): string =>
  message || 'its script could not be loaded';

export function loadFailed(url: string, where: string, cause: unknown): TaskError {
  // Bundlers turn small files into data: addresses, which would put the whole file into the message.
  const name = url.startsWith('data:') ? 'at a data: address' : url;
  const what = sentenceOf(cause).replace(url, name);
  const remedy = /data: address|specifier/.test(what)
    ? ' If a bundler has copied it with its imports, build it as an entry of its own.'
    : '';
  return new TaskError(
    'task-module-failed',
    `The task module ${name} can't be loaded in ${where}: ${what} Check its address, and what it imports.${remedy}`,
    { cause },
  );
}

/** Reports a slow task, once for each task, even if it has many jobs. */
export function reportSlow(
  task: Named & { isReportedSlow: boolean },
  seconds: number,
  where: string,
  onError: (error: unknown) => void,
): void {
  if (task.isReportedSlow) return;
  task.isReportedSlow = true;
  onError(
    new TaskError(
      'task-slow',
      `The task ${task.name} has run for ${seconds} s in ${where}. Split it, or check what it waits for.`,
      { details: { thread: where, task: task.name } },
    ),
  );
}

export const disposed = (): StateError =>
  new StateError('tasks-disposed', 'The task system was disposed of. Create another one.');

/** @param whose the task or the thread, as a noun for the message */
export function resultRefused(whose: string, cause: unknown): TaskError {
  return new TaskError(
    'task-result-refused',
    `The result of ${whose} can't be sent to another thread: ${sentenceOf(cause)} Return plain data.`,
    { cause },
  );
}

export function fencesNotConnected(): StateError {
  return new StateError(
    'fences-not-connected',
    "task.tools.fences() was called before the page called engine.fences(), or the task system belongs to no engine. Await engine.fences() on the page first, and pass the result of a fence's share() to the task.",
  );
}

/**
 * The transport of a task's error to another thread. A structured clone turns subclasses into plain errors and drops
 * their own properties. Some values can't be cloned, and some can't even be read.
 *
 *   thrown ─ failureOf ─► clone, message, missing properties ═ post ═► thrownBy ─► as it was thrown
 */
export interface Failure {
  /** A clone of the thrown value. Undefined if there is none (`hasClone` is false), or if undefined was thrown. */
  readonly thrown: unknown;
  readonly hasClone: boolean;
  readonly error: ErrorData;
  /** Properties of an error that its clone lacks: the name, and own properties of the error. */
  readonly besides?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the transportable form of a thrown value. Never throws. */
export function failureOf(thrown: unknown): Failure {
  try {
    const error = structuredClone(errorToData(thrown));
    return thrown instanceof Error ? ofError(thrown, error) : ofAnything(thrown, error);
  } catch {
    const error = errorToData(new Error('The thrown value can’t be read.'));
    return { thrown: undefined, hasClone: false, error };
  }
}

/**
 * Restores the thrown value on the waiting thread. An error keeps its stack, and an error of this library also keeps
 * its class. Any other value is a clone of the thrown value, or an error if it can't be cloned.
 */
export function thrownBy({ thrown: clone, hasClone, error, besides = {} }: Failure): unknown {
  const thrown = hasClone ? clone : errorFromData(error);
  for (const [name, value] of Object.entries(besides)) {
    const enumerable = !HIDDEN.includes(name);
    Object.defineProperty(thrown, name, { value, enumerable, writable: true, configurable: true });
  }
  return thrown;
}

/** Properties of errors that are not enumerable. */
const HIDDEN = ['name', 'cause', 'errors'];

function ofAnything(thrown: unknown, error: ErrorData): Failure {
  const clone = cloneOf(thrown);
  return { thrown: clone?.value, hasClone: clone !== null, error };
}

function ofError(thrown: Error, error: ErrorData): Failure {
  const isOurs = error.code !== 'internal';
  const clone = isOurs ? errorFromData(error) : (cloneOf(thrown)?.value ?? plainError(error));
  const besides: Record<string, unknown> = {};
  for (const name of [...HIDDEN, ...Object.keys(thrown)]) {
    const value = thrown[name as keyof Error];
    const isKept = name === 'name' ? value === (clone as Error).name : Object.hasOwn(clone as Error, name);
    const copy = isKept || value === undefined ? null : cloneOf(value);
    if (copy) besides[name] = copy.value;
  }
  return { thrown: isOurs ? undefined : clone, hasClone: !isOurs, error, besides };
}

/** Creates an error with the message and stack of an error that can't be cloned, for example because of its cause. */
function plainError({ message, stack }: ErrorData): Error {
  const error = new Error(message);
  error.stack = stack;
  return error;
}

function cloneOf(value: unknown): { readonly value: unknown } | null {
  try {
    return { value: structuredClone(value) };
  } catch {
    return null;
  }
}
