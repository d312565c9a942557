import { StreamError } from '../../core/errors.js';
import type { AttachmentReader, AwaitedAttachment } from '../../core/streams/stream.js';
import type { Clock } from '../deadline.js';
import { measureProcessorShare } from './processor-share.js';
import { Watchdog } from './watchdog.js';

interface AttachmentWatchOptions {
  /** A wait that is reported, and a wait that ends the stream. */
  readonly reportSeconds: number;
  readonly restartSeconds: number;
  readonly onError: (error: StreamError) => void;
  readonly clock?: Clock | undefined;
  /** How much of a processor a thread gets now, 0 to 1. Default: it is measured. */
  readonly processorShare?: () => number;
}

/**
 * Watches the reading end of a stream for an attachment that does not come. Attachments are posted before the page
 * that names them, so the wait is short; where it is not, the attachment was lost on its way (a browser drops a
 * message that it can't deserialise), and nothing behind its record would ever be read.
 *
 *   reader   record │ createTexture names attachment 3 ┆ 1 s: `attachment-late` ┆ 5 s: the stream ends, `attachment-lost`
 *
 * Only time in which threads can run counts (`Watchdog`): a message may wait behind a long task, or for a processor.
 *
 * Watches until the stream ends; a wait that goes on already begins now. Costs nothing while no attachment is missing.
 */
export function watchAttachments(reader: AttachmentReader, options: AttachmentWatchOptions): void {
  const { reportSeconds, restartSeconds, onError, clock, processorShare = measureProcessorShare } = options;
  let watchdog: Watchdog | null = null;
  const isAwaiting = (): boolean => {
    if (reader.awaitedAttachment) return true;
    watchdog?.stop();
    watchdog = null;
    return false;
  };
  const begin = (): void => {
    // Another attachment than before: its wait begins now.
    watchdog?.heard();
    watchdog ??= new Watchdog({
      clock,
      processorShare,
      reportMilliseconds: reportSeconds * 1000,
      hangMilliseconds: restartSeconds * 1000,
      isExpected: isAwaiting,
      onSilent: () => tell('attachment-late', reportSeconds, onError),
      onHang: () => tell('attachment-lost', restartSeconds, (error) => reader.close(error)),
    });
  };
  reader.onAttachmentWait = begin;
  const tell = (code: string, seconds: number, told: (error: StreamError) => void): void => {
    const awaited = reader.awaitedAttachment;
    if (awaited) told(lateness(code, awaited, seconds));
  };
  if (reader.awaitedAttachment) begin();
}

function lateness(code: string, { number, record, stream }: AwaitedAttachment, seconds: number): StreamError {
  return new StreamError(
    code,
    `The stream "${stream}" has waited ${seconds} s for attachment ${number}, which a record "${record}" names. It was lost on its way: the browser may have had no memory for it. Nothing behind that record is drawn before the thread is started again.`,
    { details: { stream, record, attachment: String(number) } },
  );
}
