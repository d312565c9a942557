import { StreamError } from '../errors.js';
import { HEADER_LENGTH_SHIFT } from '../records/record-table.js';
import type { StreamLimits } from './stream.js';

/** The part of a record table that streams use: names by opcode, for messages and validation. */
export interface StreamTable {
  readonly name: string;
  readonly names: readonly string[];
}

interface StreamUsage {
  /** Pages that the reader has not given back, in ordinary pages. */
  readonly pagesOutstanding: number;
  /** Bytes of records since the stream began. */
  readonly bytesWritten: number;
  readonly limits: StreamLimits;
}

/** The stream has reached its fatal limit: the reader does not keep up, and the writer did not wait. */
export class StreamOverrunError extends StreamError {
  readonly usage: StreamUsage;
  /**
   * Number of records by name, including the rejected one. Counting begins at the hard limit, or at half the fatal
   * limit if that is less.
   */
  readonly histogram: Readonly<Record<string, number>>;

  constructor(table: StreamTable, usage: StreamUsage, counts: Uint32Array) {
    const entries = table.names
      .map((name, opcode): [string, number] => [name, counts[opcode]])
      .filter(([, count]) => count > 0)
      .sort((a, b) => b[1] - a[1]);
    const { pagesOutstanding, bytesWritten, limits } = usage;
    super(
      'stream-overrun',
      `The stream "${table.name}" has ${pagesOutstanding} pages that its reader has not given back, and the fatal limit is ${limits.fatalPages}. ` +
        `${bytesWritten} bytes were written in all; the latest records: ${entries.map(([name, count]) => `${name} ${count}`).join(', ')}. ` +
        'Wait for whenWritable() before writing more, or find out why the reader stands still.',
    );
    this.usage = usage;
    this.histogram = Object.fromEntries(entries);
  }
}

/**
 * Adds the records of `words[0 … usedWords)` to `counts`, by opcode. It is not on the hot path: it runs only near the
 * fatal limit or beyond the hard limit.
 */
export function countRecords(words: Uint32Array, usedWords: number, counts: Uint32Array): void {
  // Advance by at least 1: an overwritten header must not make this loop endless.
  for (let at = 0; at < usedWords; at += words[at] >>> HEADER_LENGTH_SHIFT || 1) counts[words[at] & 0xff]++;
}
