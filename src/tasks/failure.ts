/**
 * What a task threw, on its way to another thread. A structured clone makes plain errors of subclasses and leaves out what they
 * have besides; other things can't be cloned, and some can't even be read.
 *
 *   thrown ─ failureOf ─► its clone, its words, what the clone has not ═ message ═► thrownBy ─► as it was thrown
 */
import { type ErrorData, errorFromData, errorToData } from '../core/errors.js';

export interface Failure {
  /** A clone; undefined where there is none, and where that is what was thrown. */
  readonly thrown: unknown;
  readonly hasClone: boolean;
  readonly error: ErrorData;
  /** What an error has and its clone has not: its name, its own properties. */
  readonly besides?: Readonly<Record<string, unknown>> | undefined;
}

/** Never throws. */
export function failureOf(thrown: unknown): Failure {
  try {
    const error = structuredClone(errorToData(thrown));
    return thrown instanceof Error ? ofError(thrown, error) : ofAnything(thrown, error);
  } catch {
    const error = errorToData(new Error('What was thrown can’t be read.'));
    return { thrown: undefined, hasClone: false, error };
  }
}

/** On the thread that waits for it: the error with its stack, of this library with its class; anything else as it was. */
export function thrownBy({ thrown: clone, hasClone, error, besides = {} }: Failure): unknown {
  const thrown = hasClone ? clone : errorFromData(error);
  for (const [name, value] of Object.entries(besides)) {
    const enumerable = !HIDDEN.includes(name);
    Object.defineProperty(thrown, name, { value, enumerable, writable: true, configurable: true });
  }
  return thrown;
}

/** Own properties of errors that are not enumerable. */
const HIDDEN = ['name', 'cause', 'errors'];

function ofAnything(thrown: unknown, error: ErrorData): Failure {
  const clone = cloneOf(thrown);
  return { thrown: clone?.value, hasClone: clone !== null, error };
}

function ofError(thrown: Error, error: ErrorData): Failure {
  const isOurs = error.code !== 'internal';
  const clone = isOurs ? errorFromData(error) : (cloneOf(thrown)?.value ?? withWords(error));
  const besides: Record<string, unknown> = {};
  for (const name of [...HIDDEN, ...Object.keys(thrown)]) {
    const value = thrown[name as keyof Error];
    const isKept = name === 'name' ? value === (clone as Error).name : Object.hasOwn(clone as Error, name);
    const copy = isKept || value === undefined ? null : cloneOf(value);
    if (copy) besides[name] = copy.value;
  }
  return { thrown: isOurs ? undefined : clone, hasClone: !isOurs, error, besides };
}

/** An error whose cause can't be cloned. */
function withWords({ message, stack }: ErrorData): Error {
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
