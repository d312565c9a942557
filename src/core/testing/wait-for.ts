/**
 * Waits until the check throws nothing, which is looked at again and again: on a busy machine that may take long, and only what
 * hangs ends it, with the test. Vitest's own limit, of a second, would have the machine decide. Test-only.
 */
import { vi } from 'vitest';
import { timeLimit } from '../../../scripts/lib/time-limits.mjs';

/** A little less than the time of a test (`vitest.config.ts`), so that a failure says what has not come. Milliseconds. */
const LONGEST = timeLimit(55_000);

/** @param options `interval`: how often it is looked at, in milliseconds */
export const waitFor = (check: () => void, options: { readonly interval?: number } = {}): Promise<void> =>
  vi.waitFor(check, { ...options, timeout: LONGEST });
