import { describe, expect, it } from 'vitest';
import type { PortLike } from './carrier.js';
import { GreetedPort } from './greeted-port.js';
import { PageReader } from './page-reader.js';
import { PageWriter } from './page-writer.js';
import { PortMessageKind } from './port-messages.js';
import { SharedReaderCarrier, SharedWriterCarrier } from './shared-carrier.js';
import { TransferWriterCarrier } from './transfer-carrier.js';
import { TransferReaderCarrier } from './transfer-reader.js';

const table = { name: 'numbers', names: ['', 'number', 'bitmap'] };

/**
 * Creates two ports whose messages the test delivers. The test can report any message as one that the browser can't
 * read.
 */
function createPorts() {
  const queues: [unknown[], unknown[]] = [[], []];
  const ports = queues.map((_, end) => ({
    onmessage: null as PortLike['onmessage'],
    onmessageerror: null as PortLike['onmessageerror'],
    postMessage: (message: unknown) => {
      queues[1 - end]?.push(message);
    },
    close: () => {},
  })) as [PortLike, PortLike];
  /**
   * Delivers all messages in flight to a port.
   * @param isLost returns whether the browser can't read a message
   * @returns number of messages
   */
  const deliver = (end: 0 | 1, isLost: (message: unknown) => boolean = () => false): number => {
    const messages = queues[end].splice(0);
    for (const data of messages) {
      const listener = isLost(data) ? ports[end].onmessageerror : ports[end].onmessage;
      listener?.({ data } as MessageEvent);
    }
    return messages.length;
  };
  return { ports, queues, deliver };
}

const kindOf = (message: unknown): unknown => (Array.isArray(message) ? message[0] : message);

function write(writer: PageWriter, value: number): void {
  const at = writer.reserve(1, 1);
  writer.words[at] = value;
  writer.publish();
}

function readAll(reader: PageReader): number[] {
  const values: number[] = [];
  while (reader.next()) values.push(reader.words[reader.fields] as number);
  return values;
}

describe('a stream in shared memory', () => {
  it('posts no memory to a reader on another worker before the reader listens', () => {
    const { ports, queues, deliver } = createPorts();
    const writer = new PageWriter(new SharedWriterCarrier(new GreetedPort(ports[0]), 64, false), table);
    write(writer, 7);
    expect(queues[1]).toEqual([PortMessageKind.wake]);
    const reader = new PageReader(new SharedReaderCarrier(ports[1]), table);
    deliver(0);
    expect(queues[1].map(kindOf)).toEqual([
      PortMessageKind.wake,
      PortMessageKind.control,
      PortMessageKind.slab,
    ]);
    deliver(1);
    expect(readAll(reader)).toEqual([7]);
    write(writer, 8);
    deliver(1);
    expect(readAll(reader)).toEqual([8]);
  });

  it('throws for an invalid attachment in the call that sends it, also before the reader listens', () => {
    const { ports } = createPorts();
    const post = ports[0].postMessage;
    ports[0].postMessage = (message, transfer) => {
      if (transfer) throw new DOMException('it is detached', 'DataCloneError');
      post(message);
    };
    const writer = new PageWriter(new SharedWriterCarrier(new GreetedPort(ports[0]), 64, false), table);
    expect(() => writer.attach(new ArrayBuffer(8))).toThrow(
      expect.objectContaining({ code: 'attachment-refused' }),
    );
    const reader = new PageReader(new SharedReaderCarrier(ports[1]), table);
    expect(reader.next()).toBe(false);
  });

  it('wakes its reader again after a wake-up that arrived before the rings', () => {
    const { ports, deliver } = createPorts();
    const writer = new PageWriter(new SharedWriterCarrier(ports[0], 64, false), table);
    const reader = new PageReader(new SharedReaderCarrier(ports[1]), table);
    const values: number[] = [];
    reader.onAvailable = () => values.push(...readAll(reader));
    write(writer, 7);
    deliver(1, (message) => kindOf(message) === PortMessageKind.control);
    deliver(0);
    deliver(1);
    write(writer, 8);
    deliver(1);
    expect(values).toEqual([7, 8]);
  });

  it('sends its pages and its end to a reader that connects later', () => {
    const { ports, deliver } = createPorts();
    const writer = new PageWriter(new SharedWriterCarrier(new GreetedPort(ports[0]), 64, false), table);
    write(writer, 7);
    writer.close();
    const reader = new PageReader(new SharedReaderCarrier(ports[1]), table);
    deliver(1);
    expect(readAll(reader)).toEqual([7]);
  });

  it.each([
    ['its rings', PortMessageKind.control],
    ['its first pages', PortMessageKind.slab],
  ])('sends %s again when the browser could not read them, and reports the loss', (_, lost) => {
    const { ports, deliver } = createPorts();
    const writer = new PageWriter(new SharedWriterCarrier(ports[0], 64, false), table);
    const reader = new PageReader(new SharedReaderCarrier(ports[1]), table);
    let losses = 0;
    reader.onLoss = () => losses++;
    write(writer, 7);
    deliver(1, (message) => kindOf(message) === lost);
    expect([readAll(reader), losses]).toEqual([[], 1]);
    deliver(0);
    deliver(1);
    expect(readAll(reader)).toEqual([7]);
    // The reader keeps the rings and pages that it has already.
    write(writer, 8);
    deliver(1);
    expect(readAll(reader)).toEqual([8]);
  });

  it('holds back a record whose attachment was lost, although a later attachment has arrived', () => {
    const { ports, deliver } = createPorts();
    const writer = new PageWriter(new SharedWriterCarrier(ports[0], 64, false), table);
    const reader = new PageReader(new SharedReaderCarrier(ports[1]), table);
    const [first, second] = [{}, {}] as unknown as [ImageBitmap, ImageBitmap];
    for (const bitmap of [first, second]) {
      const number = writer.attach(bitmap);
      writer.words[writer.reserveWithAttachment(2, 1)] = number;
    }
    writer.publish();
    deliver(
      1,
      (message) => kindOf(message) === PortMessageKind.attachment && (message as unknown[])[1] === 0,
    );
    expect(reader.next()).toBe(false);
    expect(reader.awaitedAttachment).toEqual({ number: 0, record: 'bitmap', stream: 'numbers' });
  });
});

describe('a stream whose pages are transferred', () => {
  it('ends with an error at both ends when a message could not be read', () => {
    const { ports, deliver } = createPorts();
    const writer = new PageWriter(new TransferWriterCarrier(ports[0]), table);
    const reader = new PageReader(new TransferReaderCarrier(ports[1]), table);
    write(writer, 7);
    deliver(1, () => true);
    expect(() => readAll(reader)).toThrow(/could not read a message on the port of a stream/);
    deliver(0);
    expect(() => writer.reserve(1, 1)).toThrow(expect.objectContaining({ code: 'message-lost' }));
  });
});
