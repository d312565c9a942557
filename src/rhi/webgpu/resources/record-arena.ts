/**
 * Keeps copies of records side by side in one array. Separate arrays would lie in memory between the objects that each
 * draw reads, and make the processor's cache less effective.
 *
 *   words  │ record of a │ record of b │ record of c │ free …      add ─► index at which the record begins
 *
 * Single records are never freed. When the array is full, the records of live owners move to a new array.
 */
import { HEADER_LENGTH_SHIFT } from '../../../core/records/record-table.js';

const INITIAL_WORDS = 4096;

/** A resource with a record in the arena. */
export interface RecordOwner {
  /** Index of the record; −1 if the owner has none. */
  creation: number;
}

export class RecordArena {
  #words = new Uint32Array(INITIAL_WORDS);
  #used = 0;

  /**
   * Appends a copy of a record.
   * @param live returns all current owners; if the records move, `creation` of each owner is updated
   * @returns the index of the record
   */
  add(record: Uint32Array, live: () => Iterable<RecordOwner>): number {
    if (this.#used + record.length > this.#words.length) this.#move(live(), record.length);
    const at = this.#used;
    this.#words.set(record, at);
    this.#used += record.length;
    return at;
  }

  get byteLength(): number {
    return this.#words.byteLength;
  }

  /** Returns a copy of a record, with header and fields. */
  at(begin: number): Uint32Array {
    return this.#words.slice(begin, begin + this.#lengthAt(begin));
  }

  #lengthAt(begin: number): number {
    return (this.#words[begin] as number) >>> HEADER_LENGTH_SHIFT;
  }

  #move(live: Iterable<RecordOwner>, needed: number): void {
    const owners = [...live].filter(({ creation }) => creation >= 0).sort((a, b) => a.creation - b.creation);
    const used = owners.reduce((sum, { creation }) => sum + this.#lengthAt(creation), 0);
    const words = new Uint32Array(2 * (used + needed) + INITIAL_WORDS);
    let at = 0;
    for (const owner of owners) {
      const length = this.#lengthAt(owner.creation);
      words.set(this.#words.subarray(owner.creation, owner.creation + length), at);
      owner.creation = at;
      at += length;
    }
    this.#words = words;
    this.#used = at;
  }
}
