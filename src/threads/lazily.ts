/**
 * A part of the engine that is fetched when it is first needed, once. A failed fetch is not kept, so that the
 * next call tries again (the page was offline, a deployment was under way).
 */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
}
