import { isTyped, messageOf, PlatformError } from './errors.js';

/** Longest time until a part is fetched and compiled, in milliseconds. */
const LOAD_LIMIT = 30_000;

/**
 * Returns a function that fetches a part of the engine once, at its first call. A failed fetch is not kept, so the
 * next call tries again: the page may have been offline, or a deployment in progress. Some browsers remember a failed
 * fetch in HTML's module map until the page is reloaded. In these browsers the next call fails as well.
 *
 * @param name name of the part, for messages
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
 * Waits for a part that is being fetched, for at most 30 s.
 * @throws PlatformError `part-missing` if the browser could not fetch the part, or not within 30 s; typed errors of
 *   `fetched`
 */
export async function part<T>(name: string, fetched: Promise<T>): Promise<T> {
  try {
    return await inTime(fetched);
  } catch (cause) {
    if (isTyped(cause)) throw cause;
    throw new PlatformError(
      'part-missing',
      `The part "${name}" of the engine could not be fetched: ${messageOf(cause)} Call again when the network is back. If that fails as well, reload the page: some browsers remember failed fetches.`,
      { cause },
    );
  }
}

/** Settles like `fetched`, or rejects if it has not settled within 30 s. */
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
