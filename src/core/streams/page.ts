import { PAGE_BYTES } from './stream.js';

/**
 * A page is a run of 32-bit words that belongs to exactly one end of a stream at a time. Its typed views are created
 * with the page, so that no hot path creates a view.
 */
export class Page {
  /** Number of the page at both ends of a stream in shared memory; −1 on other carriers. */
  readonly id: number;
  readonly words: Uint32Array<ArrayBufferLike>;
  readonly ints: Int32Array<ArrayBufferLike>;
  readonly floats: Float32Array<ArrayBufferLike>;
  /** Cost of the page in the stream's limits, in ordinary pages: 1, or more for an oversize page. */
  readonly cost: number;
  /** Words that hold records; set when the page is sealed. */
  usedWords = 0;
  /** The writer's publish count when the page was last given back. The pool uses it to drop idle oversize pages. */
  idleSince = 0;

  constructor(id: number, buffer: ArrayBufferLike, byteOffset: number, byteLength: number) {
    const count = byteLength >>> 2;
    this.id = id;
    this.words = new Uint32Array(buffer, byteOffset, count);
    this.ints = new Int32Array(buffer, byteOffset, count);
    this.floats = new Float32Array(buffer, byteOffset, count);
    this.cost = Math.ceil(byteLength / PAGE_BYTES);
  }
}

/**
 * Returns the size in bytes of the page for a record of `words` words. A record that does not fit into an ordinary page
 * gets the least power of two that holds it.
 */
export function pageBytesFor(words: number): number {
  let bytes = PAGE_BYTES;
  while (bytes < words * 4) bytes *= 2;
  return bytes;
}

/** Creates a page that spans a whole buffer. */
export function wholePage(buffer: ArrayBuffer): Page {
  return new Page(-1, buffer, 0, buffer.byteLength);
}
