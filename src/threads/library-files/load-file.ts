import { BUILD, buildsDiffer } from '../../core/build.js';
import { messageOf, ThreadError } from '../../core/errors.js';
import { inTime } from '../../core/lazily.js';
import { importByAddress } from './import-by-address.js';
import { LIBRARY_FILES, type LoadedFile, type LoadedFiles } from './library-files.js';

/**
 * Loads another file of the library into a running thread. The thread imports the file from the address that
 * the page has sent. The file stores its module under a symbol, because bundlers that take the file for a
 * worker's script drop its exports.
 *
 *   worker.js ── import(url) ──► worker-tools.js ── offerFile('tools', module) ──► globalThis[symbol] ──► loadFile
 */
const symbolOf = (name: LoadedFile): symbol => Symbol.for(`fencepost.file.${name}`);

interface OfferedFile<Name extends LoadedFile> {
  readonly build: string;
  readonly module: LoadedFiles[Name];
}

/** Publishes the module of a file to the thread that loads it. The file's script calls this. */
export function offerFile<Name extends LoadedFile>(name: Name, module: LoadedFiles[Name]): void {
  Object.assign(globalThis, { [symbolOf(name)]: { build: BUILD, module } satisfies OfferedFile<Name> });
}

/** Number of failed attempts by file, for `attemptAt`. */
const failures = new Map<LoadedFile, number>();

/**
 * Returns the address of the next attempt. An http address differs each time, because browsers may remember that it
 * could not be fetched, or which file they fetched.
 */
function attemptAt(url: string, failed: number): string {
  if (failed === 0 || !/^https?:/.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}again=${failed}`;
}

/**
 * Loads a file once. After a failed fetch, or if the address serves another file, the next call tries again.
 *
 * @param url absolute address of the file; empty if it is unknown
 * @throws ThreadError `features-missing` if it cannot be loaded within 30 s, `builds-differ` if it belongs to
 * another build
 */
export async function loadFile<Name extends LoadedFile>(name: Name, url: string): Promise<LoadedFiles[Name]> {
  const scope = globalThis as unknown as Record<symbol, OfferedFile<Name> | undefined>;
  let cause: unknown;
  if (!scope[symbolOf(name)]) {
    const failed = failures.get(name) ?? 0;
    await inTime(importByAddress(attemptAt(url, failed))).catch((error: unknown) => {
      cause = error;
    });
    if (!scope[symbolOf(name)]) failures.set(name, failed + 1);
  }
  const loaded = scope[symbolOf(name)];
  const fileName = url && !url.startsWith('data:') ? url : LIBRARY_FILES[name];
  if (loaded && loaded.build !== BUILD) throw buildsDiffer(fileName, loaded.build, 'worker.js', BUILD);
  if (loaded) return loaded.module;
  const reason = cause === undefined ? 'the address serves another file' : messageOf(cause);
  throw new ThreadError(
    'features-missing',
    `${fileName} can't be loaded (${reason}). Serve it beside worker.js.`,
    { cause },
  );
}
