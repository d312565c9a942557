// Tasks that the suite TASKS measures: nothing, and work in proportion to its indices.
function work({ into }, begin, end) {
  for (let index = begin; index < end; index++) {
    let value = index;
    for (let round = 0; round < 100; round++) value = Math.sqrt(value + round);
    into[index] = value;
  }
}

export default {
  nothing() {},
  work,
  /** The same, and what each call took, in milliseconds. */
  timed({ into, calls, batch }, begin, end) {
    const began = performance.now();
    work({ into }, begin, end);
    calls[begin / batch] = performance.now() - began;
  },
  /** The last tenth costs ten times as much. */
  uneven({ into }, begin, end) {
    for (let index = begin; index < end; index++) {
      let value = index;
      const rounds = index > into.length * 0.9 ? 500 : 50;
      for (let round = 0; round < rounds; round++) value = Math.sqrt(value + round);
      into[index] = value;
    }
  },
};
