/** Whose frames a capture follows: an RHI, or an executor by its parts or its reader. */
import { OptionError } from '../../core/errors.js';
import type { StreamReader } from '../../core/stream.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import type { Executor } from '../host/executor.js';
import type { CapturedParts, CaptureSource } from './stream-recorder.js';

/** What a capture needs of an RHI; what `createRhi` and `serveRhi` return has it. */
export interface CapturableRhi {
  readonly capabilities: RhiCapabilities;
  readonly executor: Executor;
  readonly reader: StreamReader;
}

/** @throws OptionError `capture-source` */
export function captureSourceOf(given: CaptureSource | CapturableRhi): CaptureSource {
  const { capabilities, executor, reader, parts } = (given ?? {}) as Partial<CapturableRhi & CaptureSource>;
  const found = (executor as { readonly parts?: CapturedParts } | undefined)?.parts ?? parts;
  if (capabilities && found) return { capabilities, parts: found };
  if (capabilities && reader) return { capabilities, reader };
  throw new OptionError(
    'capture-source',
    'A capture was given no RHI. Pass what createRhi returned, or capabilities with parts or reader of an executor.',
  );
}
