/**
 * Composes an executor with the layers in front of it. `createRhi` and the engine's RHI thread both use this file, so
 * that every layer works in front of every backend (SYSTEMS H8).
 *
 *   stream ─────────► wrapReader ─► validation ─► executor
 *     └ traces watch                   └ captures watch the last layer, so they omit refused records
 */
import type { FencepostError } from '../../core/errors.js';
import { ForwardingReader } from '../../core/streams/forwarding-reader.js';
import type { StreamReader } from '../../core/streams/stream.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import type { Executor } from '../execute/executor.js';
import type { ValidatingReader, ValidationOptions } from '../validation/validate.js';

/** Tools for wrappers of the reader, so that they can check and report in the same way as validation. */
export interface WrapperTools extends Required<Omit<ValidationOptions, 'onSkippedDraw'>> {
  /** Abilities of the device. */
  readonly capabilities: RhiCapabilities;
}

/** The function `validate`, or one like it. */
export type Validate = (reader: StreamReader, options: ValidationOptions) => ValidatedReader;

type ValidatedReader = StreamReader & Partial<Pick<ValidatingReader, 'errorScopes' | 'skippedDraws'>>;

interface ExecutionLayers {
  /** The stream. */
  readonly reader: StreamReader;
  readonly capabilities: RhiCapabilities;
  readonly onError: (error: unknown) => void;
  readonly onReadback: (request: number, bytes: ArrayBuffer, cause?: FencepostError) => void;
  /** Wraps the reader between the stream and validation. Default: none. */
  readonly wrapReader?: ((reader: StreamReader, tools: WrapperTools) => StreamReader) | undefined;
  /** Default: none. */
  readonly validation?: Validate | undefined;
}

interface ComposedExecution<E extends Executor> {
  readonly executor: E;
  /** The reader that the executor reads: the last layer. Captures watch it. */
  readonly reader: StreamReader;
  /**
   * Returns the number of draws and dispatches of the current frame that validation has skipped. The executor never
   * receives them.
   */
  readonly refusedDraws: () => number;
}

/**
 * Puts the layers in front of an executor.
 * @param createExecutor called once, with the reader behind all layers
 */
export function composeExecution<E extends Executor>(
  layers: ExecutionLayers,
  createExecutor: (reader: StreamReader, errorScopes: ValidatedReader['errorScopes']) => E,
): ComposedExecution<E> {
  const { capabilities, wrapReader, validation, onError, onReadback } = layers;
  const tools: WrapperTools = {
    capabilities,
    onError,
    onReadback,
    completedFrames: () => executor.completedFrames.value,
  };
  let { reader } = layers;
  if (wrapReader) {
    const wrapped = wrapReader(reader, tools);
    // `ForwardingReader` makes a foreign reader watchable. It also hides the pages of a reader that is a Proxy, because
    // the Proxy sees records only in `next`.
    if (wrapped !== reader) reader = new ForwardingReader(wrapped);
  }
  const validating = validation?.(reader, { ...tools, onSkippedDraw: () => executor.workRefused() });
  reader = validating ?? reader;
  const executor = createExecutor(reader, validating?.errorScopes);
  return { executor, reader, refusedDraws: () => validating?.skippedDraws ?? 0 };
}
