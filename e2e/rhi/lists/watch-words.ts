/** Hashes every word on its way to an executor, so that two recordings can be compared. */
import { ForwardingReader } from '../../../src/core/streams/forwarding-reader.js';

export class WordWatcher extends ForwardingReader {
  #value = 0x811c9dc5;

  get hash(): string {
    return this.#value.toString(16).padStart(8, '0');
  }

  override next(): boolean {
    if (!super.next()) return false;
    const { words, fields, fieldWords } = this;
    this.#take(this.opcode);
    for (let i = 0; i < fieldWords; i++) this.#take(words[fields + i] ?? 0);
    return true;
  }

  /** Adds a word to the FNV-1a hash. */
  #take(word: number): void {
    this.#value = Math.imul(this.#value ^ word, 0x01000193) >>> 0;
  }
}
