/**
 * The base class of all errors of the engine. The subclass names the area. `code` is stable and in kebab case. The
 * message states in whole sentences what happened, to which object, and what to do. Errors cross threads as plain data
 * (`errorToData`) and are rebuilt with their class (`errorFromData`).
 */
export class FencepostError extends Error {
  /**
   * Accepts errors of other copies of these classes: each file of dist/ has a copy. An error is an instance of the
   * class with the same name in any file.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: subclasses inherit this method, so `this` is the tested class.
    return isInstanceOf(this, value);
  }

  /** Name of the class. Builds shorten class names, so it is defined explicitly below. */
  declare readonly name: string;
  readonly code: string;
  /** The facts of the message for programs, as plain data. They are sent to other threads with the error. */
  readonly details: ErrorDetails | undefined;

  /**
   * @param code stable kebab-case identifier, listed in the documentation
   * @param message sentences: what happened, to which object, and the remedy
   */
  constructor(code: string, message: string, options?: FencepostErrorOptions) {
    super(message, options);
    this.code = code;
    // Read the stack now. Until the first read, V8 keeps every function of the stack alive, and the objects that it
    // references. A closed stream keeps its error, so these objects would leak.
    void this.stack;
    this.details = options?.details;
  }
}

/** Details of an error by name. Each error code defines its names. */
export type ErrorDetails = Readonly<Record<string, string>>;

export interface FencepostErrorOptions extends ErrorOptions {
  readonly details?: ErrorDetails | undefined;
}

/** An option or argument is unknown, of the wrong kind, or out of range. */
export class OptionError extends FencepostError {}

/** The page, the browser or the machine lacks something the engine needs (WebGPU, an adapter, a canvas). */
export class PlatformError extends FencepostError {}

/** A call arrived in a state that does not allow it (after `dispose()`, before the first frame). */
export class StateError extends FencepostError {}

/** A file could not be fetched, parsed or decoded. */
export class AssetError extends FencepostError {
  /** HTTP status code of the server's response, such as 404, if the response caused the error. */
  get status(): number | undefined {
    const status = this.details?.status;
    return status === undefined ? undefined : Number(status);
  }
}

/** An object of the scene was used wrongly: a cyclic attachment, a second registration, a non-finite value. */
export class SceneError extends FencepostError {}

/** The GPU, its driver, a shader or an RHI resource failed or was used wrongly. */
export class RhiError extends FencepostError {}

/** A pass of the frame graph has an invalid declaration, or uses a resource that it has not declared. */
export class GraphError extends FencepostError {}

/** A task can't run, or did not run to its end. */
export class TaskError extends FencepostError {}

/** A page stream was overrun or closed, its bytes are corrupt, or a record is too large for it. */
export class StreamError extends FencepostError {}

/** A thread died, hung, or did not answer before a deadline. */
export class ThreadError extends FencepostError {}

export function disposedError(): StateError {
  return new StateError('engine-disposed', 'The engine was disposed. Create another one.');
}

/**
 * Returns whether the value is an error of the engine. It accepts errors of other files, which have copies of the
 * classes.
 */
export function isTyped(error: unknown): error is FencepostError {
  return (
    error instanceof Error &&
    // Check the name as well as the code: errors of Node and of libraries also have codes.
    Object.hasOwn(errorClasses, error.name) &&
    typeof (error as Partial<FencepostError>).code === 'string'
  );
}

/** Returns whether the error means that the stream itself has ended. Accepts errors of other files, like `isTyped`. */
export function isStreamError(error: unknown): error is StreamError {
  return isTyped(error) && error.name === 'StreamError';
}

/**
 * Returns the reason of a stream's end as an error of the engine. Other errors are wrapped in a StreamError with the
 * code `stream-closed`.
 */
export function asStreamError(reason: Error): FencepostError {
  return isTyped(reason) ? reason : new StreamError('stream-closed', reason.message, { cause: reason });
}

/** Returns the message of any thrown value. A GPUError has one, although it is not an Error. */
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

// Builds shorten the names of classes, so define the names. V8 puts the name into the stack when it creates the error.
// So the name must be on the prototype; a field of a subclass would be set too late.
for (const [value, ErrorClass] of Object.entries(errorClasses)) {
  for (const named of [ErrorClass, ErrorClass.prototype]) Object.defineProperty(named, 'name', { value });
}

/** Compares prototypes, as a plain `instanceof` does, and then names, for errors of another copy of these classes. */
function isInstanceOf(asked: { readonly prototype: object }, value: unknown): boolean {
  if (Object.prototype.isPrototypeOf.call(asked.prototype, value as object)) return true;
  if (!isTyped(value)) return false;
  return asked === FencepostError || asked === errorClasses[value.name as keyof typeof errorClasses];
}

/** Turns any thrown value into plain data. Values that are not errors of the engine get the code `internal`. */
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

/** Returns any thrown value as an error of the engine. Other values get the code `internal`. */
export function typedError(thrown: unknown): FencepostError {
  return thrown instanceof FencepostError ? thrown : errorFromData(errorToData(thrown));
}
