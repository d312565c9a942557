/**
 * Creates page streams: one writer and one reader. One of three carriers moves the pages between them.
 *
 *   PageWriter ──► local      a queue on one thread           ──► PageReader
 *                  shared     slabs, rings and wake-ups
 *                  transfer   transferred ArrayBuffers
 *
 * A stream owns its port: no other code may use it.
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
  /** Names of the records, for messages and validation. A `RecordTable` is such a table. */
  readonly table: StreamTable;
  readonly limits?: Partial<StreamLimits>;
}

export interface PortStreamOptions extends StreamOptions {
  /**
   * Whether pages are in shared memory, which needs cross-origin isolation. Otherwise they are transferred.
   * Both ends need the same value.
   */
  readonly shared: boolean;
}

/** Creates both ends of a stream on one thread. Attachments are passed as they are, not transferred. */
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

/**
 * Creates the reading end of a stream. Either end may be created first: earlier messages of the writer wait in the
 * port.
 */
export function connectStreamReader(port: PortLike, options: Omit<PortStreamOptions, 'limits'>): PageReader {
  const carrier = options.shared ? new SharedReaderCarrier(port) : new TransferReaderCarrier(port);
  return new PageReader(carrier, options.table);
}

/**
 * Creates the writing end of a stream whose reading end has the other port of the MessageChannel.
 * @param isGreeted whether shared memory is posted only after the reader's message `hello`. Otherwise it is posted at
 * once, and again if the reader could not read it
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
