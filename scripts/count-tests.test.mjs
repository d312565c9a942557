import { describe, expect, it } from 'vitest';
import { addCounts, countPlaywright, countVitest } from './lib/count-tests.mjs';

describe('counting tests', () => {
  it('counts a test file that does not load as a failure', () => {
    const broken = { status: 'failed', assertionResults: [] };
    const report = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, testResults: [broken] };
    expect(countVitest(report)).toEqual({ passed: 3, failed: 2, skipped: 2 });
  });

  it('counts a flaky test as a failure', () => {
    const stats = { expected: 5, unexpected: 1, flaky: 1, skipped: 0 };
    expect(countPlaywright({ stats })).toEqual({ passed: 5, failed: 2, skipped: 0 });
  });

  it('adds counts', () => {
    const one = { passed: 1, failed: 2, skipped: 3 };
    expect(addCounts(one, one)).toEqual({ passed: 2, failed: 4, skipped: 6 });
  });
});
