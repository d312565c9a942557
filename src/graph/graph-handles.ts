/**
 * Handles of a graph: which resource, which version of its contents, and in which frame's set-up they were made, so that
 * one that was kept from another frame is refused. 30 bits, which V8 stores without allocating.
 *
 *   29          22 21        10 9         0
 *   ├─ set-up ────┼─ resource ─┼─ version ─┤
 */

const VERSION_BITS = 10;
const RESOURCE_BITS = 12;
export const MOST_VERSIONS = 2 ** VERSION_BITS;
export const MOST_RESOURCES = 2 ** RESOURCE_BITS;
/** Numbers of set-ups begin anew after so many. */
export const MOST_SETUPS = 2 ** (30 - VERSION_BITS - RESOURCE_BITS);

export function packHandle(setup: number, resource: number, version: number): number {
  return (setup << (VERSION_BITS + RESOURCE_BITS)) | (resource << VERSION_BITS) | version;
}

export function handleSetup(handle: number): number {
  return handle >>> (VERSION_BITS + RESOURCE_BITS);
}

export function handleResource(handle: number): number {
  return (handle >>> VERSION_BITS) & (MOST_RESOURCES - 1);
}

export function handleVersion(handle: number): number {
  return handle & (MOST_VERSIONS - 1);
}
