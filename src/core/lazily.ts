import { isTyped, messageOf, PlatformError } from './errors.js';

/** Time for a part to be fetched and compiled, in milliseconds. */
const LOAD_LIMIT = 30_000;

/**
 * A part of the engine that is fetched when it is first needed, once. A failed fetch is not kept, so that the
 * next call tries again (the page was offline, a deployment was under way). Some browsers remember a failed fetch until the
 * page is loaded anew, as HTML's map of modules does: there the next call fails as well.
 *
 * @param name of the part, for messages
 */
export function lazily<T>(name: string, load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return () => {
    loaded ??= part(name, load()).catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
}

/**
 * Every load of code on the page's thread ends: with the part, or with an error that names it.
 * @throws PlatformError `part-missing` where the browser could not fetch it, or has not for 30 s
 */
export async function part<T>(name: string, fetched: Promise<T>): Promise<T> {
  try {
    return await inTime(fetched);
  } catch (cause) {
    if (isTyped(cause)) throw cause;
    throw new PlatformError(
      'part-missing',
      `The part "${name}" of the engine could not be fetched: ${messageOf(cause)} Call again when the network is back; where that fails as well, reload the page: some browsers remember what they could not fetch.`,
      { cause },
    );
  }
}

/** What is fetched, or a rejection when that was not answered in time. */
export async function inTime<T>(fetched: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${LOAD_LIMIT} ms for an answer.`)), LOAD_LIMIT);
  });
  try {
    return await Promise.race([fetched, late]);
  } finally {
    clearTimeout(timer);
  }
}
