import { describe, expect, test, vi } from 'vitest';
import { readEvents } from '../core/events/event-reader.js';
import {
  EVENT_COUNT_WORD,
  EVENT_HEADER_NUMBERS,
  EVENT_NUMBERS,
  type EventMemory,
  EventRing,
  eventMemory,
} from '../core/events/event-ring.js';
import { replayThread, type Stepper } from './testing/replay-thread.js';
import { explore, type Program, type VirtualThread } from './testing/schedule-explorer.js';

// Thousands of schedules take many seconds on a busy machine, so raise the tests' time limit.
vi.setConfig({ testTimeout: 120_000 });

/**
 * The real ring is read by the real reader while a writer adds events. Each atomic access to the count, and each access
 * to the second or last number of an event, is a step of the explorer. The ring has 16 events; a reader trusts all but
 * the oldest eight.
 *
 *   numbers   │ 17 │ 18 │ … │ 9 │ … │ 16 │      the reader began when 16 was the last; the writer goes on with 17, 18 …
 *               └ written while they are read
 */
const CAPACITY = 16;
/** Number of events that the writer adds while the reader reads. */
const ADDED = 10;

/**
 * Order in which the reader sees the writer's stores. The memory model allows the count to become visible after plain
 * stores that follow it (`count late`).
 */
type Order = 'as written' | 'count late';

/** Creates memory in which accesses to the count, and to two numbers of each event, are steps of a thread. */
function steppedMemory(stepper: Stepper, buffer: ArrayBuffer, order: Order): EventMemory {
  const { numbers, words } = eventMemory(buffer);
  const isEvent = (at: number): boolean => at >= EVENT_HEADER_NUMBERS;
  // The test writes equal numbers into an event, so its second and last number show whether it is torn.
  const isStep = (at: number): boolean => {
    const place = (at - EVENT_HEADER_NUMBERS) % EVENT_NUMBERS;
    return isEvent(at) && (place === 1 || place === 4);
  };
  let late: (() => void) | null = null;
  let own = CAPACITY;
  const view = (of: Float64Array, first: number): Float64Array =>
    new Proxy(of, {
      get: (target, name) => {
        const at = typeof name === 'string' ? Number(name) : Number.NaN;
        if (isStep(first + at))
          return stepper.act(
            () => `load ${first + at}`,
            () => target[at],
          );
        if (name === 'subarray')
          return (from: number, to: number) => view(target.subarray(from, to), first + from);
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
      set: (target, name, value) => {
        const at = Number(name);
        const store = (): void => {
          target[at] = value;
        };
        if (!isEvent(first + at)) return true; // drop stores to the header
        if (isStep(first + at)) stepper.act(() => `store ${value} at ${first + at}`, store);
        else store();
        if (late) stepper.act('the count, late', late);
        late = null;
        return true;
      },
    });
  return {
    numbers: view(numbers, 0),
    // The writer sees its own count at once.
    words: new Proxy(words, { get: () => own }),
    atomics: {
      load: () => stepper.act('load the count', () => Atomics.load(words, EVENT_COUNT_WORD)),
      store: (_: unknown, __: number, value: number) => {
        const announce = (): number => Atomics.store(words, EVENT_COUNT_WORD, value);
        own = value;
        if (order === 'count late') late = announce;
        else stepper.act('the count', announce);
        return value;
      },
    } as unknown as EventMemory['atomics'],
  };
}

/** Returns a program of one writer and one reader. @param sabotage removes a part of the reader's protection */
function program(
  order: Order,
  sabotage: (memory: EventMemory, words: Int32Array) => EventMemory = (it) => it,
) {
  return (): Program => {
    const buffer = new ArrayBuffer((EVENT_HEADER_NUMBERS + CAPACITY * EVENT_NUMBERS) * 8);
    const before = new EventRing(buffer);
    // All five numbers of an event are the event's number, counted from 1.
    const add = (ring: EventRing, event: number): void => ring.add(event, event, event, event, event);
    for (let event = 1; event <= CAPACITY; event++) add(before, event);
    // Set the origin of times to 0, so that times are read as they were written.
    const numbers = new Float64Array(buffer);
    numbers[0] = 0;
    const origin = numbers[5] as number;
    const torn: string[] = [];
    function* writer(): VirtualThread {
      yield* replayThread((stepper) => {
        const memory = steppedMemory(stepper, buffer, order);
        const header = eventMemory(buffer).numbers.slice(0, EVENT_HEADER_NUMBERS);
        const ring = new EventRing(buffer, memory);
        eventMemory(buffer).numbers.set(header.subarray(0, 4));
        for (let event = CAPACITY + 1; event <= CAPACITY + ADDED; event++) add(ring, event);
      });
    }
    return {
      threads: {
        reader: replayThread((stepper) => {
          torn.length = 0;
          const words = new Int32Array(buffer);
          const memory = sabotage(steppedMemory(stepper, buffer, 'as written'), words);
          const { events, lost } = readEvents(buffer, { ring: origin, next: 0 }, memory);
          const first = lost + 1;
          for (let at = 0; at < events.length; at += EVENT_NUMBERS) {
            const event = first + at / EVENT_NUMBERS;
            const [, frame, , , extra] = events.subarray(at, at + EVENT_NUMBERS);
            if (frame !== event || extra !== event) torn.push(`event ${event} reads ${frame}, ${extra}`);
          }
        }),
        writer: writer(),
      },
      atEnd: () => expect(torn).toEqual([]),
    };
  };
}

describe('a ring read while it is written', () => {
  const BOUND = { maxPreemptions: 2 };

  test('F10: the reader returns no torn event, in every schedule of at most two preemptions', () => {
    for (const order of ['as written', 'count late'] as const) {
      const { schedules } = explore(program(order), BOUND);
      console.log(
        `event ring, ${order}: ${schedules} schedules of at most ${BOUND.maxPreemptions} preemptions`,
      );
      expect(schedules).toBeGreaterThan(300);
    }
  });

  test('F10: the explorer catches a reader without a margin, and a reader that does not read the count again', () => {
    // Subtract eight from later counts, which removes the reader's margin of eight events.
    const withoutMargin = (memory: EventMemory): EventMemory => {
      let loads = 0;
      const load = (words: Int32Array, at: number): number =>
        memory.atomics.load(words, at) - (loads++ === 0 ? 0 : 8);
      return { ...memory, atomics: { ...memory.atomics, load } as EventMemory['atomics'] };
    };
    const lookingOnce = (memory: EventMemory): EventMemory => {
      let first: number | null = null;
      const load = (words: Int32Array, at: number): number => {
        first ??= memory.atomics.load(words, at);
        return first;
      };
      return { ...memory, atomics: { ...memory.atomics, load } as EventMemory['atomics'] };
    };
    expect(() => explore(program('as written', withoutMargin), BOUND)).toThrow(/event \d+ reads/);
    expect(() => explore(program('as written', lookingOnce), BOUND)).toThrow(/event \d+ reads/);
  });
});
