/**
 * The bytes of a source: its main file and the files that it references, from the network, from dropped files or from
 * memory. Each file is read once. Progress counts the bytes of all known files, so the total grows once the main file
 * has been read.
 *
 *   url    main ◄─ fetch(url)         "tree.bin" ◄─ fetch(new URL('tree.bin', url))
 *   files  main ◄─ the .gltf/.glb     "tree.bin" ◄─ the dropped file of that path or name
 *   bytes  main ◄─ the caller's bytes "tree.bin" is missing
 *
 * For `files` and `bytes`, absolute http(s) addresses are fetched.
 */
import { hasOpaqueOrigin } from '../core/browser/opaque-origin.js';
import type { AssetSource, LoadProgress } from '../proxy/scene-description.js';
import { assetError } from './asset-error.js';
import { shortUrl } from './worker-died.js';

interface AssetFilesOptions {
  /** Fetch function. Default: the global one. */
  readonly fetch?: typeof fetch | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
}

/** Bytes of one file; `total` is 0 while unknown. */
interface FileProgress {
  loaded: number;
  total: number;
}

/** The files of one load. */
export class AssetFiles {
  /** The main file's address or name, for errors. */
  readonly mainName: string;
  readonly warnings: string[] = [];
  readonly #source: AssetSource;
  readonly #options: AssetFilesOptions;
  #isReadingFinished = false;
  readonly #progress: FileProgress[] = [];
  readonly #read = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  readonly #mainIndex: number = 0;
  /** Base URL of relative addresses in the main file: its own URL after all redirects. */
  #base: string | undefined;

  constructor(source: AssetSource, options: AssetFilesOptions) {
    this.#source = source;
    this.#options = options;
    this.#base = source.kind === 'url' ? source.url : undefined;
    if (source.kind === 'url') this.mainName = shortUrl(source.url);
    else if (source.kind === 'bytes') this.mainName = source.name;
    else {
      const names = source.files.map((file) => file.name);
      const main = names.filter((name) => /\.(gltf|glb)$/i.test(name));
      const chosen = main[0];
      if (chosen === undefined) {
        throw assetError(
          'not-gltf',
          names.join('", "'),
          '',
          'None of these files is a .gltf or .glb file. Add the .gltf or .glb file that uses them.',
        );
      }
      this.mainName = chosen;
      this.#mainIndex = names.indexOf(chosen);
      if (main.length > 1) {
        this.warnings.push(
          `${main.length} glTF files were given, and only "${chosen}" is loaded. Load the others one by one.`,
        );
      }
    }
  }

  /** Reads the .gltf or .glb file itself. */
  async readMain(): Promise<Uint8Array<ArrayBuffer>> {
    const source = this.#source;
    if (source.kind === 'url') {
      return this.#fetch(source.url, 'fetch-failed', '', (url) => {
        this.#base = url;
      });
    }
    const given = source.kind === 'bytes' ? source.bytes : source.files[this.#mainIndex]?.bytes;
    return this.#readGiven(given ?? new ArrayBuffer(0));
  }

  /** Reads a file that the main file references. Each address is read once. */
  read(uri: string): Promise<Uint8Array<ArrayBuffer>> {
    let bytes = this.#read.get(uri);
    if (!bytes) {
      bytes = this.#readReferenced(uri);
      this.#read.set(uri, bytes);
    }
    return bytes;
  }

  async #readReferenced(uri: string): Promise<Uint8Array<ArrayBuffer>> {
    const source = this.#source;
    const place = `its resource "${uri}"`;
    if (source.kind === 'files') {
      const file = findFile(source.files, this.mainName, uri);
      if (file) return this.#readGiven(file.bytes);
    }
    const base = this.#base;
    const address = keepWhiteSpace(uri);
    const url = URL.canParse(address, base) ? new URL(address, base) : null;
    if (url && (source.kind === 'url' || /^https?:$/.test(url.protocol))) {
      return this.#fetch(url.href, 'resource-missing', place);
    }
    const remedy =
      source.kind === 'files'
        ? 'is not among the files given. Drop it together with the main file.'
        : 'cannot be found, because only the bytes of the main file were given. Load from a URL, pass all the files, or use a .glb file.';
    throw assetError('resource-missing', this.mainName, place, `It ${remedy}`);
  }

  async #readGiven(bytes: ArrayBuffer | Blob): Promise<Uint8Array<ArrayBuffer>> {
    const buffer = bytes instanceof ArrayBuffer ? bytes : await bytes.arrayBuffer();
    this.#progress.push({ loaded: buffer.byteLength, total: buffer.byteLength });
    this.#report();
    return new Uint8Array(buffer);
  }

  async #fetch(
    url: string,
    code: 'fetch-failed' | 'resource-missing',
    place: string,
    onAnswer: (url: string) => void = () => {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { signal, fetch: fetchFile = fetch } = this.#options;
    const subject = place ? `It (${url})` : 'It';
    try {
      const response = await fetchFile(url, { signal: signal ?? null });
      if (!response.ok) {
        const status = `${response.status} ${response.statusText}`.trim();
        throw assetError(
          code,
          this.mainName,
          place,
          `${subject} could not be fetched: the server answered ${status}. Check the address.`,
          undefined,
          { status: String(response.status) },
        );
      }
      // A response that code has constructed has an empty `url`.
      onAnswer(response.url || url);
      return await this.#readBody(response);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Error && 'code' in error && error.code === code) throw error;
      throw assetError(
        code,
        this.mainName,
        place,
        `${subject} could not be fetched: ${error instanceof Error ? error.message : String(error)}. Check the address, the connection and ${
          hasOpaqueOrigin()
            ? 'the CORS headers: a page of an opaque origin (a sandboxed frame, or a file) needs Access-Control-Allow-Origin: * from every server'
            : 'on another origin, its CORS headers'
        }.`,
        error,
      );
    }
  }

  async #readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
    const declared = Number(response.headers.get('content-length'));
    const progress = { loaded: 0, total: Math.max(declared, 0) };
    this.#progress.push(progress);
    const chunks: Uint8Array[] = [];
    const reader = response.body?.getReader();
    for (;;) {
      const step = await reader?.read();
      if (!step || step.done) break;
      chunks.push(step.value);
      progress.loaded += step.value.byteLength;
      // A compressed response yields more bytes than its Content-Length.
      if (progress.total && progress.loaded > progress.total) progress.total = progress.loaded;
      this.#report();
    }
    progress.total = progress.loaded;
    this.#report();
    const bytes = new Uint8Array(progress.loaded);
    let offset = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, offset);
      offset += chunk.byteLength;
    }
    return bytes;
  }

  /** Sends the last progress report, after all files have been read. */
  finishReading(): void {
    this.#isReadingFinished = true;
    this.#report();
  }

  #report(): void {
    const { onProgress } = this.#options;
    if (!onProgress) return;
    let loadedBytes = 0;
    let totalBytes = 0;
    let isTotalKnown = true;
    for (const file of this.#progress) {
      loadedBytes += file.loaded;
      totalBytes += file.total;
      isTotalKnown &&= file.total > 0 || file.loaded === 0;
    }
    if (isTotalKnown && loadedBytes === totalBytes && !this.#isReadingFinished) return;
    onProgress({ loadedBytes, totalBytes: isTotalKnown ? totalBytes : 0 });
  }
}

/**
 * Percent-encodes the white space of a relative address that `URL` would drop. `URL` drops white space at the ends, and
 * line breaks and tabs anywhere, but all of it is part of the file's name.
 */
function keepWhiteSpace(uri: string): string {
  // An address with a scheme is absolute and stays as it is.
  if (URL.canParse(uri)) return uri;
  return uri.replace(/^\s+|\s+$|[\t\n\r]/g, encodeURIComponent);
}

/** Finds a dropped file by its relative path, else by its bare name, because dropped files may lack their folders. */
function findFile<File extends { readonly name: string }>(
  files: readonly File[],
  mainName: string,
  uri: string,
): File | undefined {
  const wanted = normalizePath(mainName.slice(0, mainName.lastIndexOf('/') + 1) + decodePath(uri));
  const wantedName = wanted.slice(wanted.lastIndexOf('/') + 1);
  return (
    files.find((file) => normalizePath(file.name) === wanted) ??
    files.find((file) => file.name.slice(file.name.lastIndexOf('/') + 1) === wantedName)
  );
}

function decodePath(uri: string): string {
  const path = uri.split(/[?#]/, 1)[0] ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(/[/\\]/)) {
    if (part === '..') parts.pop();
    else if (part && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
