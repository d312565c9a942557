/**
 * Returns whether this page or worker has an opaque origin: in a sandboxed frame without `allow-same-origin`, or in a
 * file opened from disk. An opaque origin differs from every other origin. So all servers must allow its requests
 * (CORS), and workers can't read `blob:` URLs of the page.
 */
export const hasOpaqueOrigin = (): boolean => globalThis.origin === 'null';

/**
 * Returns whether memory can be shared with workers, which only cross-origin isolated pages can do. Workers of a page
 * with an opaque origin start from `data:` URLs, and are never isolated.
 */
export const canShareMemory = (): boolean => globalThis.crossOriginIsolated === true && !hasOpaqueOrigin();
