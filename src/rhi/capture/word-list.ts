/**
 * Words in growing number: chunks, so that nothing is copied again when more come. Per frame while capturing.
 */
const CHUNK_WORDS = 16384;

export class WordList {
  readonly #chunks: Uint32Array[] = [];
  #chunk = new Uint32Array(0);
  #used = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(words: Uint32Array, start: number, end: number): void {
    const count = end - start;
    if (this.#used + count > this.#chunk.length) {
      if (this.#used > 0) this.#chunks.push(this.#chunk.subarray(0, this.#used));
      this.#chunk = new Uint32Array(Math.max(CHUNK_WORDS, count));
      this.#used = 0;
    }
    this.#chunk.set(words.subarray(start, end), this.#used);
    this.#used += count;
    this.#length += count;
  }

  /** Copies the first `length` words. */
  toArray(length = this.#length): Uint32Array<ArrayBuffer> {
    const all = new Uint32Array(length);
    let at = 0;
    for (const chunk of [...this.#chunks, this.#chunk.subarray(0, this.#used)]) {
      const part = chunk.subarray(0, length - at);
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

export function concatenate(parts: readonly Uint32Array[]): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
