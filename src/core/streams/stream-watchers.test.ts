import { describe, expect, it } from 'vitest';
import { HEADER_LENGTH_SHIFT } from '../records/record-table.js';
import { createLocalStream } from './page-stream.js';
import type { PageCursor } from './stream.js';
import { endOfRecord, type StreamWatcher } from './stream-watchers.js';

const STATE = 1;
const MARK = 2;

function setUp() {
  const { writer, reader } = createLocalStream({ table: { name: 'test', names: ['', 'state', 'mark'] } });
  const write = (opcode: number, value: number) => {
    const at = writer.reserve(opcode, 1);
    writer.words[at] = value;
  };
  return { writer, reader: reader as typeof reader & PageCursor, write };
}

/**
 * Creates a watcher that takes the records before the next `mark`, so that each `mark` is the first record of a call.
 * @param tookUntil called at the end of each call, with the value of its first record
 */
function watcher(heard: number[], tookUntil: (value: number) => void = () => {}): StreamWatcher {
  return {
    onRecords(words, at, used) {
      let end = at;
      do {
        heard.push(words[end + 1]!);
        end = endOfRecord(words, end, used);
      } while (end < used && (words[end]! & 0xff) !== MARK);
      tookUntil(words[at + 1]!);
      return end;
    },
  };
}

describe('a watcher of a reader', () => {
  it('sees every record of all pages once, whether they are read one by one or by the page', () => {
    const { writer, reader, write } = setUp();
    const heard: number[] = [];
    const unwatch = reader.watch!(watcher(heard));
    const count = 20_000;
    for (let i = 0; i < count; i++) write(i % 10 === 0 ? MARK : STATE, i);
    writer.publish();
    for (let isLeft = true; isLeft; ) {
      isLeft = reader.next();
      reader.cursor = reader.used;
      if (isLeft) isLeft = reader.turnPage();
    }
    expect(heard).toEqual(Array.from({ length: count }, (_, index) => index));
    unwatch();
    for (const value of [1, 2, 3]) write(MARK, value);
    writer.publish();
    expect(reader.next()).toBe(true);
    // The whole page is available at once again.
    expect((reader.used - reader.cursor) / 2).toBe(2);
    expect(heard).toHaveLength(count);
  });

  it('is called after the records of earlier calls were executed, and before its own records are', () => {
    const { writer, reader, write } = setUp();
    const executed: number[] = [];
    const before: [number, number | undefined][] = [];
    reader.watch!(watcher([], (value) => before.push([value, executed.at(-1)])));
    for (const [opcode, value] of [
      [STATE, 1],
      [STATE, 2],
      [MARK, 3],
      [STATE, 4],
      [MARK, 5],
    ] as const)
      write(opcode, value);
    writer.publish();
    while (reader.next()) executed.push(reader.words[reader.fields]!);
    expect(executed).toEqual([1, 2, 3, 4, 5]);
    expect(before).toEqual([
      [1, undefined],
      [3, 2],
      [5, 4],
    ]);
  });

  it('may be added and removed in the middle of a page, in any order', () => {
    const { writer, reader, write } = setUp();
    const heard = { a: [] as number[], b: [] as number[] };
    for (let value = 1; value <= 6; value++) write(value % 2 === 0 ? MARK : STATE, value);
    writer.publish();
    reader.next();
    const endA = reader.watch!(watcher(heard.a));
    reader.next();
    const endB = reader.watch!({
      onRecords: (words, at, used) => {
        for (let each = at; each < used; each += 2) heard.b.push(words[each + 1]!);
        return used;
      },
    });
    reader.next();
    endA();
    while (reader.next());
    endB();
    expect(heard).toEqual({ a: [2, 3], b: [3, 4, 5, 6] });
  });

  it('is called when the attachment of a record is taken', () => {
    const { writer, reader } = setUp();
    const taken: unknown[] = [];
    reader.watch!({ onRecords: (_, __, used) => used, onAttachment: (...given) => taken.push(given) });
    const bytes = new ArrayBuffer(4);
    const number = writer.attach(bytes);
    writer.words[writer.reserveWithAttachment(MARK, 1)] = number;
    writer.publish();
    reader.next();
    expect(taken).toEqual([]);
    const attachment = reader.attachment(number);
    expect(taken).toEqual([[number, attachment]]);
  });

  it('takes the rest of the page if the header of a record is invalid; the reader then rejects the record', () => {
    const { writer, reader, write } = setUp();
    write(STATE, 1);
    write(STATE, 2);
    writer.words[2] = STATE | (500 << HEADER_LENGTH_SHIFT);
    writer.publish();
    const heard: number[] = [];
    reader.watch!(watcher(heard));
    expect(reader.next()).toBe(true);
    expect(() => reader.next()).toThrow(expect.objectContaining({ code: 'stream-corrupt' }));
  });
});
