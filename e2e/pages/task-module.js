// Tasks that pages under test run in a pool: plain JavaScript, as a host serves it.
export default {
  sum: ({ numbers }) => numbers.reduce((sum, each) => sum + each, 0),
  where: () => (typeof document === 'undefined' ? 'worker' : 'page'),
  /** Every element is a function of its index alone, so the result is the same however the range was split. */
  fill({ values, seed }, begin, end) {
    for (let index = begin; index < end; index++) values[index] = Math.sin(index * seed) * 1000;
  },
  /** One pass over what another one wrote. */
  smooth({ from, to }, begin, end) {
    for (let index = begin; index < end; index++) {
      to[index] =
        (from[Math.max(0, index - 1)] + from[index] + from[Math.min(from.length - 1, index + 1)]) / 3;
    }
  },
  append({ log, count }) {
    log[count[0]++] = count[0];
  },
  fail() {
    throw new RangeError('No such thing.');
  },
  busy({ milliseconds }) {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    return milliseconds;
  },
  die() {
    setTimeout(() => {
      throw new Error('It broke.');
    });
    return new Promise(() => {});
  },
  unsendable: () => () => {},
};
