// Time limits of the tests. They only end tests that hang; no assertion depends on them. On a busy machine,
// `FENCEPOST_TIME_SCALE=4 npm test` makes all limits four times as long.

const scale = Number(process.env.FENCEPOST_TIME_SCALE ?? 1);
if (!(scale >= 1 && scale <= 100)) {
  throw new Error(
    `FENCEPOST_TIME_SCALE is "${process.env.FENCEPOST_TIME_SCALE}"; it has to be a number from 1 to 100.`,
  );
}

/**
 * Returns a time limit for this machine.
 *
 * @param {number} milliseconds limit on an otherwise idle machine
 * @returns {number}
 */
export function timeLimit(milliseconds) {
  return milliseconds * scale;
}
