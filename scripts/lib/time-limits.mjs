// Time limits of the tests: they only end what hangs, and decide nothing else. On a machine that does other work as well,
// `FENCEPOST_TIME_SCALE=4 npm test` gives everything four times as long. No assertion knows of it.

const scale = Number(process.env.FENCEPOST_TIME_SCALE ?? 1);
if (!(scale >= 1 && scale <= 100)) {
  throw new Error(
    `FENCEPOST_TIME_SCALE is "${process.env.FENCEPOST_TIME_SCALE}"; it has to be a number from 1 to 100.`,
  );
}

/**
 * A time limit on this machine.
 * @param {number} milliseconds on a machine that does nothing else
 * @returns {number}
 */
export function timeLimit(milliseconds) {
  return milliseconds * scale;
}
