import type { PortLike } from './carrier.js';
import type { PortStreamOptions } from './page-stream.js';
import { DEFAULT_STREAM_LIMITS, PageWriter } from './page-writer.js';
import { SharedWriterCarrier } from './shared-carrier.js';
import type { StreamWriter } from './stream.js';
import { TransferWriterCarrier } from './transfer-carrier.js';

/**
 * The writing end of a stream whose reading end has the other port of the MessageChannel. A module of its own, because
 * a page that writes to a worker loads no reader.
 */
export function connectStreamWriter(port: PortLike, options: PortStreamOptions): StreamWriter {
  const fatalPages = options.limits?.fatalPages ?? DEFAULT_STREAM_LIMITS.fatalPages;
  const carrier = options.shared
    ? new SharedWriterCarrier(port, fatalPages)
    : new TransferWriterCarrier(port);
  return new PageWriter(carrier, options.table, options.limits);
}
