import { StreamError } from '../../core/errors.js';
import type { AttachmentReader, AwaitedAttachment } from '../../core/streams/stream.js';
import type { Clock } from '../deadline.js';
import { measureProcessorShare } from './processor-share.js';
import { Watchdog } from './watchdog.js';

interface AttachmentWatchOptions {
  /** Length of a wait after which `attachment-late` is reported. */
  readonly reportSeconds: number;
  /** Length of a wait after which the stream ends. */
  readonly restartSeconds: number;
  readonly onError: (error: StreamError) => void;
  readonly clock?: Clock | undefined;
  /** Returns the share of a processor that a thread gets now, 0 to 1. Default: measures it. */
  readonly processorShare?: () => number;
}

/**
 * Watches the reading end of a stream for missing attachments. Attachments are posted before the page that names
 * them, so the wait is short. A long wait means that the attachment was lost: a browser drops a message that it can't
 * deserialise. Then the reader would wait for ever, and read no later record.
 *
 *   reader   record │ createTexture names attachment 3 ┆ 1 s: `attachment-late` ┆ 5 s: `attachment-lost`, stream ends
 *
 * Only time in which threads can run counts (`Watchdog`): a message may wait behind a long task, or for a processor.
 *
 * The watch ends with the stream. A wait that is already pending when the watch begins counts from then on. The watch
 * costs nothing while no attachment is missing.
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
    // The reader waits for another attachment than before: restart the count.
    watchdog?.heard();
    watchdog ??= new Watchdog({
      clock,
      processorShare,
      reportMilliseconds: reportSeconds * 1000,
      hangMilliseconds: restartSeconds * 1000,
      isExpected: isAwaiting,
      onSilent: () => report('attachment-late', reportSeconds, onError),
      onHang: () => report('attachment-lost', restartSeconds, (error) => reader.close(error)),
    });
  };
  reader.onAttachmentWait = begin;
  const report = (code: LatenessCode, seconds: number, onLate: (error: StreamError) => void): void => {
    const awaited = reader.awaitedAttachment;
    if (awaited) onLate(lateness(code, awaited, seconds));
  };
  if (reader.awaitedAttachment) begin();
}

type LatenessCode = 'attachment-late' | 'attachment-lost';

/** Consequences of a wait. A late attachment may still arrive. */
const CONSEQUENCES: Readonly<Record<LatenessCode, string>> = {
  'attachment-late': 'It may have been lost, or its thread is busy. Later records wait for it.',
  'attachment-lost':
    'The attachment was lost: the browser may have lacked memory for it. No later record is executed until the thread is restarted.',
};

function lateness(
  code: LatenessCode,
  { number, record, stream }: AwaitedAttachment,
  seconds: number,
): StreamError {
  return new StreamError(
    code,
    `The stream "${stream}" has waited ${seconds} s for attachment ${number}, which a record "${record}" names. ${CONSEQUENCES[code]}`,
    { details: { stream, record, attachment: String(number) } },
  );
}
