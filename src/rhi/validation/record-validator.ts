/** Checks the records of any reader, one by one: for readers whose pages can't be looked into. */
import type { Attachment, StreamReader } from '../../core/stream.js';
import { RecordCheck } from './record-check.js';
import type { ValidatingReader, ValidationOptions } from './validate.js';

export class RecordValidator implements ValidatingReader {
  words: Uint32Array;
  ints: Int32Array;
  floats: Float32Array;
  opcode = 0;
  fields = 0;
  fieldWords = 0;
  readonly #source: StreamReader;
  readonly #check: RecordCheck;
  readonly #inserted: number[];
  /** Handed on already of `#inserted`; behind them waits the source's current record. */
  #insertedCount = 0;
  #isCurrentFine = false;

  constructor(source: StreamReader, options: ValidationOptions) {
    this.#source = source;
    this.words = source.words;
    this.ints = source.ints;
    this.floats = source.floats;
    this.#check = new RecordCheck(options);
    this.#inserted = this.#check.state.inserted;
  }

  get skippedDraws(): number {
    return this.#check.state.skippedDraws;
  }

  get onAvailable(): (() => void) | null {
    return this.#source.onAvailable;
  }

  set onAvailable(listener: (() => void) | null) {
    this.#source.onAvailable = listener;
  }

  attachment(number: number): Attachment {
    return this.#source.attachment(number);
  }

  close(reason?: Error): void {
    this.#source.close(reason);
  }

  /** Per record. */
  next(): boolean {
    const source = this.#source;
    const check = this.#check;
    const inserted = this.#inserted;
    if (inserted.length > 0 && this.#nextInserted()) return true;
    while (source.next()) {
      this.words = source.words;
      this.ints = source.ints;
      this.floats = source.floats;
      this.opcode = source.opcode;
      this.fields = source.fields;
      this.fieldWords = source.fieldWords;
      const isFine = check.isFine(this);
      if (inserted.length > 0) {
        this.#isCurrentFine = isFine;
        this.#nextInserted();
        return true;
      }
      if (isFine || check.mustGoOn(this, source)) return true;
    }
    return false;
  }

  /** The next inserted record, or the one that it was put before; false when neither is left. */
  #nextInserted(): boolean {
    const inserted = this.#inserted;
    if (this.#insertedCount < inserted.length) {
      this.opcode = inserted[this.#insertedCount++];
      this.fieldWords = 0;
      return true;
    }
    inserted.length = this.#insertedCount = 0;
    this.opcode = this.#source.opcode;
    this.fieldWords = this.#source.fieldWords;
    return this.#isCurrentFine || this.#check.mustGoOn(this, this.#source);
  }
}
