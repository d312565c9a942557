/**
 * Gives an executor words that are already there, as a stream would. `feed` settles when the last of them has been
 * executed, however often the executor waited in between.
 */
import { RhiError } from '../../core/errors.js';
import type { Attachment, StreamReader } from '../../core/stream.js';
import { RecordSequence } from '../commands/record-sequence.js';
import type { CapturedAttachment } from './capture-file.js';

/** Words must have passed `checkRecords`. */
export class RecordReader implements StreamReader {
  words: Uint32Array = new Uint32Array(0);
  ints: Int32Array = new Int32Array(0);
  floats: Float32Array = new Float32Array(0);
  opcode = 0;
  fields = 0;
  fieldWords = 0;
  onAvailable: (() => void) | null = null;
  readonly #attachments: readonly CapturedAttachment[];
  #records = new RecordSequence(this.words);
  #onDrained: () => void = () => {};

  constructor(attachments: readonly CapturedAttachment[] = []) {
    this.#attachments = attachments;
  }

  /** What was fed before must have been executed. */
  feed(words: Uint32Array): Promise<void> {
    return new Promise((resolve) => {
      this.#records = new RecordSequence(words);
      Object.assign(this, { words, ints: this.#records.ints, floats: this.#records.floats });
      this.#onDrained = resolve;
      this.onAvailable?.();
    });
  }

  next(): boolean {
    const records = this.#records;
    if (!records.next()) {
      this.#onDrained();
      return false;
    }
    this.opcode = records.opcode;
    this.fields = records.fields;
    this.fieldWords = records.fieldWords;
    return true;
  }

  attachment(number: number): Attachment {
    const found = this.#attachments.find((each) => each.number === number);
    if (found !== undefined) return found.bytes.slice().buffer as ArrayBuffer;
    throw new RhiError('bad-record', `Attachment ${number} is not in the capture. Capture the frames again.`);
  }

  close(): void {
    this.#onDrained();
  }
}
