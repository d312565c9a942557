/**
 * Makes page streams. One writer, one reader, three carriers behind them:
 *
 *   PageWriter ──► local      a queue on one thread           ──► PageReader
 *                  shared     slabs, rings and wake-ups
 *                  transfer   ArrayBuffers there and back
 *
 * A stream owns its port: nothing else may use it.
 */
import type { PortLike } from './carrier.js';
import { GreetedPort } from './greeted-port.js';
import { LocalCarrier, type Schedule } from './local-carrier.js';
import { PageReader } from './page-reader.js';
import { DEFAULT_STREAM_LIMITS, PageWriter } from './page-writer.js';
import { SharedReaderCarrier, SharedWriterCarrier } from './shared-carrier.js';
import type { AttachmentReader, EndingReader, StreamLimits, StreamWriter } from './stream.js';
import type { StreamTable } from './stream-overrun.js';
import { TransferWriterCarrier } from './transfer-carrier.js';
import { TransferReaderCarrier } from './transfer-reader.js';

export interface StreamOptions {
  /** The records' names, for messages and validation; a whole `RecordTable` will do. */
  readonly table: StreamTable;
  readonly limits?: Partial<StreamLimits>;
}

export interface PortStreamOptions extends StreamOptions {
  /** True: SharedArrayBuffer (needs cross-origin isolation); false: transferred ArrayBuffers. The same at both ends. */
  readonly shared: boolean;
}

/** Both ends on one thread. Attachments are handed over as they are, not transferred. */
export function createLocalStream(options: StreamOptions & { readonly schedule?: Schedule }): {
  writer: StreamWriter;
  reader: EndingReader & AttachmentReader;
} {
  const carrier = new LocalCarrier(options.schedule);
  return {
    writer: new PageWriter(carrier.writer, options.table, options.limits),
    reader: new PageReader(carrier.reader, options.table),
  };
}

/** The reading end. Create it in any order; what the writer sends meanwhile waits in the port. */
export function connectStreamReader(port: PortLike, options: Omit<PortStreamOptions, 'limits'>): PageReader {
  const carrier = options.shared ? new SharedReaderCarrier(port) : new TransferReaderCarrier(port);
  return new PageReader(carrier, options.table);
}

/**
 * The writing end of a stream whose reading end has the other port of the MessageChannel.
 * @param isGreeted memory is posted once the reader has said hello, which takes a turn of this thread's event loop. Else it is
 *   posted at once, and again where the reader could not read it
 */
export function connectStreamWriter(
  port: PortLike,
  options: PortStreamOptions,
  isGreeted = false,
): PageWriter {
  const fatalPages = options.limits?.fatalPages ?? DEFAULT_STREAM_LIMITS.fatalPages;
  const carrier = options.shared
    ? new SharedWriterCarrier(isGreeted ? new GreetedPort(port) : port, fatalPages)
    : new TransferWriterCarrier(port);
  return new PageWriter(carrier, options.table, options.limits);
}
