/**
 * Converts the source of `world.load` to absolute URLs or bytes for the asset worker. URLs are resolved here,
 * because only the main thread knows the document's base URL.
 */
import { OptionError } from '../../core/errors.js';
import type { AssetSource } from '../../proxy/scene-description.js';

/**
 * A URL (a string is resolved against the document), a file, several files of one model, or a file's bytes.
 */
export type LoadSource = string | URL | File | readonly File[] | ArrayBuffer | ArrayBufferView;

/**
 * Converts a source. Throws `load-source-invalid` or `load-url-invalid`. Files are passed on unread: the
 * worker reads them.
 * @param call name of the function that the caller used, for messages
 */
export function assetSource(source: LoadSource, call = 'load'): AssetSource {
  if (typeof source === 'string' || source instanceof URL) {
    const base = typeof document === 'undefined' ? undefined : document.baseURI;
    try {
      return { kind: 'url', url: new URL(source, base).href };
    } catch (cause) {
      throw new OptionError('load-url-invalid', `${call} was given "${source}", which is not a URL.`, {
        cause,
      });
    }
  }
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    return { kind: 'bytes', name: 'an ArrayBuffer', bytes: copyOf(source, call) };
  const list: readonly File[] = Array.isArray(source) ? source : [source as File];
  const [first] = list;
  if (!first || list.some((file) => !(file instanceof Blob))) {
    throw new OptionError(
      'load-source-invalid',
      `${call} takes a URL, a File, an array of Files (at least one), or an ArrayBuffer.`,
    );
  }
  const files = list.map((file) => ({ name: file.webkitRelativePath || file.name || '', bytes: file }));
  return files.length === 1
    ? { kind: 'bytes', name: first.name || 'a Blob', bytes: first }
    : { kind: 'files', files };
}

/** Copies bytes, because they are transferred to the worker and the caller keeps its own. */
function copyOf(source: ArrayBuffer | ArrayBufferView, call: string): ArrayBuffer {
  try {
    if (source instanceof ArrayBuffer) return source.slice(0);
    const bytes = new Uint8Array(source.byteLength);
    bytes.set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    return bytes.buffer;
  } catch (cause) {
    throw new OptionError(
      'load-source-invalid',
      `The bytes given to ${call} can't be copied: their ArrayBuffer was transferred away, or memory is full. Load a copy, or fetch them again.`,
      { cause },
    );
  }
}
