/**
 * Handles of a graph. A handle is a number of 30 bits, which V8 stores without allocating. It contains a
 * resource, a version of its contents, and the number of the set-up that made it. The set-up's number exposes
 * a handle that was kept from an earlier frame.
 *
 *   29          22 21        10 9         0
 *   ├─ set-up ────┼─ resource ─┼─ version ─┤
 */

const VERSION_BITS = 10;
const RESOURCE_BITS = 12;
export const MOST_VERSIONS = 2 ** VERSION_BITS;
export const MOST_RESOURCES = 2 ** RESOURCE_BITS;
/** Numbers of set-ups start again from 0 after this many. */
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
