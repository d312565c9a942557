/**
 * The transport of a task's error to another thread. A structured clone turns subclasses into plain errors and drops
 * their own properties. Some values can't be cloned, and some can't even be read.
 *
 *   thrown ─ failureOf ─► clone, message, missing properties ═ post ═► thrownBy ─► as it was thrown
 */
import { type ErrorData, errorFromData, errorToData } from '../core/errors.js';

export interface Failure {
  /** A clone of the thrown value. Undefined if there is none (`hasClone` is false), or if undefined was thrown. */
  readonly thrown: unknown;
  readonly hasClone: boolean;
  readonly error: ErrorData;
  /** Properties of an error that its clone lacks: its name, and own properties. */
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
 * Restores the thrown value on the waiting thread: an error keeps its stack, and an error of this library also its
 * class. Other values are equal to the thrown value.
 */
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
