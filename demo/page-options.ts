import type { ThreadingMode } from '../src/index.js';

/**
 * What the address says: `?threading=single|render|render+rhi`, `?count=20000`, and `?still`, which shows one
 * fixed moment without charts, for screenshots. The page then sets `data-ready` on the root element.
 */
export const THREADING_MODES: readonly ThreadingMode[] = ['single', 'render', 'render+rhi'];

const parameters = new URLSearchParams(location.search);

export const isStill = parameters.has('still');

export function threadingFromAddress(): ThreadingMode {
  // A plus sign in an address is read as a space.
  const wanted = parameters.get('threading')?.replace(' ', '+');
  return THREADING_MODES.find((mode) => mode === wanted) ?? 'render';
}

export function numberFromAddress(name: string, fallback: number, minimum: number, maximum: number): number {
  const value = Number(parameters.get(name) ?? Number.NaN);
  return Number.isFinite(value) ? Math.min(maximum, Math.max(minimum, Math.round(value))) : fallback;
}

/** Keeps the address true, so that a reload or a shared link shows the same thing. */
export function writeToAddress(name: string, value: string): void {
  const url = new URL(location.href);
  url.searchParams.set(name, value);
  history.replaceState(null, '', url);
}
