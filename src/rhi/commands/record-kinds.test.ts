import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rhiCommands } from './commands.js';
import { countEqual, startOf, withRoom } from './kept-words.js';
import { isBundled, isDraw } from './record-kinds.js';

describe('kinds of records', () => {
  const names = Object.keys(rhiCommands.opcodes) as (keyof typeof rhiCommands.opcodes)[];

  it('bundles hold every draw', () => {
    const draws = names.filter((name) => isDraw[rhiCommands.opcodes[name]] === 1);
    expect(draws).toEqual(names.filter((name) => name.startsWith('draw')));
    for (const name of draws) expect(isBundled[rhiCommands.opcodes[name]]).toBe(1);
  });
});

describe('words kept', () => {
  it('are counted as equal up to the first that differs, or the end of either', () => {
    const words = fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 12 });
    fc.assert(
      fc.property(words, words, fc.nat(6), fc.nat(6), (kept, page, position, cursor) => {
        fc.pre(position <= kept.length && cursor <= page.length);
        const [a, b] = [kept.slice(position), page.slice(cursor)];
        let expected = 0;
        while (expected < Math.min(a.length, b.length) && a[expected] === b[expected]) expected++;
        const [mine, theirs] = [Uint32Array.from([...kept, 7]), Uint32Array.from([...page, 7])];
        expect(countEqual(mine, position, kept.length, theirs, cursor, page.length)).toBe(expected);
      }),
    );
  });

  it('know the record that a word lies in', () => {
    const starts = Uint32Array.of(0, 3, 8, 13, 99);
    expect([0, 2, 3, 7, 8, 12, 13, 50].map((position) => startOf(starts, 4, position))).toEqual([
      0, 0, 3, 3, 8, 8, 13, 13,
    ]);
    expect(startOf(new Uint32Array(0), 0, 5)).toBe(0);
  });

  it('get room by powers of two, and keep what is used', () => {
    const words = Uint32Array.of(1, 2, 3, 4);
    expect(withRoom(words, 4, 4)).toBe(words);
    expect([...withRoom(words, 3, 5)]).toEqual([1, 2, 3, 0, 0, 0, 0, 0]);
  });
});
