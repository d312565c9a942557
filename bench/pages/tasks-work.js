// Tasks of the suite TASKS: an empty task, and tasks whose work is proportional to the number of indices. Each index
// has a function call of its own, because V8 recompiles long-running nested loops to code that took 2.2 times as long.
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
  /** Does the same work, and records the milliseconds of each call. */
  timed({ into, calls, batch }, begin, end) {
    const began = performance.now();
    work({ into }, begin, end);
    calls[begin / batch] = performance.now() - began;
  },
  /** Does uneven work: the last tenth costs ten times as much. */
  uneven({ into }, begin, end) {
    for (let index = begin; index < end; index++)
      into[index] = rootsOf(index, index > into.length * 0.9 ? 500 : 50);
  },
};
