import { BUILD, buildsDiffer } from '../../core/build.js';
import { messageOf, ThreadError } from '../../core/errors.js';
import { inTime } from '../../core/lazily.js';
import { importByAddress } from './import-by-address.js';
import type { LoadPart, ThreadPartModules, ThreadPartName } from './thread-parts.js';

/**
 * How a worker gets at its parts. It imports the file from the address that the main thread has given, and the file leaves
 * its module under a symbol, because bundlers take it for a worker's script and drop its exports.
 *
 *   worker.js ── import(url) ──► worker-motion.js ── offerPart('motion', module) ──► globalThis[symbol] ──► loadPart
 */
const symbolOf = (name: ThreadPartName): symbol => Symbol.for(`fencepost.part.${name}`);

interface OfferedPart<Name extends ThreadPartName> {
  readonly build: string;
  readonly module: ThreadPartModules[Name];
}

/** For the script of a part: makes its module known to the worker that has loaded it. */
export function offerPart<Name extends ThreadPartName>(name: Name, module: ThreadPartModules[Name]): void {
  Object.assign(globalThis, { [symbolOf(name)]: { build: BUILD, module } satisfies OfferedPart<Name> });
}

/** Browsers may remember that an address could not be fetched: each new attempt has another one. */
function againAt(url: string, failures: number): string {
  if (failures === 0 || !/^https?:/.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}again=${failures}`;
}

/**
 * @param urls where the parts lie; empty where nobody knows
 * @returns rejects with ThreadError `features-missing`
 */
export function partLoader<Known extends ThreadPartName>(
  urls: Readonly<Partial<Record<Known, string>>>,
): LoadPart<Known> {
  /** How often the fetch of a part has failed. */
  const failed: Partial<Record<ThreadPartName, number>> = {};
  return async <Name extends Known>(
    name: Name,
    url: string = urls[name] ?? '',
  ): Promise<ThreadPartModules[Name]> => {
    const scope = globalThis as unknown as Record<symbol, OfferedPart<Name> | undefined>;
    let cause: unknown;
    if (!scope[symbolOf(name)]) {
      await inTime(importByAddress(againAt(url, failed[name] ?? 0))).catch((error: unknown) => {
        cause = error;
        failed[name] = (failed[name] ?? 0) + 1;
      });
    }
    const loaded = scope[symbolOf(name)];
    // One that borrows modules (`lent-modules.ts`) finds it out by itself.
    const build = loaded?.build ?? (cause as Partial<OfferedPart<Name>> | undefined)?.build ?? BUILD;
    if (build !== BUILD) throw buildsDiffer(url || `worker-${name}.js`, build, 'worker.js', BUILD);
    if (loaded) return loaded.module;
    const file = url && !url.startsWith('data:') ? url : `worker-${name}.js`;
    const reason = cause === undefined ? 'it is another file' : messageOf(cause);
    throw new ThreadError(
      'features-missing',
      `${file} can't be loaded (${reason}). Serve it beside worker.js.`,
      { cause },
    );
  };
}
