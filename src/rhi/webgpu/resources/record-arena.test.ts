import { describe, expect, it } from 'vitest';
import { HEADER_LENGTH_SHIFT } from '../../../core/records/record-table.js';
import { RecordArena, type RecordOwner } from './record-arena.js';

function record(length: number, fill: number): Uint32Array {
  const words = new Uint32Array(length).fill(fill);
  words[0] = (length << HEADER_LENGTH_SHIFT) | 7;
  return words;
}

describe('RecordArena', () => {
  it('stores records side by side, and returns copies of them', () => {
    const arena = new RecordArena();
    const none = () => [];
    expect([
      arena.add(record(3, 1), none),
      arena.add(record(5, 2), none),
      arena.add(record(1, 0), none),
    ]).toEqual([0, 3, 8]);
    expect([...arena.at(3)]).toEqual([...record(5, 2)]);
    arena.at(3)[1] = 99;
    expect(arena.at(3)[1]).toBe(2);
  });

  it('keeps live records when it is full, updates their owners, and drops the other records', () => {
    const arena = new RecordArena();
    const owners: RecordOwner[] = [];
    let begun = 0;
    for (let i = 0; i < 1000; i++) {
      const owner = { creation: arena.add(record(64, i), () => owners) };
      if (owner.creation < begun) expect(owner.creation).toBe(owners.length * 64);
      begun = owner.creation;
      // One record in eight stays alive.
      if (i % 8 === 0) owners.push(owner);
    }
    for (const [n, owner] of owners.entries())
      expect([...arena.at(owner.creation)]).toEqual([...record(64, n * 8)]);
    expect(begun).toBeLessThan(1000 * 64);
  });
});
