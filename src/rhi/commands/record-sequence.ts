/** Records that follow each other in an array of words, such as those of a draw bundle or a capture. */
import { RhiError } from '../../core/errors.js';
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import type { StreamReader } from '../../core/streams/stream.js';

/** A record and its attachment, such as the current record of a reader. */
export type CommandRecord = Omit<StreamReader, 'next' | 'onAvailable' | 'close'>;

export class RecordSequence implements CommandRecord {
  readonly words: Uint32Array;
  readonly ints: Int32Array;
  readonly floats: Float32Array;
  /** Index of the next record's header. */
  cursor = 0;
  /** Index at which the records end. */
  readonly used: number;
  opcode = 0;
  fields = 0;
  fieldWords = 0;

  /** @param words the words of whole records */
  constructor(words: Uint32Array) {
    this.words = words;
    this.ints = new Int32Array(words.buffer, words.byteOffset, words.length);
    this.floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    this.used = words.length;
  }

  next(): boolean {
    if (this.cursor >= this.used) return false;
    const header = this.words[this.cursor] as number;
    this.opcode = header & 0xff;
    this.fields = this.cursor + 1;
    // A forged header may have the length 0, which must not stop the iteration.
    this.fieldWords = Math.max(1, header >>> HEADER_LENGTH_SHIFT) - 1;
    this.cursor = this.fields + this.fieldWords;
    return true;
  }

  /** Iterates over the records. The yielded value is always this sequence, positioned at the record. */
  *[Symbol.iterator](): IterableIterator<CommandRecord> {
    while (this.next()) yield this;
  }

  /** Returns a sequence positioned at the record whose header has this index. */
  static at(words: Uint32Array, header: number): RecordSequence {
    const sequence = new RecordSequence(words);
    sequence.cursor = header;
    sequence.next();
    return sequence;
  }

  attachment(): never {
    throw new RhiError(
      'bad-record',
      'A record of this sequence has no attachment. Record it with a context of this version.',
    );
  }
}
