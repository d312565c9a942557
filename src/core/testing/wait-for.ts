/**
 * Repeats a check until it no longer throws. The time limit is nearly that of the test, because a busy machine may
 * take long. Vitest's default limit of a second would make results depend on the load. Test-only.
 */
import { vi } from 'vitest';
import { timeLimit } from '../../../scripts/lib/time-limits.mjs';

/**
 * Limit in milliseconds: a little less than a test's (`vitest.config.ts`), so that a failure shows the failed check.
 */
const LONGEST = timeLimit(55_000);

/** Waits until the check no longer throws. @param options `interval`: time between two checks, in milliseconds */
export const waitFor = (check: () => void, options: { readonly interval?: number } = {}): Promise<void> =>
  vi.waitFor(check, { ...options, timeout: LONGEST });
