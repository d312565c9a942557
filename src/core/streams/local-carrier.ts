import type { FencepostError } from '../errors.js';
import { Queue } from '../queue.js';
import { ignore, type ReaderCarrier, type WriterCarrier } from './carrier.js';
import { Page } from './page.js';
import { PagePool } from './page-pool.js';
import type { Attachment } from './stream.js';

/** Runs a callback later, after the current call has returned. Default: `queueMicrotask`. */
export type Schedule = (callback: () => void) => void;

/**
 * Carries pages between two ends on one thread. Publishing puts the pages into a queue and schedules a wake-up as a
 * microtask. So the reader runs after the writer's call, as it would on another thread.
 */
export class LocalCarrier {
  readonly writer: WriterCarrier;
  readonly reader: ReaderCarrier;

  constructor(schedule: Schedule = queueMicrotask) {
    const pool = new PagePool();
    const batch = new Queue<Page>();
    const published = new Queue<Page>();
    const attachments = new Map<number, Attachment>();
    let returnedCost = 0;
    let publishCount = 0;
    let isReaderWoken = false;
    let isEventWanted = false;
    let isClosed = false;

    const wakeReader = () => {
      isReaderWoken = false;
      reader.onEvent();
    };
    const wakeWriter = () => writer.onEvent();

    const writer: WriterCarrier = {
      get byteLength() {
        return pool.byteLength;
      },
      acquire: (byteLength) => {
        const page = pool.take(byteLength);
        if (page !== undefined) return page;
        pool.byteLength += byteLength;
        return new Page(-1, new ArrayBuffer(byteLength), 0, byteLength);
      },
      send: (page) => batch.push(page),
      flush: () => {
        for (let page = batch.shift(); page; page = batch.shift()) published.push(page);
        publishCount++;
        while (pool.trim(publishCount));
        if (isReaderWoken) return;
        isReaderWoken = true;
        schedule(wakeReader);
      },
      attach: (number, attachment) => {
        attachments.set(number, attachment);
        reader.attachmentsArrived = number + 1;
      },
      collect: () => {
        const cost = returnedCost;
        returnedCost = 0;
        return cost;
      },
      requestEvent: () => {
        isEventWanted = true;
      },
      close: (error) => close(reader, error),
      onEvent: ignore,
      onLoss: ignore,
      onClose: ignore,
    };
    const reader = {
      receive: () => published.shift(),
      giveBack: (page: Page) => {
        pool.put(page, publishCount);
        returnedCost += page.cost;
        if (!isEventWanted) return;
        isEventWanted = false;
        schedule(wakeWriter);
      },
      flush: ignore,
      attachmentsArrived: 0,
      takeAttachment: (number: number) => {
        const attachment = attachments.get(number);
        attachments.delete(number);
        return attachment;
      },
      close: (error: FencepostError | null) => close(writer, error),
      onEvent: ignore as () => void,
      onLoss: ignore as () => void,
      onClose: ignore as (error: FencepostError | null) => void,
    };
    const close = (
      other: { onClose: (error: FencepostError | null) => void },
      error: FencepostError | null,
    ) => {
      if (isClosed) return;
      isClosed = true;
      schedule(() => other.onClose(error));
    };
    this.writer = writer;
    this.reader = reader;
  }
}
