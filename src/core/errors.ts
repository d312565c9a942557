/**
 * Every error the engine raises is a `FencepostError`: a class that names the area, a stable kebab-case
 * `code`, and a message of whole sentences that says what happened, to which object, and what to do.
 * Errors cross threads as plain data (`errorToData`) and are rebuilt with their class (`errorFromData`).
 */
export class FencepostError extends Error {
  /**
   * Files of dist/ have copies of these classes. An error of one file is an instance of the class of that name in another, so
   * `instanceof` holds whichever file threw.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: subclasses inherit this method, so `this` is the class that is asked about.
    return isInstanceOf(this, value);
  }

  /** Its class, as this file names it: see below. */
  declare readonly name: string;
  readonly code: string;
  /** What the message says of it, for programs: plain data, which goes to other threads as well. */
  readonly details: ErrorDetails | undefined;

  /**
   * @param code stable kebab-case identifier, listed in the documentation
   * @param message sentences: what, where, and the remedy
   */
  constructor(code: string, message: string, options?: FencepostErrorOptions) {
    super(message, options);
    this.code = code;
    // Until somebody reads it, V8 keeps the frames as they were, with all that their functions see. Errors live as
    // long as what they ended: a closed stream's would keep the threads that took over alive, and so on.
    void this.stack;
    this.details = options?.details;
  }
}

/** By name; which names there are is the code's matter. */
export type ErrorDetails = Readonly<Record<string, string>>;

export interface FencepostErrorOptions extends ErrorOptions {
  readonly details?: ErrorDetails | undefined;
}

/** An option or argument that the caller passed is unknown, of the wrong kind, or out of range. */
export class OptionError extends FencepostError {}

/** The page, the browser or the machine lacks something the engine needs (WebGPU, an adapter, a canvas). */
export class PlatformError extends FencepostError {}

/** A call arrived in a state that does not allow it (after `dispose()`, before the first frame). */
export class StateError extends FencepostError {}

/** A file could not be fetched, parsed or decoded. */
export class AssetError extends FencepostError {
  /** What a server answered, such as 404, where that is what went wrong. */
  get status(): number | undefined {
    const status = this.details?.status;
    return status === undefined ? undefined : Number(status);
  }
}

/** An object of the scene was used wrongly: a cyclic attachment, a second registration, a non-finite value. */
export class SceneError extends FencepostError {}

/** The GPU, its driver, a shader or an RHI resource failed or was used wrongly. */
export class RhiError extends FencepostError {}

/** A pass of the frame graph declares what can't be, or uses what it has not declared. */
export class GraphError extends FencepostError {}

/** A task can't be run, or was not run to its end. */
export class TaskError extends FencepostError {}

/** A page stream was overrun, or its bytes are not what its writer produces. */
export class StreamError extends FencepostError {}

/** A thread died, hung, or did not answer before a deadline. */
export class ThreadError extends FencepostError {}

export function disposedError(): StateError {
  return new StateError('engine-disposed', 'The engine was disposed. Create another one.');
}

/**
 * Whether it is an error of ours, also when it was thrown by a file that was loaded apart, with classes of its own.
 */
export function isTyped(error: unknown): error is FencepostError {
  return (
    error instanceof Error &&
    // A code alone says nothing: errors of Node and of libraries have one, too.
    Object.hasOwn(errorClasses, error.name) &&
    typeof (error as Partial<FencepostError>).code === 'string'
  );
}

/** Whether the stream itself is over, likewise. */
export function isStreamError(error: unknown): error is StreamError {
  return isTyped(error) && error.name === 'StreamError';
}

/** The reason a stream was closed with: ours as it is, anything else as `stream-closed`. */
export function asStreamError(reason: Error): FencepostError {
  return isTyped(reason) ? reason : new StreamError('stream-closed', reason.message, { cause: reason });
}

/** The message of anything thrown; a GPUError, which is no Error, has one too. */
export function messageOf(thrown: unknown): string {
  return (thrown as Partial<Error> | null | undefined)?.message ?? String(thrown);
}

/** The plain form of an error, safe for `postMessage`. */
export interface ErrorData {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly stack: string;
  readonly details?: ErrorDetails | undefined;
}

const errorClasses = {
  FencepostError,
  OptionError,
  PlatformError,
  StateError,
  AssetError,
  SceneError,
  RhiError,
  GraphError,
  StreamError,
  TaskError,
  ThreadError,
};

// Builds shorten the names of classes. On the prototype a name is there when V8 makes an error's stack, which begins with
// it; a field of a subclass would come too late.
for (const [value, ErrorClass] of Object.entries(errorClasses)) {
  for (const named of [ErrorClass, ErrorClass.prototype]) Object.defineProperty(named, 'name', { value });
}

/** By prototype, as `instanceof` is without the method above; or by name, for errors of another copy of these classes. */
function isInstanceOf(asked: { readonly prototype: object }, value: unknown): boolean {
  if (Object.prototype.isPrototypeOf.call(asked.prototype, value as object)) return true;
  if (!isTyped(value)) return false;
  return asked === FencepostError || asked === errorClasses[value.name as keyof typeof errorClasses];
}

/** Turns anything thrown into plain data; errors that are not ours get the code `internal`. */
export function errorToData(error: unknown): ErrorData {
  const {
    name,
    message,
    stack = '',
  } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  const { code, details } = isTyped(error) ? error : { code: 'internal', details: undefined };
  return { name, code, message, stack, details };
}

/** Rebuilds an error sent by another thread, with its class, code, message and original stack. */
export function errorFromData(data: ErrorData): FencepostError {
  const ErrorClass = errorClasses[data.name as keyof typeof errorClasses] ?? FencepostError;
  const error = new ErrorClass(data.code, data.message, data);
  if (data.stack) error.stack = data.stack;
  return error;
}

/** Anything thrown, as an error of ours: what has no code gets `internal`. */
export function typedError(thrown: unknown): FencepostError {
  return thrown instanceof FencepostError ? thrown : errorFromData(errorToData(thrown));
}
