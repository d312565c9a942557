/**
 * The one composition of an executor and the layers in front of it. `createRhi` and the engine's RHI thread call
 * it, so that every layer works in front of every backend (SYSTEMS H8).
 *
 *   stream ─► watchers: trace, capture ─► wrapReader ─► validation ─► executor
 */
import type { FencepostError } from '../../core/errors.js';
import { ForwardingReader } from '../../core/streams/forwarding-reader.js';
import type { StreamReader } from '../../core/streams/stream.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import type { Executor } from '../execute/executor.js';
import type { ValidatingReader, ValidationOptions } from '../validation/validate.js';

/** Tools with which a wrapper of the reader can check and report in the same way as validation. */
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
  /** The reader that the executor reads, for captures. */
  readonly reader: StreamReader;
  /** Draws and dispatches of the current frame that validation left out. The executor never sees them. */
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
    completedLists: () => executor.completedFrames.value,
  };
  let { reader } = layers;
  if (wrapReader) {
    const wrapped = wrapReader(reader, tools);
    // Makes a foreign reader watchable. It also hides the pages behind a Proxy, which sees records only in `next`.
    if (wrapped !== reader) reader = new ForwardingReader(wrapped);
  }
  const validating = validation?.(reader, { ...tools, onSkippedDraw: () => executor.workRefused() });
  reader = validating ?? reader;
  const executor = createExecutor(reader, validating?.errorScopes);
  return { executor, reader, refusedDraws: () => validating?.skippedDraws ?? 0 };
}
