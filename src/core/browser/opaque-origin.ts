/**
 * Returns whether this page or worker has an opaque origin: in a sandboxed frame without `allow-same-origin`, or in a
 * file opened from disk. No address has the same origin: servers must allow its requests (CORS), and workers can't read
 * its `blob:` URLs.
 */
export const hasOpaqueOrigin = (): boolean => globalThis.origin === 'null';

/**
 * Returns whether memory can be shared with workers: only in cross-origin isolated pages. Workers of a page with an
 * opaque origin start from `data:` URLs, and are never isolated.
 */
export const canShareMemory = (): boolean => globalThis.crossOriginIsolated === true && !hasOpaqueOrigin();
