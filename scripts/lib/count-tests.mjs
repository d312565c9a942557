// Counts passed, failed and skipped tests in the reports of the two test runners.

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** Counts the tests in a report of Vitest. @returns {Counts} */
export function countVitest(report) {
  // A file that fails to load has no tests, and counts as a failure.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  };
}

/** Counts the tests in a report of Playwright. @returns {Counts} */
export function countPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected, failed: unexpected + flaky, skipped };
}

/** Adds two counts. @returns {Counts} */
export function addCounts(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}
