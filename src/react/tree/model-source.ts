import { type LoadSource, OptionError } from '../../index.js';
import { isSame } from './same.js';

/** Number of equal-looking files, each loaded and then not used, after which another one is refused. */
const UNUSED_LIMIT = 5;
/** Longest time in milliseconds between a load and the next render of a component that waits for it. */
const LOOP_MS = 2000;

/** A source that was loaded, and the number of its bytes at that time. */
interface LoadedSource {
  readonly source: LoadSource;
  readonly byteLength: number;
}

const isBytes = (source: unknown): source is ArrayBuffer | ArrayBufferView =>
  source instanceof ArrayBuffer || ArrayBuffer.isView(source);

/** Returns the number of bytes of a source in memory; 0 for other sources. */
export const sizeOf = (source: LoadSource): number => (isBytes(source) ? source.byteLength : 0);

/**
 * Returns whether a source is the same file as a loaded one. A component often creates its source inline, which is
 * another object in every render. So URLs, bytes and arrays are compared by content, and files by identity.
 */
export function isSameSource(source: LoadSource, loaded: LoadedSource): boolean {
  const other = loaded.source;
  if (source instanceof URL) return other instanceof URL && source.href === other.href;
  if (!isBytes(source)) return isSame(source, other);
  // The buffer of the loaded bytes may have been transferred away since.
  const isComplete = isBytes(other) && other.byteLength === loaded.byteLength;
  return isComplete && source.byteLength === loaded.byteLength && hasSameBytes(source, other);
}

function hasSameBytes(one: ArrayBuffer | ArrayBufferView, other: ArrayBuffer | ArrayBufferView): boolean {
  if (one.byteLength === 0) return true;
  const [left, right] = [bytesOf(one), bytesOf(other)];
  return left.every((byte, at) => byte === right[at]);
}

const bytesOf = (source: ArrayBuffer | ArrayBufferView): Uint8Array =>
  source instanceof ArrayBuffer
    ? new Uint8Array(source)
    : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);

/**
 * Ends the loop of a component that creates its `File` in each render: it suspends, the file is loaded, and the next
 * render passes another file. The file of such a component is never used.
 *
 *   read ─► loaded, unused ─► read another equal-looking file at once ─► loaded, unused ─► …
 */
export class LoopGuard {
  /** Number of unused loads, and the time of the last one in milliseconds, by the names and sizes of the files. */
  readonly #unused = new Map<string, { readonly count: number; readonly at: number }>();

  /** Checks a file that is not loaded yet. @throws OptionError `source-unstable` */
  check(source: LoadSource): void {
    const look = lookOf(source);
    const { count, at } = this.#unused.get(look) ?? { count: 0, at: 0 };
    if (performance.now() - at > LOOP_MS) this.#unused.delete(look);
    else if (count >= UNUSED_LIMIT)
      throw new OptionError(
        'source-unstable',
        `A component gives useModel a new File in each render (${look}). Create the File outside of the component, so that each render passes the same one.`,
      );
  }

  /** Counts a load that no mounted component has used yet. */
  count(source: LoadSource): void {
    const look = lookOf(source);
    if (look)
      this.#unused.set(look, { count: (this.#unused.get(look)?.count ?? 0) + 1, at: performance.now() });
  }

  /** Forgets the loads that look like a file that is used. */
  use(source: LoadSource): void {
    this.#unused.delete(lookOf(source));
  }
}

/** Returns the names and sizes of files; an empty text for other sources. */
function lookOf(source: LoadSource): string {
  const files: readonly unknown[] = Array.isArray(source) ? source : [source];
  if (!files.every((file) => file instanceof Blob)) return '';
  return files.map((file) => `${(file as Partial<File>).name ?? 'a Blob'}, ${file.size} bytes`).join('; ');
}
