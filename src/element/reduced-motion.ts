/** The user's wish for less motion: no rotation of models, no flights of cameras. */

const QUERY = '(prefers-reduced-motion: reduce)';

export const isMotionReduced = (): boolean => globalThis.matchMedia?.(QUERY).matches ?? false;

/** Calls the listener whenever the wish changes. */
export function watchMotion(listener: () => void, ended: AbortSignal): void {
  globalThis.matchMedia?.(QUERY).addEventListener('change', listener, { signal: ended });
}
