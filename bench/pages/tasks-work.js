// Tasks that the suite TASKS measures: nothing, and work in proportion to its indices.
// A function of its own per index: V8 compiles nested loops anew once they have run for long, to code that took 2.2 times as long.
function rootsOf(index, rounds) {
  let value = index;
  for (let round = 0; round < rounds; round++) value = Math.sqrt(value + round);
  return value;
}

function work({ into }, begin, end) {
  for (let index = begin; index < end; index++) into[index] = rootsOf(index, 100);
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
    for (let index = begin; index < end; index++)
      into[index] = rootsOf(index, index > into.length * 0.9 ? 500 : 50);
  },
};
