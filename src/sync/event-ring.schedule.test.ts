import { describe, expect, test } from 'vitest';
import { explore } from './testing/schedule-explorer.js';

describe('a ring read while it is written', () => {
  /**
   * Reader and writer as `event-ring.ts` and `event-reader.ts` have them, number by number: a ring of `CAPACITY`
   * events of two numbers that must agree. The first plain store of an event may become visible before the count of
   * the one before it, which is what the margin is for.
   */
  const CAPACITY = 4;
  const MARGIN = 2;
  const program = (margin: number, isReordered: boolean) => () => {
    const numbers = new Float64Array(CAPACITY * 2);
    let count = 0;
    const torn: string[] = [];
    function* write(): Generator<string, void, void> {
      for (let event = 1; event <= 8; event++) {
        const at = ((event - 1) % CAPACITY) * 2;
        if (isReordered && event > 1) {
          numbers[at] = event;
          yield `first of ${event} early`;
          count = event - 1;
          yield `count ${event - 1} late`;
        } else {
          numbers[at] = event;
          yield `first of ${event}`;
        }
        numbers[at + 1] = event;
        yield `second of ${event}`;
        if (!isReordered || event === 8) {
          count = event;
          yield `count ${event}`;
        }
      }
    }
    function* read(): Generator<string, void, void> {
      const seen = count;
      yield `count ${seen}`;
      const copied = Math.min(seen, CAPACITY);
      const copy: [number, number, number][] = [];
      for (let index = seen - copied; index < seen; index++) {
        const first = numbers[(index % CAPACITY) * 2] as number;
        yield `first at ${index}: ${first}`;
        const second = numbers[(index % CAPACITY) * 2 + 1] as number;
        yield `second at ${index}: ${second}`;
        copy.push([index, first, second]);
      }
      const overrun = Math.max(0, copied + (count - seen) + margin - CAPACITY);
      for (const [index, first, second] of copy.slice(overrun)) {
        if (first !== index + 1 || second !== index + 1)
          torn.push(`event ${index + 1} reads ${first}, ${second}`);
      }
      yield 'looked again';
    }
    return {
      threads: { writer: write(), reader: read() },
      invariant: () => expect(torn).toEqual([]),
    };
  };

  test('F10: no torn event is believed, in every schedule', () => {
    expect(explore(program(MARGIN, true), { maxPreemptions: 3 }).schedules).toBeGreaterThan(300);
    expect(explore(program(1, false), { maxPreemptions: 3 }).schedules).toBeGreaterThan(300);
  });

  test('F10: a reader without a margin, and one that does not look again, are caught', () => {
    expect(() => explore(program(0, false), { maxPreemptions: 3 })).toThrow(/event \d reads/);
    expect(() => explore(program(1, true), { maxPreemptions: 3 })).toThrow(/event \d reads/);
  });
});
