// Tasks that the suite TASKS measures: nothing, and work in proportion to its indices.
export default {
  nothing() {},
  work({ into }, begin, end) {
    for (let index = begin; index < end; index++) {
      let value = index;
      for (let round = 0; round < 100; round++) value = Math.sqrt(value + round);
      into[index] = value;
    }
  },
};
