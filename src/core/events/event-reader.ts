/**
 * The reading end of an event ring, on any thread that sees its memory. A reader keeps a cursor, and copies the events
 * that were written after it. The writer does not wait for readers, and its thread may have ended.
 *
 *   count 9000 ──────────────────────────────────┐
 *   ring       │ … overwritten │ 4912 … 8999 whole │   cursor 3000: 1912 events are lost, and counted
 *                               └ margin: may be half written already
 */
import {
  EVENT_COUNT_WORD,
  EVENT_HEADER_NUMBERS,
  EVENT_NUMBERS,
  eventCapacity,
  eventMemory,
  TimelineEvent,
} from './event-ring.js';

/**
 * Number of the oldest events in a full ring that a reader drops. The writer may be overwriting them: its plain stores
 * may become visible a little before the count that announces them.
 */
export const EVENT_MARGIN = 8;

/** Position of a reader. A new ring of the same thread is read from its beginning. */
export interface RingCursor {
  /** Creation time of the ring, in milliseconds since the epoch. */
  readonly ring: number;
  readonly next: number;
}

/** Events since the last reading, safe for `postMessage`. */
export interface EventBatch extends RingCursor {
  /**
   * `EVENT_NUMBERS` numbers per event, in the order of writing. Begin and end are in milliseconds since the epoch,
   * except for `gpuPass`.
   */
  readonly events: Float64Array<ArrayBuffer>;
  /** Events that were overwritten before they could be read. */
  readonly lost: number;
  /** The event that began last, which may have ended: type, frame, and begin in milliseconds since the epoch. */
  readonly begun: readonly [type: number, frame: number, begin: number];
}

export interface ThreadEvents extends EventBatch {
  /** Name of the thread, such as "main", "render", "RHI" or "assets". */
  readonly thread: string;
}

/** Cursors by thread. */
export type RingCursors = ReadonlyMap<string, RingCursor>;

/** The event that a thread began last. */
interface LastEvent {
  /** Name of the `TimelineEvent`. */
  readonly name: string;
  readonly frame: number;
  readonly millisecondsAgo: number;
}

/** Names of `TimelineEvent` by number. They are repeated here, because builds keep only the enum's numbers. */
export const EVENT_NAMES: readonly string[] = [
  '',
  'tick',
  'update',
  'gameWait',
  'commands',
  'record',
  'cull',
  'renderWait',
  'execute',
  'submit',
  'rhiWait',
  'purge',
  'gpuPass',
  'rendered',
  'submitted',
  'completed',
  'present',
  'load',
  'read',
  'build',
  'decode',
  'collection',
  'loop',
  'task',
  'runnable',
  'scope',
  'span',
  'counter',
];

/**
 * Copies the events since `cursor`.
 * @param cursor the last batch; `null` copies everything that the ring still holds
 */
export function readEvents(
  buffer: ArrayBufferLike,
  cursor: RingCursor | null,
  { numbers, words, atomics } = eventMemory(buffer),
): EventBatch {
  const capacity = eventCapacity(buffer.byteLength);
  const origin = numbers[0] as number;
  const ring = origin + (numbers[5] as number);
  const count = atomics.load(words, EVENT_COUNT_WORD);
  const from = cursor?.ring === ring ? cursor.next : 0;
  // Counts wrap at 2³²; their differences don't.
  const wanted = (count - from) >>> 0;
  const copied = Math.min(wanted, capacity);
  const events = new Float64Array(copied * EVENT_NUMBERS);
  const first = (count - copied) & (capacity - 1);
  const beforeWrap = Math.min(copied, capacity - first);
  const at = EVENT_HEADER_NUMBERS + first * EVENT_NUMBERS;
  events.set(numbers.subarray(at, at + beforeWrap * EVENT_NUMBERS));
  events.set(
    numbers.subarray(EVENT_HEADER_NUMBERS, EVENT_HEADER_NUMBERS + (copied - beforeWrap) * EVENT_NUMBERS),
    beforeWrap * EVENT_NUMBERS,
  );
  // Drop events that the writer has overwritten during the copy.
  const later = (atomics.load(words, EVENT_COUNT_WORD) - count) >>> 0;
  const overrun = Math.min(copied, Math.max(0, copied + later + EVENT_MARGIN - capacity));
  const whole = events.subarray(overrun * EVENT_NUMBERS);
  for (let at = 0; at < whole.length; at += EVENT_NUMBERS) {
    if (whole[at] === TimelineEvent.gpuPass) continue; // its times are on the GPU's clock
    whole[at + 2] = (whole[at + 2] as number) + origin;
    whole[at + 3] = (whole[at + 3] as number) + origin;
  }
  const [, type = 0, frame = 0, began = 0] = numbers;
  return {
    ring,
    next: count,
    lost: wanted - copied + overrun,
    events: whole.slice(),
    begun: [type, frame, origin + began],
  };
}

/**
 * Returns the event that a thread began last: its present work, or the work in which it died.
 * @param header the first numbers of a ring, or a copy of them
 * @returns null before the first event
 */
export function lastEvent(header: Float64Array): LastEvent | null {
  const [origin = 0, type = 0, frame = 0, began = 0] = header;
  const name = EVENT_NAMES[type];
  if (!name) return null;
  return { name, frame, millisecondsAgo: performance.timeOrigin + performance.now() - origin - began };
}
