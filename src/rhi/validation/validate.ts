/**
 * Validation as a reader around a reader (SYSTEMS H8): it stands before any executor, checks each record against a
 * model of the state, reports what is wrong, and leaves out what would break. Whoever does not import it carries
 * none of it.
 *
 *   stream ─► next ─► check ──fine──────────────────────────► executor
 *                       ├───wrong────► error; the next record
 *                       └───not ended► error; the missing end, then the record ─► executor
 *
 * What depends on something refused is dropped in silence: the cause was reported.
 */
import type { RhiError } from '../../core/errors.js';
import { checkOption, isObject } from '../../core/option-names.js';
import type { StreamReader } from '../../core/stream.js';
import type { ErrorScopes } from '../webgpu/error-scopes.js';
import { Validator } from './validator.js';

export interface ValidationOptions {
  readonly onError: (error: RhiError) => void;
  /** Answers a `readBuffer` that was left out, with no bytes; without it such a record goes on to the executor. */
  readonly onReadback?: (request: number, bytes: ArrayBuffer) => void;
  /**
   * How many frames the GPU has completed (`() => executor.completedFrames.value`), to judge a promise that nothing
   * pending uses a resource. Without it only the list being recorded counts as pending.
   */
  readonly completedLists?: () => number;
  /** A draw or dispatch was left out. */
  readonly onSkippedDraw?: () => void;
}

/** A reader that hands on only records which are valid. */
export interface ValidatingReader extends StreamReader {
  /** Draws and dispatches left out since `beginFrame`: the executor never saw them, so its figure lacks them. */
  readonly skippedDraws: number;
  /** For the WebGPU executor, so that what WebGPU finds wrong is told with the command and the object. */
  readonly errorScopes: typeof ErrorScopes;
}

/**
 * Wraps a reader, before an executor is given it.
 *
 * @throws OptionError `option-invalid`
 * @example
 * const executor = new WebGpuExecutor({ …, reader: validate(reader, { onError }) });
 */
export function validate(reader: StreamReader, options: ValidationOptions): ValidatingReader {
  const isReader = isObject(reader) && typeof reader.next === 'function';
  checkOption('The reader of validate', reader, isReader, 'the reader of a stream');
  const isOptions = isObject(options) && typeof options.onError === 'function';
  checkOption('The options of validate', options, isOptions, 'an object with onError, a function');
  return new Validator(reader, options);
}
