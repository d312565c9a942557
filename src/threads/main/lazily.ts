import { isTyped, messageOf, PlatformError } from '../../core/errors.js';

/**
 * A part of the engine that is fetched when it is first needed, once. A failed fetch is not kept, so that the
 * next call tries again (the page was offline, a deployment was under way).
 */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return () => {
    loaded ??= part(load()).catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
}

/** @throws PlatformError `part-missing` where the browser could not fetch it */
export async function part<T>(fetched: Promise<T>): Promise<T> {
  try {
    return await fetched;
  } catch (cause) {
    if (isTyped(cause)) throw cause;
    throw new PlatformError(
      'part-missing',
      `A part of the engine could not be fetched: ${messageOf(cause)} Call again when the network is back.`,
      { cause },
    );
  }
}
