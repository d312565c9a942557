import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThreadError } from '../errors.js';
import { ManualChannel } from '../testing/manual-channel.js';
import {
  CARRIERS,
  createHarness,
  describeRecord,
  readAll,
  testTable,
  writeAttached,
  writeNumbers,
} from '../testing/stream-harness.js';
import { OVERSIZE_IDLE_PUBLISHES } from './page-pool.js';
import { connectStreamReader, connectStreamWriter, createLocalStream } from './page-stream.js';
import { type AttachmentReader, PAGE_BYTES } from './stream.js';
import type { StreamOverrunError } from './stream-overrun.js';

const PAGE_WORDS = PAGE_BYTES / 4;
/** Number of values in a record that fills a page to its last word. A header and a count precede them. */
const FULL = PAGE_WORDS - 2;

/** Returns an object whose state becomes `resolved`, or the error's code, once the promise has settled. */
function outcomeOf(promise: Promise<void>): { state: string } {
  const outcome = { state: 'waiting' };
  promise.then(
    () => {
      outcome.state = 'resolved';
    },
    (error) => {
      outcome.state = error.code;
    },
  );
  return outcome;
}

/** Lets promise reactions run. */
const reactions = async () => {
  for (let index = 0; index < 4; index++) await Promise.resolve();
};

describe.each(CARRIERS)('page stream, %s carrier', (carrier) => {
  it('delivers nothing before publish, and everything in order after it', () => {
    const { writer, reader, settle } = createHarness(carrier);
    writeNumbers(writer, 3, 7);
    writeNumbers(writer, 0, 0);
    settle();
    expect(reader.next()).toBe(false);
    writer.publish();
    settle();
    expect(readAll(reader)).toEqual(['n3=7', 'n0=']);
    expect(reader.next()).toBe(false);
    expect(writer.bytesWritten).toBe((5 + 2) * 4);
    expect(reader.bytesRead).toBe(writer.bytesWritten);
  });

  it('starts a new page for a record that is one word too long for the current page', () => {
    const { writer, reader, settle } = createHarness(carrier);
    writeNumbers(writer, FULL, 1);
    expect(writer.pagesOutstanding).toBe(1);
    writeNumbers(writer, 0, 0);
    expect(writer.pagesOutstanding).toBe(2);
    writer.publish();
    settle();
    expect(readAll(reader)).toEqual([`n${FULL}=1`, 'n0=']);
    expect(reader.bytesRead).toBe(writer.bytesWritten);
  });

  it('writes a record larger than a page into an oversize page, re-uses that page, and drops it when idle', () => {
    const { writer, reader, settle } = createHarness(carrier);
    for (const value of [1, 2, 3]) {
      writeNumbers(writer, 1, 0);
      writeNumbers(writer, FULL + 1, value);
      expect(writer.pagesOutstanding).toBe(3); // an ordinary page, and an oversize page that costs two
      writer.publish();
      settle();
      expect(readAll(reader)).toEqual(['n1=0', `n${FULL + 1}=${value}`]);
      settle();
      expect(writer.pagesOutstanding).toBe(0);
    }
    for (let index = 0; index < OVERSIZE_IDLE_PUBLISHES + 1; index++) {
      writeNumbers(writer, 1, index);
      writer.publish();
      settle();
      expect(readAll(reader)).toEqual([`n1=${index}`]);
      settle();
    }
    writeNumbers(writer, 5 * PAGE_WORDS, 9);
    writeNumbers(writer, 1, 9);
    writer.publish();
    settle();
    expect(readAll(reader)).toEqual([`n${5 * PAGE_WORDS}=9`, 'n1=9']);
  });

  it('throws for a record longer than its header can express', () => {
    const { writer } = createHarness(carrier);
    expect(() => writer.reserve(1, 0x7fffff)).toThrow(expect.objectContaining({ code: 'record-too-large' }));
    for (const words of [Number.NaN, 1.5, -1, Number.POSITIVE_INFINITY, undefined as never]) {
      expect(() => writer.reserve(1, words), String(words)).toThrow(
        expect.objectContaining({ code: 'record-too-large' }),
      );
    }
    writeNumbers(writer, 1, 1); // the stream still works
  });

  it('R2: delivers every record and attachment unchanged, in order and once, after any sequence of calls', () => {
    const action = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('numbers' as const), count: fc.nat(3000) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('numbers' as const), count: fc.nat(3 * FULL) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('attached' as const), count: fc.nat(64) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('publish' as const), count: fc.constant(0) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('deliver' as const), count: fc.nat(3) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const), count: fc.nat(5) }) },
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const { writer, reader, settle, deliver } = createHarness(carrier, { softPages: 2 });
        const sent: string[] = [];
        const received: string[] = [];
        actions.forEach(({ kind, count }, mark) => {
          if (kind === 'numbers') {
            writeNumbers(writer, count, mark);
            sent.push(`n${count}=${count > 0 ? mark : ''}`);
          } else if (kind === 'attached') {
            writeAttached(writer, count, mark);
            sent.push(`a${count}#${mark}`);
          } else if (kind === 'publish') {
            writer.publish();
          } else if (kind === 'deliver') {
            for (let index = 0; index < count; index++) deliver();
          } else {
            received.push(...readAll(reader, count));
          }
        });
        writer.publish();
        settle();
        received.push(...readAll(reader));
        expect(received).toEqual(sent);
        expect(reader.next()).toBe(false);
        settle();
        expect(writer.pagesOutstanding).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  it('soft limit: publishes early when the filled pages reach the limit', () => {
    const { writer, reader, settle } = createHarness(carrier, { softPages: 2 });
    writeNumbers(writer, FULL, 1);
    writeNumbers(writer, FULL, 2); // page 1 sealed
    settle();
    let available = 0;
    reader.onAvailable = () => available++;
    settle();
    expect(available).toBe(0);
    writeNumbers(writer, 1, 3); // page 2 sealed: published
    settle();
    expect(available).toBeGreaterThan(0);
    expect(readAll(reader)).toEqual([`n${FULL}=1`, `n${FULL}=2`]);
    writer.publish();
    settle();
    expect(readAll(reader)).toEqual(['n1=3']);
  });

  it('hard limit: the writer waits at exactly the limit, and continues when the reader gives a page back', async () => {
    const { writer, reader, settle } = createHarness(carrier, { hardPages: 3 });
    writeNumbers(writer, FULL, 1);
    writeNumbers(writer, FULL, 2);
    expect(writer.isWritable).toBe(true);
    await writer.whenWritable();
    writeNumbers(writer, FULL, 3);
    expect(writer.isWritable).toBe(false);
    const outcome = outcomeOf(writer.whenWritable()); // publishes the filled pages, for the reader
    settle();
    await reactions();
    expect(outcome.state).toBe('waiting');
    expect(readAll(reader, 1)).toEqual([`n${FULL}=1`]); // the reader still holds page 1
    settle();
    await reactions();
    expect(outcome.state).toBe('waiting');
    expect(readAll(reader, 1)).toEqual([`n${FULL}=2`]);
    expect(reader.next()).toBe(false); // gives back the pages that were read
    settle();
    await reactions();
    expect(outcome.state).toBe('resolved');
    expect(writer.pagesOutstanding).toBe(1); // the page being written
    expect(writer.isWritable).toBe(true);
    writeNumbers(writer, 1, 4);
    writer.publish();
    settle();
    expect(readAll(reader)).toEqual([`n${FULL}=3`, 'n1=4']);
  });

  it('hard limit: no wake-up is lost in many waits', async () => {
    const { writer, reader, settle } = createHarness(carrier, { hardPages: 1 });
    for (let value = 0; value < 20; value++) {
      writeNumbers(writer, 2, value);
      const outcome = outcomeOf(writer.whenWritable());
      settle();
      await reactions();
      expect(outcome.state).toBe('waiting');
      expect(readAll(reader)).toEqual([`n2=${value}`]);
      settle();
      await reactions();
      expect(outcome.state).toBe('resolved');
    }
  });

  it('hard limit: publishes the page being written when no other page is in flight', async () => {
    const { writer, reader, settle } = createHarness(carrier, { hardPages: 4 });
    writeNumbers(writer, FULL, 1);
    writer.publish();
    writeNumbers(writer, 3 * PAGE_WORDS, 2); // an oversize page that costs four, as much as the limit
    const outcome = outcomeOf(writer.whenWritable());
    settle();
    expect(readAll(reader)).toEqual([`n${FULL}=1`]);
    settle();
    expect(readAll(reader)).toEqual([`n${3 * PAGE_WORDS}=2`]);
    settle();
    await reactions();
    expect(outcome.state).toBe('resolved');
  });

  it('fatal limit: one page too many makes all later calls throw an error with usage and histogram', async () => {
    const limits = { softPages: 1, hardPages: 2, fatalPages: 4 };
    const { writer, reader, settle } = createHarness(carrier, limits);
    for (let value = 1; value <= 4; value++) writeNumbers(writer, FULL, value);
    writer.publish();
    expect(writer.pagesOutstanding).toBe(4);
    const outcome = outcomeOf(writer.whenWritable());
    let thrown: StreamOverrunError | undefined;
    try {
      writer.reserve(testTable.opcodes.unused, 0);
    } catch (error) {
      thrown = error as StreamOverrunError;
    }
    expect(thrown).toMatchObject({
      name: 'StreamError',
      code: 'stream-overrun',
      usage: { pagesOutstanding: 4, bytesWritten: 4 * PAGE_BYTES, limits },
      histogram: { numbers: 3, unused: 1 },
    });
    expect(thrown?.message).toContain('numbers 3, unused 1');
    expect(() => writer.reserve(1, 1)).toThrow(thrown);
    expect(() => writer.publish()).toThrow(thrown);
    await expect(writer.whenWritable()).rejects.toBe(thrown);
    settle();
    await reactions();
    expect(outcome.state).toBe('stream-overrun');
    // The reader gets all published records, then the error.
    expect(readAll(reader, 4)).toHaveLength(4);
    expect(() => reader.next()).toThrow(expect.objectContaining({ code: 'stream-overrun' }));
    expect(() => reader.next()).toThrow(expect.objectContaining({ code: 'stream-overrun' }));
  });

  it('fatal limit: pages that were given back do not count', () => {
    const { writer, reader, settle } = createHarness(carrier, { hardPages: 2, fatalPages: 2 });
    for (let value = 0; value < 50; value++) {
      writeNumbers(writer, FULL, value);
      writeNumbers(writer, FULL, value);
      writer.publish();
      settle();
      expect(readAll(reader)).toHaveLength(2);
      settle();
    }
  });

  it('calls onAvailable when records arrive, also for records that arrived before the listener was set', async () => {
    const { writer, reader, settle } = createHarness(carrier);
    writeNumbers(writer, 1, 1);
    writer.publish();
    settle();
    const received: string[] = [];
    reader.onAvailable = () => received.push(...readAll(reader));
    expect(received).toEqual([]); // not inside the assignment
    await reactions();
    expect(received).toEqual(['n1=1']);
    writeNumbers(writer, 1, 2);
    writer.publish();
    expect(received).toHaveLength(1); // not inside publish
    settle();
    expect(received).toEqual(['n1=1', 'n1=2']);
  });

  it('never calls onAvailable re-entrantly, and calls it again for records that arrived meanwhile', () => {
    const { writer, reader, settle } = createHarness(carrier);
    let depth = 0;
    let deepest = 0;
    const received: string[] = [];
    reader.onAvailable = () => {
      depth++;
      deepest = Math.max(deepest, depth);
      received.push(...readAll(reader));
      if (received.length < 5) {
        writeNumbers(writer, 1, received.length);
        writer.publish();
        settle(); // would call onAvailable inside itself
      }
      depth--;
    };
    writeNumbers(writer, 1, 0);
    writer.publish();
    settle();
    expect(received).toEqual(['n1=0', 'n1=1', 'n1=2', 'n1=3', 'n1=4']);
    expect(deepest).toBe(1);
  });

  it('calls onProgress of both ends at each page, and of the reader at each attachment', () => {
    const { writer, reader, settle } = createHarness(carrier);
    const calls: string[] = [];
    writer.onProgress = () => calls.push('writes');
    (reader as AttachmentReader).onProgress = () => calls.push('reads');
    writeNumbers(writer, FULL, 1);
    writeNumbers(writer, FULL, 2);
    writeNumbers(writer, 0, 0);
    expect(calls.splice(0)).toEqual(['writes', 'writes', 'writes']);
    writer.publish();
    settle();
    readAll(reader);
    expect(calls.splice(0)).toEqual(['reads', 'reads', 'reads']);
    writeAttached(writer, 8, 1);
    writer.publish();
    settle();
    readAll(reader);
    expect(calls).toEqual(['writes', 'reads', 'reads']);
  });

  it('returns an attachment only once', () => {
    const { writer, reader, settle } = createHarness(carrier);
    const buffer = new ArrayBuffer(12);
    const number = writer.attach(buffer);
    const at = writer.reserveWithAttachment(testTable.opcodes.attached, 2);
    writer.words[at] = number;
    writer.publish();
    settle();
    expect(reader.next()).toBe(true);
    const taken = reader.attachment(number) as ArrayBuffer;
    expect(taken.byteLength).toBe(12);
    expect(taken === buffer).toBe(carrier === 'local');
    expect(buffer.byteLength).toBe(carrier === 'local' ? 12 : 0);
    expect(() => reader.attachment(number)).toThrow(expect.objectContaining({ code: 'attachment-missing' }));
  });

  it('throws for corrupt bytes at every call, and sends the error to the writer', async () => {
    const headers = [
      0, // length 0
      (2 << 9) | 0, // opcode 0
      (2 << 9) | 4, // an opcode beyond the table
      (100 << 9) | 1, // longer than the page's used words
      (1 << 9) | 0x100 | 2, // names an attachment and has no field
    ];
    for (const header of headers) {
      const { writer, reader, settle } = createHarness(carrier, { hardPages: 1 });
      const at = writer.reserve(1, 1);
      writer.words[at] = 0;
      writer.words[writer.reserve(1, 1) - 1] = header;
      const outcome = outcomeOf(writer.whenWritable());
      settle();
      expect(reader.next()).toBe(true);
      expect(() => reader.next()).toThrow(expect.objectContaining({ code: 'stream-corrupt' }));
      expect(() => reader.next()).toThrow(expect.objectContaining({ code: 'stream-corrupt' }));
      settle();
      await reactions();
      expect(outcome.state).toBe('stream-corrupt');
      expect(() => writer.reserve(1, 1)).toThrow(expect.objectContaining({ code: 'stream-corrupt' }));
    }
  });

  it('close by the writer: waiters reject, and the reader gets the remaining records, then the reason', async () => {
    const { writer, reader, settle } = createHarness(carrier, { hardPages: 1 });
    writeNumbers(writer, 1, 1);
    const outcome = outcomeOf(writer.whenWritable());
    writeNumbers(writer, 1, 2); // `close` publishes it
    writer.close(new Error('the worker died'));
    await reactions();
    expect(outcome.state).toBe('stream-closed');
    expect(() => writer.reserve(1, 1)).toThrow('the worker died');
    expect(() => writer.attach(new ArrayBuffer(1))).toThrow('the worker died');
    let wakes = 0;
    reader.onAvailable = () => wakes++;
    settle();
    expect(wakes).toBeGreaterThan(0);
    expect(readAll(reader, 2)).toEqual(['n1=1', 'n1=2']);
    expect(() => reader.next()).toThrow('the worker died');
    writer.close(); // a second call does nothing
    reader.close();
    expect(() => writer.publish()).toThrow('the worker died'); // the first error stays
  });

  it('close without an error: the reader gets the remaining records, then no more', () => {
    const { writer, reader, settle } = createHarness(carrier);
    writeNumbers(writer, 1, 1);
    writer.close();
    settle();
    expect(readAll(reader)).toEqual(['n1=1']);
    expect(reader.next()).toBe(false);
    expect(() => writer.reserve(1, 1)).toThrow(expect.objectContaining({ code: 'stream-closed' }));
  });

  it('close by the reader: waiters and later writes get the error', async () => {
    const { writer, reader, settle } = createHarness(carrier, { hardPages: 1 });
    writeNumbers(writer, 1, 1);
    const outcome = outcomeOf(writer.whenWritable());
    settle();
    reader.close();
    settle();
    await reactions();
    expect(outcome.state).toBe('stream-closed');
    expect(() => writer.reserve(1, 1)).toThrow(expect.objectContaining({ code: 'stream-closed' }));
    expect(reader.next()).toBe(false);
  });
});

describe.each(CARRIERS)('page stream, %s carrier, failing reader', (carrier) => {
  it('the writer gets the error with which the reader has closed the stream', async () => {
    const { writer, reader, settle } = createHarness(carrier, { hardPages: 1 });
    writeNumbers(writer, 1, 1);
    const outcome = outcomeOf(writer.whenWritable());
    settle();
    expect(reader.next()).toBe(true);
    reader.close(new ThreadError('render-crashed', 'The render thread threw.'));
    expect(() => reader.next()).toThrow('The render thread threw.');
    settle();
    await reactions();
    expect(outcome.state).toBe('render-crashed');
    expect(() => writer.publish()).toThrow(ThreadError);
  });
});

describe.each(['shared', 'transfer'] as const)('page stream, lost attachments, %s carrier', (carrier) => {
  it("throws for an attachment that can't be sent, and the next attachment gets its number", () => {
    const { writer, reader, settle } = createHarness(carrier);
    const untransferable = {} as ArrayBuffer;
    writeAttached(writer, 8, 1);
    expect(() => writer.attach(untransferable)).toThrow(
      expect.objectContaining({ code: 'attachment-refused' }),
    );
    writeAttached(writer, 12, 2);
    writeNumbers(writer, 1, 3);
    writer.publish();
    settle();
    expect(readAll(reader)).toEqual(['a8#1', 'a12#2', 'n1=3']);
  });

  it('the reader reports a missing attachment once, until it has arrived', () => {
    const { writer, reader, settle } = createHarness(carrier);
    const attachments: AttachmentReader = reader;
    const waits: unknown[] = [];
    attachments.onAttachmentWait = () => waits.push(attachments.awaitedAttachment);
    const at = writer.reserveWithAttachment(testTable.opcodes.attached, 2);
    writer.words[at] = 0; // nothing was attached
    writer.publish();
    settle();
    expect([reader.next(), reader.next()]).toEqual([false, false]);
    expect(waits).toEqual([{ number: 0, record: 'attached', stream: 'test stream' }]);
    writer.attach(new ArrayBuffer(8));
    settle();
    expect(reader.next()).toBe(true);
    expect(attachments.awaitedAttachment).toBeNull();
  });
});

describe('page stream, ring and port (shared carrier)', () => {
  it('a record waits for its attachment, and the records behind it wait too', () => {
    const { writer, reader, channel, deliver } = createHarness('shared');
    writeNumbers(writer, 1, 1);
    writer.publish();
    channel?.settle(); // rings, slab, wake-up
    expect(readAll(reader)).toEqual(['n1=1']);
    writeAttached(writer, 8, 2);
    writeNumbers(writer, 1, 3);
    writer.publish(); // the page has arrived; the attachment is still in flight on the port
    expect(reader.next()).toBe(false);
    let wakes = 0;
    reader.onAvailable = () => wakes++;
    deliver(); // the attachment
    expect(wakes).toBe(1);
    expect(readAll(reader)).toEqual(['a8#2', 'n1=3']);
  });

  it('a page waits for its slab', () => {
    const { writer, reader, channel, deliver } = createHarness('shared', { softPages: 100 });
    for (let value = 0; value < 16; value++) writeNumbers(writer, FULL, value);
    writer.publish();
    channel?.settle();
    writeNumbers(writer, FULL, 16); // page 17: the second slab
    writer.publish();
    expect(readAll(reader)).toHaveLength(16);
    deliver(); // the slab
    expect(readAll(reader)).toEqual([`n${FULL}=16`]);
  });

  it('in the steady state posts one message per publish and allocates no memory', () => {
    const { writer, reader, channel } = createHarness('shared');
    const frame = () => {
      for (let value = 0; value < 5; value++) writeNumbers(writer, FULL, value);
      writer.publish();
      const messages = channel?.settle();
      expect(readAll(reader)).toHaveLength(5);
      return messages;
    };
    frame();
    for (let index = 0; index < 100; index++) expect(frame()).toBe(1);
  });

  it('posts only one wake-up for many publishes, until the reader has received it', () => {
    const { writer, channel } = createHarness('shared');
    channel?.settle();
    writeNumbers(writer, 1, 0);
    writer.publish();
    channel?.settle();
    for (let value = 0; value < 10; value++) {
      writeNumbers(writer, 1, value);
      writer.publish();
    }
    expect(channel?.settle()).toBe(1);
  });
});

describe('page stream, wake-ups through memory (shared carrier)', () => {
  it('in the steady state posts nothing, and every publish wakes the reader', async () => {
    const channel = new ManualChannel();
    const options = { table: testTable, shared: true };
    const writer = connectStreamWriter(channel.port1, options);
    const reader = connectStreamReader(channel.port2, options);
    const heard = (): Promise<void> =>
      new Promise((resolve) => {
        reader.onAvailable = resolve;
      });
    for (let frame = 0; frame < 20; frame++) {
      writeNumbers(writer, 1, frame);
      const hearing = heard();
      writer.publish();
      // The first call also delivers the rings and a slab.
      const messages = channel.settle();
      if (frame > 0) {
        expect(messages).toBe(0);
        await hearing;
      }
      expect(readAll(reader)).toEqual([`n1=${frame}`]);
    }
    reader.close();
  });

  it('announces records that were published before the writer closed, and nothing afterwards', async () => {
    const channel = new ManualChannel();
    const options = { table: testTable, shared: true };
    const writer = connectStreamWriter(channel.port1, options);
    const reader = connectStreamReader(channel.port2, options);
    writeNumbers(writer, 1, 6);
    writer.publish();
    // Deliver the slab now, so that later only the message about the end is in flight.
    channel.settle();
    expect(readAll(reader)).toEqual(['n1=6']);
    const events: string[] = [];
    reader.onAvailable = () => events.push(...readAll(reader));
    void reader.whenEnded().then(() => events.push('end'));
    // Let the first wake-up arrive.
    await new Promise((resolve) => setTimeout(resolve));
    writeNumbers(writer, 1, 7);
    writer.close();
    channel.settle();
    await new Promise((resolve) => setTimeout(resolve));
    expect(events).toEqual(['n1=7', 'end']);
  });
});

describe('page stream, defaults', () => {
  it('publishes at 8 pages, waits at 256 and fails beyond 4096', () => {
    const { writer, reader } = createLocalStream({ table: testTable, schedule: () => {} });
    for (let page = 1; page <= 255; page++) writeNumbers(writer, FULL, page);
    expect(writer.isWritable).toBe(true);
    writeNumbers(writer, 1, 256);
    expect(writer.isWritable).toBe(false);
    expect(readAll(reader)).toHaveLength(248); // 31 batches of 8; 7 filled pages and the one being written wait
    for (let count = 0; count < 28; count++) writer.reserve(3, 128 * PAGE_WORDS - 1);
    while (writer.pagesOutstanding < 4096) writer.reserve(3, PAGE_WORDS - 1);
    expect(() => writer.reserve(3, PAGE_WORDS - 1)).toThrow(
      expect.objectContaining({ code: 'stream-overrun' }),
    );
  });
});

describe.each([true, false])('page stream over a real MessageChannel, shared: %s', (shared) => {
  it('delivers 60,000 records and an attachment, and the writer gets every page back', async () => {
    const channel = new MessageChannel();
    const writer = connectStreamWriter(channel.port1, { table: testTable, shared, limits: { hardPages: 2 } });
    const reader = connectStreamReader(channel.port2, { table: testTable, shared });
    let next = 0;
    const finished = new Promise<void>((resolve, reject) => {
      reader.onAvailable = () => {
        try {
          while (reader.next()) {
            const record = describeRecord(reader);
            if (record === 'a8#1') resolve();
            else if (record !== `n1=${next++}`) throw new Error(`${record} came as number ${next - 1}`);
          }
        } catch (error) {
          reject(error);
        }
      };
    });
    for (let value = 0; value < 60000; value++) {
      if (!writer.isWritable) await writer.whenWritable();
      writeNumbers(writer, 1, value);
    }
    writeAttached(writer, 8, 1);
    writer.publish();
    await finished;
    expect(next).toBe(60000);
    const ended = new Promise<string>((resolve) => {
      reader.onAvailable = () => {
        try {
          reader.next();
        } catch (error) {
          resolve((error as { code: string }).code);
        }
      };
    });
    while (writer.pagesOutstanding > 0) await new Promise((resolve) => setImmediate(resolve));
    writer.close(new Error('over'));
    expect(await ended).toBe('stream-closed');
    reader.close();
  });
});
