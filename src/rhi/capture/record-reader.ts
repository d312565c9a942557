/**
 * Gives an executor words that are already there, as a stream would. `feed` settles when the last of them has been
 * executed, however often the executor waited in between.
 */
import { RhiError } from '../../core/errors.js';
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import type { Attachment, StreamReader } from '../../core/stream.js';

const noWords = new Uint32Array(0);

/** Words must have passed `checkRecords`. */
export class RecordReader implements StreamReader {
  words: Uint32Array = noWords;
  ints: Int32Array = new Int32Array(0);
  floats: Float32Array = new Float32Array(0);
  opcode = 0;
  fields = 0;
  fieldWords = 0;
  onAvailable: (() => void) | null = null;
  readonly #attachments: ReadonlyMap<number, Uint8Array>;
  #cursor = 0;
  #onDrained: () => void = () => {};

  constructor(attachments: ReadonlyMap<number, Uint8Array>) {
    this.#attachments = attachments;
  }

  /** What was fed before must have been executed. */
  feed(words: Uint32Array): Promise<void> {
    return new Promise((resolve) => {
      this.words = words;
      this.ints = new Int32Array(words.buffer, words.byteOffset, words.length);
      this.floats = new Float32Array(words.buffer, words.byteOffset, words.length);
      this.#cursor = 0;
      this.#onDrained = resolve;
      this.onAvailable?.();
    });
  }

  next(): boolean {
    const at = this.#cursor;
    if (at >= this.words.length) {
      this.#onDrained();
      return false;
    }
    const header = this.words[at];
    this.opcode = header & 0xff;
    this.fields = at + 1;
    this.fieldWords = (header >>> HEADER_LENGTH_SHIFT) - 1;
    this.#cursor = at + 1 + this.fieldWords;
    return true;
  }

  attachment(number: number): Attachment {
    const bytes = this.#attachments.get(number);
    if (bytes === undefined) {
      throw new RhiError(
        'bad-record',
        `Attachment ${number} is not in the capture. Capture the frames again.`,
      );
    }
    return bytes.slice().buffer as ArrayBuffer;
  }

  close(): void {
    this.#onDrained();
  }
}
