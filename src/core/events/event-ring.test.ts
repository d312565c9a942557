import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVENT_MARGIN, EVENT_NAMES, lastEvent, type RingCursor, readEvents } from './event-reader.js';
import {
  EVENT_CAPACITY,
  EVENT_COUNT_WORD,
  EVENT_HEADER_NUMBERS,
  EVENT_NUMBERS,
  EVENT_RING_BYTES,
  EventRing,
  TimelineEvent,
} from './event-ring.js';

/** Returns the number `extra` of each event in a batch. The tests count it upwards. */
function extras(events: Float64Array): number[] {
  return Array.from(
    { length: events.length / EVENT_NUMBERS },
    (_, index) => events[index * EVENT_NUMBERS + 4] as number,
  );
}

const { record, cull, gpuPass } = TimelineEvent;

describe('event ring', () => {
  test('F10: an event has type, frame, begin and end since the epoch, and a number', () => {
    const ring = new EventRing();
    const before = performance.now();
    const began = ring.begin(record, 7);
    const ended = ring.end(record, 7, began, 123);
    const { events, lost, next } = readEvents(ring.buffer, null);
    expect([...events]).toEqual([
      record,
      7,
      performance.timeOrigin + began,
      performance.timeOrigin + ended,
      123,
    ]);
    expect(began).toBeGreaterThanOrEqual(before);
    expect(ended).toBeGreaterThanOrEqual(began);
    expect({ lost, next }).toEqual({ lost: 0, next: 1 });
  });

  test('F10: the times of GPU passes stay on the clock of the GPU', () => {
    const ring = new EventRing();
    ring.add(gpuPass, 3, 5, 6, 4);
    expect([...readEvents(ring.buffer, null).events]).toEqual([gpuPass, 3, 5, 6, 4]);
  });

  test('F10: a reader gets every event once, in order', () => {
    const ring = new EventRing();
    let cursor: RingCursor | null = null;
    const read: number[] = [];
    for (let round = 0; round < 10; round++) {
      for (let each = 0; each < round; each++) ring.add(record, 1, 0, 0, read.length + each);
      const batch = readEvents(ring.buffer, cursor);
      read.push(...extras(batch.events));
      cursor = batch;
    }
    expect(read).toEqual(Array.from({ length: 45 }, (_, index) => index));
  });

  test('F10: a reader that was overrun counts the events that it has missed', () => {
    const ring = new EventRing();
    for (let index = 0; index < EVENT_CAPACITY + 100; index++) ring.add(record, 1, 0, 0, index);
    const { events, lost } = readEvents(ring.buffer, null);
    expect(lost).toBe(100 + EVENT_MARGIN);
    expect(extras(events)).toEqual(
      Array.from({ length: EVENT_CAPACITY - EVENT_MARGIN }, (_, index) => index + lost),
    );
  });

  test('F10: another ring of the same thread is read from its beginning', () => {
    const first = new EventRing();
    for (let index = 0; index < 5; index++) first.add(record, 1, 0, 0, index);
    const cursor = readEvents(first.buffer, null);
    const second = new EventRing(new ArrayBuffer(EVENT_RING_BYTES));
    new Float64Array(second.buffer)[5] = 1; // id of the ring: its time of creation
    second.add(record, 1, 0, 0, 50);
    expect(extras(readEvents(second.buffer, cursor).events)).toEqual([50]);
  });

  test('F10: no event is lost when the count wraps at 2³²', () => {
    const ring = new EventRing();
    const words = new Int32Array(ring.buffer);
    words[EVENT_COUNT_WORD] = 2 ** 31 - 3;
    const cursor = readEvents(ring.buffer, null);
    for (let index = 0; index < 6; index++) ring.add(record, 1, 0, 0, index);
    expect(words[EVENT_COUNT_WORD]).toBeLessThan(0);
    const batch = readEvents(ring.buffer, cursor);
    expect([extras(batch.events), batch.lost]).toEqual([[0, 1, 2, 3, 4, 5], 0]);
    words[EVENT_COUNT_WORD] = -2;
    const before = readEvents(ring.buffer, { ...cursor, next: -2 });
    for (let index = 0; index < 6; index++) ring.add(record, 1, 0, 0, index);
    expect(extras(readEvents(ring.buffer, before).events)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('F10: the breadcrumb is the event that began last, also after the writer’s death', () => {
    const shared = new SharedArrayBuffer(EVENT_RING_BYTES);
    const ring = new EventRing(shared);
    expect(lastEvent(new Float64Array(shared))).toBeNull();
    const began = ring.begin(record, 8);
    ring.end(cull, 8, ring.begin(cull, 8));
    const last = lastEvent(new Float64Array(shared));
    expect(last).toMatchObject({ name: 'cull', frame: 8 });
    expect(last?.millisecondsAgo).toBeGreaterThanOrEqual(0);
    expect(last?.millisecondsAgo).toBeLessThanOrEqual(performance.now() - began);
    expect(lastEvent(ring.last)).toMatchObject({ name: 'cull', frame: 8 });
    expect(readEvents(shared, null).begun.slice(0, 2)).toEqual([cull, 8]);
  });

  test('F10: every event is read or counted as lost, in any sequence of writes and reads', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: EVENT_CAPACITY * 2 }), { maxLength: 12 }), (writes) => {
        const ring = new EventRing();
        let written = 0;
        let cursor: RingCursor | null = null;
        for (const count of writes) {
          const from = written;
          for (let each = 0; each < count; each++) ring.add(record, 1, 0, 0, written++);
          const batch = readEvents(ring.buffer, cursor);
          const read = extras(batch.events);
          expect(read.length + batch.lost).toBe(written - from);
          expect(read).toEqual(
            Array.from({ length: read.length }, (_, index) => written - read.length + index),
          );
          cursor = batch;
        }
      }),
      { numRuns: 30 },
    );
  });

  test('F10: the layout leaves room for the header', () => {
    expect(EVENT_COUNT_WORD * 4).toBeGreaterThanOrEqual(4 * 8); // after the origin and the breadcrumb
    expect(EVENT_RING_BYTES).toBe((EVENT_HEADER_NUMBERS + EVENT_CAPACITY * EVENT_NUMBERS) * 8);
    expect(Math.log2(EVENT_CAPACITY) % 1).toBe(0);
  });
});

test('F10: every event has its name', () => {
  const types = Object.values(TimelineEvent).filter((type) => typeof type === 'number');
  for (const type of types) expect(EVENT_NAMES[type]).toBe(TimelineEvent[type]);
  expect(EVENT_NAMES).toHaveLength(types.length + 1);
});
