import { defineRecordTable } from '../records/record-table.js';
import { connectStreamReader, connectStreamWriter, createLocalStream } from '../streams/page-stream.js';
import { DEFAULT_STREAM_LIMITS, PageWriter } from '../streams/page-writer.js';
import { SharedWriterCarrier } from '../streams/shared-carrier.js';
import type {
  AttachmentReader,
  EndingReader,
  StreamLimits,
  StreamReader,
  StreamWriter,
} from '../streams/stream.js';
import { ManualChannel } from './manual-channel.js';

/**
 * Names of the carriers. `createHarness` creates a stream on one of them, and the test delivers its events. Test-only.
 */
export const CARRIERS = ['local', 'shared', 'transfer'] as const;
export type CarrierName = (typeof CARRIERS)[number];

export const testTable = defineRecordTable('test stream', {
  numbers: { values: 'u32[]' },
  attached: { data: 'attachment', mark: 'u32' },
  unused: {},
});

export interface StreamHarness {
  readonly writer: StreamWriter;
  readonly reader: EndingReader & AttachmentReader;
  /** Delivers everything in flight, in both directions. */
  settle(): void;
  /** Delivers the oldest message to the reader. On the local carrier, runs the oldest wake-up of either end. */
  deliver(): void;
  /** The channel of the ports; `null` on the local carrier. */
  readonly channel: ManualChannel | null;
}

export function createHarness(carrier: CarrierName, limits?: Partial<StreamLimits>): StreamHarness {
  const table = testTable;
  if (carrier === 'local') {
    const tasks: (() => void)[] = [];
    const ends = createLocalStream({ table, limits, schedule: (task) => tasks.push(task) });
    const deliver = () => tasks.shift()?.();
    const settle = () => {
      while (tasks.length > 0) deliver();
    };
    return { ...ends, settle, deliver, channel: null };
  }
  const channel = new ManualChannel();
  const shared = carrier === 'shared';
  // Post wake-ups instead of sending them through memory, so that the test controls when they arrive.
  const { fatalPages } = { ...DEFAULT_STREAM_LIMITS, ...limits };
  return {
    writer: shared
      ? new PageWriter(new SharedWriterCarrier(channel.port1, fatalPages, false), table, limits)
      : connectStreamWriter(channel.port1, { table, shared, limits }),
    reader: connectStreamReader(channel.port2, { table, shared }),
    settle: () => channel.settle(),
    deliver: () => channel.port2.deliver(),
    channel,
  };
}

/** Writes a `numbers` record: the count, then `count` words with `value`. */
export function writeNumbers(writer: StreamWriter, count: number, value: number): void {
  const at = writer.reserve(testTable.opcodes.numbers, 1 + count);
  writer.words[at] = count;
  writer.words.fill(value, at + 1, at + 1 + count);
}

/** Sends an attachment of `byteLength` bytes and writes the record that names it. */
export function writeAttached(writer: StreamWriter, byteLength: number, mark: number): void {
  const number = writer.attach(new ArrayBuffer(byteLength));
  const at = writer.reserveWithAttachment(testTable.opcodes.attached, 2);
  writer.words[at] = number;
  writer.words[at + 1] = mark;
}

/**
 * Describes the current record as text, `n<count>=<value>` or `a<bytes>#<mark>`, and takes its attachment. Throws if
 * the values of a record differ.
 */
export function describeRecord(reader: StreamReader): string {
  const { words, fields } = reader;
  if (reader.opcode === testTable.opcodes.attached) {
    const data = reader.attachment(words[fields]) as ArrayBuffer;
    return `a${data.byteLength}#${words[fields + 1]}`;
  }
  const count = words[fields];
  for (let index = 2; index <= count; index++) {
    if (words[fields + index] !== words[fields + 1]) throw new Error(`torn record at ${index}`);
  }
  return `n${count}=${count > 0 ? words[fields + 1] : ''}`;
}

/** Reads up to `limit` records. */
export function readAll(reader: StreamReader, limit = Number.POSITIVE_INFINITY): string[] {
  const records: string[] = [];
  while (records.length < limit && reader.next()) records.push(describeRecord(reader));
  return records;
}
