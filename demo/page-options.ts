/**
 * Options in the page's address: `?threading=single|render|render+rhi`, `?count=20000`, `?effects=on|off`, and `?still`.
 * `?still` shows one fixed moment without charts, for screenshots. The page then sets `data-ready` on the root element.
 */
import type { ThreadingMode } from '../src/index.js';

export const THREADING_MODES: readonly ThreadingMode[] = ['single', 'render', 'render+rhi'];

const parameters = new URLSearchParams(location.search);

export const isStill = parameters.has('still');

export function threadingFromAddress(): ThreadingMode {
  // A plus sign in an address is decoded as a space.
  const wanted = parameters.get('threading')?.replace(' ', '+');
  return THREADING_MODES.find((mode) => mode === wanted) ?? 'render';
}

export function numberFromAddress(name: string, fallback: number, minimum: number, maximum: number): number {
  const value = Number(parameters.get(name) ?? Number.NaN);
  return Number.isFinite(value) ? Math.min(maximum, Math.max(minimum, Math.round(value))) : fallback;
}

/** Writes an option to the address, so that a reload or a shared link shows the same state. */
export function writeToAddress(name: string, value: string): void {
  const url = new URL(location.href);
  url.searchParams.set(name, value);
  history.replaceState(null, '', url);
}

/** Returns whether the address asks for effects; undefined if it does not say. */
export function effectsFromAddress(): boolean | undefined {
  const wanted = parameters.get('effects');
  return wanted === null ? undefined : wanted !== 'off';
}
